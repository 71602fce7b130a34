package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/pipeline"
)

// rounds of questions after which Crossplane gives up.
const rounds = 5

// An Answer of the function about the objects as they are.
type Answer struct {
	Conditions []Condition
	// Desired are the roles that should exist.
	Desired []string
	// Status that the function would write.
	Status map[string]any
	Ready  bool
	TTL    time.Duration
}

// Condition of a type; its fields are empty when there is none.
func (a *Answer) Condition(kind string) Condition {
	if a == nil {
		return Condition{}
	}
	for _, condition := range a.Conditions {
		if condition.Type == kind {
			return condition
		}
	}
	return Condition{}
}

// Ask the function what it makes of the object as it is or, with a change, of what it would be. Nothing is written, and
// the function's own network checks are off.
func (v *View) Ask(ctx context.Context, client *cluster.Client, change func(xr *unstructured.Unstructured) error) (*Answer, error) {
	switch {
	case v.xrError != nil:
		return nil, fmt.Errorf("the function cannot be asked: %w", v.xrError)
	case v.XR == nil:
		return nil, errors.New("the function cannot be asked: Crossplane has not made the composite yet")
	}
	if v.function == nil {
		// It reads the definitions of the API when it is made, which is worth doing once.
		var err error
		if v.function, err = v.newFunction(settings.Environment{ChecksDisabled: true}); err != nil {
			return nil, err
		}
	}
	request, err := v.request(change)
	if err != nil {
		return nil, fmt.Errorf("the function cannot be asked: %w", err)
	}
	// As Crossplane does: ask again with what the function requires, until it requires nothing else.
	for range rounds {
		response, err := v.function.RunFunction(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("the function cannot answer: %w", err)
		}
		for _, result := range response.GetResults() {
			if result.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
				return nil, fmt.Errorf("the function cannot answer: %s", result.GetMessage())
			}
		}
		required, err := v.required(ctx, client, response.GetRequirements())
		if err != nil {
			return nil, fmt.Errorf("the function cannot be asked: %w", err)
		}
		if sameKeys(required, request.GetRequiredResources()) {
			return answerOf(response), nil
		}
		next, _ := proto.Clone(request).(*fnv1.RunFunctionRequest)
		next.RequiredResources = required
		request = next
	}
	return nil, fmt.Errorf("the function cannot answer: it asked for more in each of %d rounds", rounds)
}

func (v *View) newFunction(environment settings.Environment) (*composition.Function, error) {
	function, err := composition.New(logging.NewNopLogger(), environment, func() time.Time { return v.Now })
	if err != nil {
		return nil, fmt.Errorf("the function cannot be asked: %w", err)
	}
	return function, nil
}

// AskOutside asks the function about a distributed Chroma that has nothing yet, with a checker of what it needs outside
// the cluster: of the cluster that takes the Secrets with the credentials, and little else.
func AskOutside(ctx context.Context, client *cluster.Client, xr *unstructured.Unstructured, input map[string]any, checker composition.Checker, now time.Time) (*Answer, error) {
	bare := newView(xr.DeepCopy(), now)
	unstructured.RemoveNestedField(bare.XR.Object, "status")
	bare.Machinery.Step = &pipeline.Step{Input: input}
	var err error
	if bare.function, err = bare.newFunction(settings.Environment{}); err != nil {
		return nil, err
	}
	bare.function.CheckWith(checker)
	return bare.Ask(ctx, client, nil)
}

func sameKeys(a, b map[string]*fnv1.Resources) bool {
	return slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
}

func (v *View) request(change func(*unstructured.Unstructured) error) (*fnv1.RunFunctionRequest, error) {
	xr := v.XR.DeepCopy()
	if change != nil {
		if err := change(xr); err != nil {
			return nil, err
		}
	}
	composite, err := structpb.NewStruct(xr.Object)
	if err != nil {
		return nil, fmt.Errorf("cannot encode %s: %w", xr.GetName(), err)
	}
	request := &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: cluster.Manager},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: composite}, Resources: map[string]*fnv1.Resource{}},
	}
	for role, object := range v.Observed {
		if request.Observed.Resources[role], err = encode(object); err != nil {
			return nil, err
		}
	}
	if v.Machinery.Step != nil && v.Machinery.Step.Input != nil {
		if request.Input, err = structpb.NewStruct(v.Machinery.Step.Input); err != nil {
			return nil, fmt.Errorf("cannot encode the Input: %w", err)
		}
	}
	return request, nil
}

// required objects, read from the API server.
func (v *View) required(ctx context.Context, client *cluster.Client, of *fnv1.Requirements) (map[string]*fnv1.Resources, error) {
	out := map[string]*fnv1.Resources{}
	for name, selector := range of.GetResources() {
		kind := schema.FromAPIVersionAndKind(selector.GetApiVersion(), selector.GetKind())
		var objects []*unstructured.Unstructured
		if match := selector.GetMatchName(); match != "" {
			object, err := v.fetch(ctx, client, kind, selector.GetNamespace(), match)
			if err != nil {
				return nil, err
			}
			if object != nil {
				objects = append(objects, object)
			}
		} else {
			list, err := v.list(ctx, client, kind, selector.GetNamespace(), labels.Set(selector.GetMatchLabels().GetLabels()).String())
			if err != nil {
				return nil, err
			}
			objects = list
		}
		out[name] = &fnv1.Resources{}
		for _, object := range objects {
			item, err := encode(object)
			if err != nil {
				return nil, err
			}
			out[name].Items = append(out[name].Items, item)
		}
	}
	return out, nil
}

func encode(object *unstructured.Unstructured) (*fnv1.Resource, error) {
	fields, err := structpb.NewStruct(object.Object)
	if err != nil {
		return nil, fmt.Errorf("cannot encode %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return &fnv1.Resource{Resource: fields}, nil
}

func answerOf(response *fnv1.RunFunctionResponse) *Answer {
	out := &Answer{
		Ready: response.GetDesired().GetComposite().GetReady() == fnv1.Ready_READY_TRUE, TTL: response.GetMeta().GetTtl().AsDuration(),
		Desired: slices.Sorted(maps.Keys(response.GetDesired().GetResources())),
	}
	for _, condition := range response.GetConditions() {
		out.Conditions = append(out.Conditions, Condition{
			Type: condition.GetType(), Status: statusText(condition.GetStatus()), Reason: condition.GetReason(), Message: condition.GetMessage(),
		})
	}
	if status, ok := response.GetDesired().GetComposite().GetResource().AsMap()["status"].(map[string]any); ok {
		out.Status = status
	}
	return out
}

func statusText(status fnv1.Status) string {
	switch status {
	case fnv1.Status_STATUS_CONDITION_TRUE:
		return "True"
	case fnv1.Status_STATUS_CONDITION_FALSE:
		return "False"
	default:
		return "Unknown"
	}
}
