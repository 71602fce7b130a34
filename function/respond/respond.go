// Package respond turns an Answer into a RunFunctionResponse, the same bytes for the same answer.
package respond

import (
	"encoding/json"
	"fmt"
	"maps"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/function-chroma/function-chroma/function/pass"
)

// To a request with an answer. Desired resources of earlier functions in the pipeline are kept.
func To(req *fnv1.RunFunctionRequest, to pass.Request, answer pass.Answer) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, answer.TTL)

	target := fnv1.Target_TARGET_COMPOSITE
	if to.ClaimBacked {
		target = fnv1.Target_TARGET_COMPOSITE_AND_CLAIM
	}
	// The response shares the request's desired state, which is not ours to change.
	desired := make(map[string]*fnv1.Resource, len(answer.Objects)+len(req.GetDesired().GetResources()))
	maps.Copy(desired, req.GetDesired().GetResources())
	rsp.Desired = &fnv1.State{Resources: desired}
	for _, object := range answer.Objects {
		manifest, err := toStruct(object.Manifest)
		if err != nil {
			return nil, fmt.Errorf("cannot encode the composed object %q: %w", object.Role, err)
		}
		prune(manifest)
		desired[object.Role] = &fnv1.Resource{Resource: manifest, Ready: ready(object.Ready)}
	}

	status, err := toStruct(map[string]any{"status": answer.Status})
	if err != nil {
		return nil, fmt.Errorf("cannot encode the status: %w", err)
	}
	// Crossplane wants to know whose status it is.
	status.Fields["apiVersion"] = structpb.NewStringValue(to.XR.GetAPIVersion())
	status.Fields["kind"] = structpb.NewStringValue(to.XR.GetKind())
	rsp.Desired.Composite = &fnv1.Resource{Resource: status, Ready: ready(answer.Ready)}

	rsp.Requirements = requirements(to, answer)
	for _, condition := range answer.Conditions {
		rsp.Conditions = append(rsp.Conditions, &fnv1.Condition{
			Type: string(condition.Type), Status: conditionStatus(condition.Status), Reason: string(condition.Reason),
			Message: &condition.Message, Target: target.Enum(),
		})
	}
	for _, event := range answer.Events {
		severity := fnv1.Severity_SEVERITY_NORMAL
		if event.Warning {
			severity = fnv1.Severity_SEVERITY_WARNING
		}
		name := string(event.Reason)
		rsp.Results = append(rsp.Results, &fnv1.Result{Severity: severity, Message: event.Message, Reason: &name, Target: target.Enum()})
	}
	return rsp, nil
}

// requirements of the next call, nil without any.
func requirements(to pass.Request, answer pass.Answer) *fnv1.Requirements {
	if len(answer.Requirements) == 0 && !answer.AskSchema {
		return nil
	}
	out := &fnv1.Requirements{Resources: make(map[string]*fnv1.ResourceSelector, len(answer.Requirements))}
	for name, requirement := range answer.Requirements {
		out.Resources[name] = selector(requirement)
	}
	if answer.AskSchema {
		out.Schemas = map[string]*fnv1.SchemaSelector{pass.AskSchema: {ApiVersion: to.XR.GetAPIVersion(), Kind: to.XR.GetKind()}}
	}
	return out
}

func ready(is bool) fnv1.Ready {
	if is {
		return fnv1.Ready_READY_TRUE
	}
	return fnv1.Ready_READY_FALSE
}

func conditionStatus(status pass.ConditionStatus) fnv1.Status {
	switch status {
	case pass.True:
		return fnv1.Status_STATUS_CONDITION_TRUE
	case pass.False:
		return fnv1.Status_STATUS_CONDITION_FALSE
	case pass.Unknown:
	}
	return fnv1.Status_STATUS_CONDITION_UNKNOWN
}

func selector(requirement pass.Requirement) *fnv1.ResourceSelector {
	out := &fnv1.ResourceSelector{ApiVersion: requirement.APIVersion, Kind: requirement.Kind}
	if requirement.Namespace != "" {
		out.Namespace = &requirement.Namespace
	}
	if requirement.Name != "" {
		out.Match = &fnv1.ResourceSelector_MatchName{MatchName: requirement.Name}
		return out
	}
	out.Match = &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: requirement.Labels}}
	return out
}

// toStruct encodes an apply configuration, a typed status or plain maps. Apply configurations have no zero values, so
// that only the fields that are set are sent.
func toStruct(value any) (*structpb.Struct, error) {
	plain, ok := value.(map[string]any)
	if !ok {
		var err error
		if plain, err = runtime.DefaultUnstructuredConverter.ToUnstructured(value); err != nil {
			return nil, fmt.Errorf("cannot convert it: %w", err)
		}
	}
	return encodeMap(plain)
}

func encodeMap(values map[string]any) (*structpb.Struct, error) {
	out := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(values))}
	for key, value := range values {
		encoded, err := encode(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		out.Fields[key] = encoded
	}
	return out, nil
}

func encode(value any) (*structpb.Value, error) {
	switch v := value.(type) {
	case map[string]any:
		fields, err := encodeMap(v)
		if err != nil {
			return nil, err
		}
		return structpb.NewStructValue(fields), nil
	case []any:
		list := &structpb.ListValue{Values: make([]*structpb.Value, 0, len(v))}
		for _, item := range v {
			encoded, err := encode(item)
			if err != nil {
				return nil, err
			}
			list.Values = append(list.Values, encoded)
		}
		return structpb.NewListValue(list), nil
	case nil, bool, string, float64, float32, int, int32, int64, uint, uint32, uint64, json.Number:
		encoded, err := structpb.NewValue(v)
		if err != nil {
			return nil, fmt.Errorf("cannot encode it: %w", err)
		}
		return encoded, nil
	default:
		fields, err := toStruct(v)
		if err != nil {
			return nil, err
		}
		return structpb.NewStructValue(fields), nil
	}
}

// prune what Kubernetes' types encode although nobody set it: a null creationTimestamp in every pod template.
func prune(manifest *structpb.Struct) {
	fields := manifest.GetFields()
	for key, value := range fields {
		if _, isNull := value.GetKind().(*structpb.Value_NullValue); isNull {
			delete(fields, key)
			continue
		}
		if nested := value.GetStructValue(); nested != nil {
			prune(nested)
		}
	}
}
