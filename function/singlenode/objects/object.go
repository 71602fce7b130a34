package objects

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/function-chroma/function-chroma/function/settings"
)

// The kind Object of provider-kubernetes, in its namespaced form.
const (
	ObjectAPIVersion = "kubernetes.m.crossplane.io/v1alpha1"
	ObjectKind       = "Object"
)

// object wraps a manifest in an Object of provider-kubernetes. It never has the policy Delete: an Object that is deleted
// by hand, a switched Composition or a dropped pipeline step must not take the data along.
func object(name, namespace string, labels map[string]string, manifest any, ref settings.ProviderConfig) (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(manifest)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the manifest of Object %q: %w", name, err)
	}
	return map[string]any{
		"apiVersion": ObjectAPIVersion,
		"kind":       ObjectKind,
		"metadata":   map[string]any{"name": name, "namespace": namespace, "labels": anyMap(labels)},
		"spec": map[string]any{
			"managementPolicies": []any{"Observe", "Create", "Update"},
			"providerConfigRef":  map[string]any{"kind": ref.Kind, "name": ref.Name},
			"forProvider":        map[string]any{"manifest": content},
		},
	}, nil
}

// Manifest inside an observed Object.
func Manifest(observed *unstructured.Unstructured) *unstructured.Unstructured {
	manifest, ok, _ := unstructured.NestedMap(observed.Object, "spec", "forProvider", "manifest")
	if !ok {
		return &unstructured.Unstructured{Object: map[string]any{}}
	}
	return &unstructured.Unstructured{Object: manifest}
}

// SetLookAgain has the provider look at the claim at once: it polls every ten minutes, and looks again before that only
// when the Object changes.
func SetLookAgain(object map[string]any, token string) {
	if token == "" {
		return
	}
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		return
	}
	metadata["annotations"] = map[string]any{AnnotationLookAgain: token}
}
