package live

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Reference to a composed object.
type Reference struct {
	Kind            schema.GroupVersionKind
	Namespace, Name string
}

// References of a composite to what it composes. Those of a namespaced one are all in its own namespace.
func References(xr *unstructured.Unstructured, namespace string) []Reference {
	path := []string{"spec", "crossplane", "resourceRefs"}
	if xr.GetNamespace() == "" {
		path = []string{"spec", "resourceRefs"}
	}
	list, _, _ := unstructured.NestedSlice(xr.Object, path...)
	out := make([]Reference, 0, len(list))
	for _, one := range list {
		fields, ok := one.(map[string]any)
		if !ok {
			continue
		}
		text := func(field string) string { s, _ := fields[field].(string); return s }
		reference := Reference{Kind: schema.FromAPIVersionAndKind(text("apiVersion"), text("kind")), Namespace: text("namespace"), Name: text("name")}
		if reference.Namespace == "" {
			reference.Namespace = namespace
		}
		if reference.Name != "" {
			out = append(out, reference)
		}
	}
	return out
}

// A Condition of an object.
type Condition struct {
	Type, Status, Reason, Message string
	// Since is the time of its last transition, as written.
	Since string
}

// Conditions of an object, in their order.
func Conditions(object *unstructured.Unstructured) []Condition {
	if object == nil {
		return nil
	}
	list, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	out := make([]Condition, 0, len(list))
	for _, one := range list {
		fields, ok := one.(map[string]any)
		if !ok {
			continue
		}
		text := func(field string) string { s, _ := fields[field].(string); return s }
		out = append(out, Condition{Type: text("type"), Status: text("status"), Reason: text("reason"), Message: text("message"), Since: text("lastTransitionTime")})
	}
	return out
}

// ConditionOf a type; its fields are empty when there is none.
func ConditionOf(object *unstructured.Unstructured, kind string) Condition {
	for _, condition := range Conditions(object) {
		if condition.Type == kind {
			return condition
		}
	}
	return Condition{}
}

// Text at a path, empty when there is none.
func Text(object *unstructured.Unstructured, path ...string) string {
	if object == nil {
		return ""
	}
	value, _, _ := unstructured.NestedString(object.Object, path...)
	return value
}
