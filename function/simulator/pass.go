package simulator

import (
	"context"
	"errors"
	"fmt"
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

const (
	annotationRole = "crossplane.io/composition-resource-name"
	// maxIterations of a function whose requirements do not get stable.
	maxIterations = 5
)

// decision is what the function answered, and what it answered to.
type decision struct {
	observed map[string]*unstructured.Unstructured
	response *fnv1.RunFunctionResponse
}

// decide observes the composed resources and runs the function.
func (p *pass) decide() (*decision, error) {
	observed, err := p.observe()
	if err != nil {
		return nil, err
	}
	request, err := p.request(observed)
	if err != nil {
		return nil, err
	}
	response, err := p.run(request)
	if err != nil {
		return nil, fmt.Errorf("cannot run Composition pipeline step %q: cannot run Function %q: %w", p.kind.Step, "function", err)
	}
	p.ttl = response.GetMeta().GetTtl().AsDuration()
	return &decision{observed: observed, response: response}, nil
}

// observe reads what the references name: from the cache, and what is not there once more from the API server.
func (p *pass) observe() (map[string]*unstructured.Unstructured, error) {
	observed := map[string]*unstructured.Unstructured{}
	for _, key := range references(p.xr, p.kind.legacy()) {
		o := p.cluster.cache.get(key)
		if o == nil {
			o = p.cluster.store.Peek(key)
		}
		if o == nil {
			continue
		}
		if owner := metav1.GetControllerOf(o); owner != nil && owner.UID != p.xr.GetUID() {
			continue
		}
		role := stringAt(o, "metadata", "annotations", annotationRole)
		if role == "" {
			return nil, fmt.Errorf("cannot get existing composed resources: encountered composed resource without required %q annotation", annotationRole)
		}
		observed[role] = o
	}
	return observed, nil
}

// references of a composite resource to what it composes.
func references(xr *unstructured.Unstructured, legacy bool) []store.Key {
	path := []string{fieldSpec, "crossplane", "resourceRefs"}
	if legacy {
		path = []string{fieldSpec, "resourceRefs"}
	}
	list := listAt(xr, path...)
	keys := make([]store.Key, 0, len(list))
	for _, r := range list {
		reference, _ := r.(map[string]any)
		text := func(field string) string { s, _ := reference[field].(string); return s }
		key := store.Key{GVK: store.Kind(text("apiVersion"), text("kind")), Namespace: text("namespace"), Name: text("name")}
		if xr.GetNamespace() != "" {
			key.Namespace = xr.GetNamespace()
		}
		keys = append(keys, key)
	}
	return keys
}

func refersTo(xr *unstructured.Unstructured, legacy bool, key store.Key) bool {
	return slices.Contains(references(xr, legacy), key)
}

func (p *pass) request(observed map[string]*unstructured.Unstructured) (*fnv1.RunFunctionRequest, error) {
	// The conditions that this pass has marked already are part of what the function sees.
	seen := p.xr
	if store.Same(p.xr.Object, p.observed.Object) {
		seen = p.observed
	}
	xr, err := p.cluster.store.Message(seen)
	if err != nil {
		return nil, fmt.Errorf("cannot build observed state: %w", err)
	}
	resources := make(map[string]*fnv1.Resource, len(observed))
	for role, o := range observed {
		m, err := p.cluster.store.Message(o)
		if err != nil {
			return nil, fmt.Errorf("cannot build observed state: %w", err)
		}
		resources[role] = &fnv1.Resource{Resource: m}
	}
	return &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "simulator", Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES, fnv1.Capability_CAPABILITY_CONDITIONS,
		}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}, Resources: resources},
		Desired:  &fnv1.State{},
		Context:  &structpb.Struct{Fields: map[string]*structpb.Value{}},
		Input:    p.kind.Input,
	}, nil
}

// run calls the function until what it requires is stable: the first call has no required resources.
func (p *pass) run(request *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if p.kind.Function == nil {
		return nil, errNoFunction
	}
	var requirements *fnv1.Requirements
	for range maxIterations + 1 {
		response, err := p.kind.Function.RunFunction(context.Background(), request)
		p.recordCall(request, response, err)
		if err != nil {
			return nil, err
		}
		if fatal(response) {
			return response, nil
		}
		if proto.Equal(response.GetRequirements(), requirements) {
			return response, nil
		}
		requirements = response.GetRequirements()
		required := map[string]*fnv1.Resources{}
		for name, selector := range requirements.GetResources() {
			if required[name], err = p.cluster.fetch(selector); err != nil {
				return nil, fmt.Errorf("fetching resources for %s: %w", name, err)
			}
		}
		// Each call begins with an empty desired state of its own: over the wire no call sees what another wrote into it.
		request = &fnv1.RunFunctionRequest{
			Meta: request.GetMeta(), Observed: request.GetObserved(), Desired: &fnv1.State{}, Input: request.GetInput(),
			Context: proto.CloneOf(response.GetContext()), RequiredResources: required,
		}
	}
	return nil, fmt.Errorf("requirements didn't stabilize after the maximum number of iterations (%d)", maxIterations)
}

func fatal(response *fnv1.RunFunctionResponse) bool {
	return slices.ContainsFunc(response.GetResults(), func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL })
}

// fetch a required resource from the caches. A namespaced kind without a namespace has no items by that name.
func (c *Cluster) fetch(selector *fnv1.ResourceSelector) (*fnv1.Resources, error) {
	kind := store.Kind(selector.GetApiVersion(), selector.GetKind())
	if c.unreadable[kind.GroupKind()] {
		return nil, errUnreadable
	}
	var objects []*unstructured.Unstructured
	if name := selector.GetMatchName(); name != "" {
		if o := c.cache.get(store.Key{GVK: kind, Namespace: selector.GetNamespace(), Name: name}); o != nil {
			objects = append(objects, o)
		}
	} else {
		for _, o := range c.cache.list(kind, selector.GetNamespace()) {
			if store.Matches(o, selector.GetMatchLabels().GetLabels()) {
				objects = append(objects, o)
			}
		}
	}
	out := &fnv1.Resources{Items: make([]*fnv1.Resource, 0, len(objects))}
	for _, o := range objects {
		m, err := c.store.Message(o)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, &fnv1.Resource{Resource: m})
	}
	return out, nil
}

// errUnreadable stands for a cache that never fills, since Crossplane may not read the kind: the pass hangs silently.
var errUnreadable = errors.New("the cache of the kind does not get ready")
