package simulator

import (
	"fmt"
	"math"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// report puts the function's conditions and events, and Crossplane's own conditions, on the composite resource.
func (p *pass) report(response *fnv1.RunFunctionResponse, desired []desiredResource, unsynced []string) {
	for _, r := range response.GetResults() {
		kind := EventNormal
		if r.GetSeverity() != fnv1.Severity_SEVERITY_NORMAL {
			kind = EventWarning
		}
		reason := r.GetReason()
		if reason == "" {
			reason = eventCompose
		}
		p.event(kind, reason, fmt.Sprintf("Pipeline step %q: %s", p.kind.Step, r.GetMessage()))
		if claim, bound := p.claim(); bound && r.GetTarget() == fnv1.Target_TARGET_COMPOSITE_AND_CLAIM {
			p.cluster.event(claim, kind, reason, r.GetMessage())
		}
	}
	p.take(response.GetConditions())
	var unready []string
	for _, d := range desired {
		if slices.Contains(unsynced, d.role) {
			p.event(EventNormal, eventCompose, fmt.Sprintf("Composed resource %q is not yet valid", d.role))
		}
		if !d.ready {
			unready = append(unready, d.role)
			p.event(EventNormal, eventCompose, fmt.Sprintf("Composed resource %q is not yet ready", d.role))
		}
	}
	synced := condition{kind: conditionSynced, status: statusTrue, reason: reasonReconcileSuccess}
	if len(unsynced) > 0 {
		synced = condition{kind: conditionSynced, status: statusFalse, reason: reasonReconcileError, message: "Unsynced resources: " + resource.StableNAndSomeMore(resource.DefaultFirstN, unsynced)}
	}
	ready := condition{kind: conditionReady, status: statusTrue, reason: reasonAvailable}
	switch response.GetDesired().GetComposite().GetReady() {
	case fnv1.Ready_READY_TRUE:
	case fnv1.Ready_READY_FALSE:
		ready = condition{kind: conditionReady, status: statusFalse, reason: reasonCreating}
	default:
		if len(unready) > 0 {
			ready = condition{kind: conditionReady, status: statusFalse, reason: reasonCreating, message: "Unready resources: " + resource.StableNAndSomeMore(resource.DefaultFirstN, unready)}
		}
	}
	p.mark(synced)
	p.mark(ready)
}

// take the function's conditions. Those of Crossplane itself it cannot set.
func (p *pass) take(conditions []*fnv1.Condition) {
	for _, c := range conditions {
		if systemCondition(c.GetType()) {
			continue
		}
		status := statusUnknown
		switch c.GetStatus() {
		case fnv1.Status_STATUS_CONDITION_TRUE:
			status = statusTrue
		case fnv1.Status_STATUS_CONDITION_FALSE:
			status = statusFalse
		default:
		}
		p.seen[c.GetType()] = true
		setCondition(p.xr, p.cluster.Now(), condition{kind: c.GetType(), status: status, reason: c.GetReason(), message: c.GetMessage()})
		if c.GetTarget() == fnv1.Target_TARGET_COMPOSITE_AND_CLAIM && p.kind.legacy() {
			p.showOnClaim(c.GetType())
		}
	}
}

// showOnClaim remembers a condition type whose conditions the claim shows too.
func (p *pass) showOnClaim(kind string) {
	types := listAt(p.xr, "status", "claimConditionTypes")
	if slices.Contains(types, any(kind)) {
		return
	}
	status, ok := p.xr.Object["status"].(map[string]any)
	if !ok {
		status = map[string]any{}
		p.xr.Object["status"] = status
	}
	status["claimConditionTypes"] = append(slices.Clone(types), kind)
}

// claim that the composite resource belongs to.
func (p *pass) claim() (store.Key, bool) {
	reference := mapAt(p.xr, "spec", "claimRef")
	if reference == nil {
		return store.Key{}, false
	}
	namespace, _ := reference["namespace"].(string)
	name, _ := reference["name"].(string)
	return store.Key{GVK: p.kind.Claim, Namespace: namespace, Name: name}, true
}

// fromStruct is the content of a message as the API server reads its JSON: numbers without a fraction are integers.
func fromStruct(s *structpb.Struct) map[string]any {
	out := make(map[string]any, len(s.GetFields()))
	for k, v := range s.GetFields() {
		out[k] = fromValue(v)
	}
	return out
}

func fromValue(v *structpb.Value) any {
	switch k := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		return k.StringValue
	case *structpb.Value_BoolValue:
		return k.BoolValue
	case *structpb.Value_NumberValue:
		if k.NumberValue == math.Trunc(k.NumberValue) && math.Abs(k.NumberValue) < 1<<53 {
			return int64(k.NumberValue)
		}
		return k.NumberValue
	case *structpb.Value_StructValue:
		return fromStruct(k.StructValue)
	case *structpb.Value_ListValue:
		list := make([]any, 0, len(k.ListValue.GetValues()))
		for _, item := range k.ListValue.GetValues() {
			list = append(list, fromValue(item))
		}
		return list
	default:
		return nil
	}
}

// plural is the resource name of a kind, which the Composition is named after here.
func plural(kind schema.GroupVersionKind) string {
	guessed, _ := meta.UnsafeGuessKindToResource(kind)
	return guessed.GroupResource().String()
}
