// Package observe turns a RunFunctionRequest into plain values. It decides nothing.
package observe

import (
	"errors"
	"fmt"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/settings"
)

// defaultNamespace of a manifest without one, as for kubectl.
const defaultNamespace = "default"

// Input of the composition step as plain values, nil without one.
func Input(req *fnv1.RunFunctionRequest) map[string]any {
	if req.GetInput() == nil {
		return nil
	}
	return fields(req.GetInput())
}

// Request observed at a time, under the settings of the composition step.
func Request(req *fnv1.RunFunctionRequest, with settings.Settings, now time.Time) (pass.Request, error) {
	xr := object(req.GetObserved().GetComposite())
	if xr == nil {
		return pass.Request{}, errors.New("cannot read the request: it has no composite resource")
	}
	if xr.GetAPIVersion() == "" || xr.GetKind() == "" {
		return pass.Request{}, errors.New("cannot read the request: the composite resource has no apiVersion or kind")
	}
	if xr.GetName() == "" {
		return pass.Request{}, fmt.Errorf("cannot read the request: the %s has no metadata.name", xr.GetKind())
	}

	out := pass.Request{
		XR: xr, Name: xr.GetName(), Namespace: xr.GetNamespace(),
		Observed: make(map[string]*unstructured.Unstructured, len(req.GetObserved().GetResources())),
		Required: make(map[string]pass.Found, len(req.GetRequiredResources())),
		Settings: with, Now: now,
	}
	// kubectl fills in the namespace of a manifest that names none. Offline nobody does.
	if out.Namespace == "" {
		out.Namespace = defaultNamespace
	}
	// A cluster-scoped XR stands behind a claim: what it composes is named after the claim and lives in its namespace.
	if name, ok, _ := unstructured.NestedString(xr.Object, "spec", "claimRef", "name"); ok {
		namespace, _, _ := unstructured.NestedString(xr.Object, "spec", "claimRef", "namespace")
		out.Name, out.Namespace, out.ClaimBacked = name, namespace, true
	}

	for role, resource := range req.GetObserved().GetResources() {
		if composed := object(resource); composed != nil {
			out.Observed[role] = composed
		}
	}
	for name, resources := range required(req) {
		found := pass.Found{Answered: true}
		for _, item := range resources.GetItems() {
			if o := object(item); o != nil {
				found.Objects = append(found.Objects, o)
			}
		}
		out.Required[name] = found
	}
	if answered := req.GetRequiredSchemas()[pass.AskSchema].GetOpenapiV3(); answered != nil {
		out.Schema = fields(answered)
	}
	return out, nil
}

// required resources under their current name, or under the one that Crossplane before 1.20 sends.
func required(req *fnv1.RunFunctionRequest) map[string]*fnv1.Resources {
	if len(req.GetRequiredResources()) > 0 {
		return req.GetRequiredResources()
	}
	return req.GetExtraResources() //nolint:staticcheck // Older Crossplane and older CLIs still send it.
}

func object(resource *fnv1.Resource) *unstructured.Unstructured {
	if resource.GetResource() == nil || len(resource.GetResource().GetFields()) == 0 {
		return nil
	}
	return &unstructured.Unstructured{Object: fields(resource.GetResource())}
}

// fields is Struct.AsMap, for a request from anywhere: AsMap panics on a value without a kind.
func fields(s *structpb.Struct) map[string]any {
	out := make(map[string]any, len(s.GetFields()))
	for key, value := range s.GetFields() {
		out[key] = plain(value)
	}
	return out
}

func plain(value *structpb.Value) any {
	switch v := value.GetKind().(type) {
	case *structpb.Value_StringValue:
		return v.StringValue
	case *structpb.Value_BoolValue:
		return v.BoolValue
	case *structpb.Value_NumberValue:
		return v.NumberValue
	case *structpb.Value_StructValue:
		return fields(v.StructValue)
	case *structpb.Value_ListValue:
		list := make([]any, 0, len(v.ListValue.GetValues()))
		for _, item := range v.ListValue.GetValues() {
			list = append(list, plain(item))
		}
		return list
	}
	return nil
}
