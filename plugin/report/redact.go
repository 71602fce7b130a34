package report

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const left = "<left out>"

// redacted is an object without what can be secret: the data of Secrets, also of one in a manifest of
// provider-kubernetes, values of environment variables, and the copy of it all that kubectl apply keeps.
func redacted(object *unstructured.Unstructured) *unstructured.Unstructured {
	out := object.DeepCopy()
	unstructured.RemoveNestedField(out.Object, "metadata", "managedFields")
	redact(out.Object)
	return out
}

func redact(value any) {
	switch v := value.(type) {
	case map[string]any:
		if v["kind"] == "Secret" {
			for _, field := range []string{"data", "stringData"} {
				if _, found := v[field]; found {
					v[field] = left
				}
			}
		}
		if environment, ok := v["env"].([]any); ok {
			for _, one := range environment {
				if variable, ok := one.(map[string]any); ok && variable["value"] != nil {
					variable["value"] = left
				}
			}
		}
		if annotations, ok := v["annotations"].(map[string]any); ok {
			delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
		}
		for _, inner := range v {
			redact(inner)
		}
	case []any:
		for _, inner := range v {
			redact(inner)
		}
	}
}
