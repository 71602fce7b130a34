package store

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// fixed fields of a kind, which cannot change on a live object.
func fixed(kind string) [][]string {
	switch kind {
	case "Job":
		return [][]string{{"spec", "template"}, {"spec", "selector"}}
	case "StatefulSet":
		return [][]string{{"spec", "selector"}, {"spec", "serviceName"}, {"spec", "podManagementPolicy"}, {"spec", "volumeClaimTemplates"}}
	case "Deployment":
		return [][]string{{"spec", "selector"}}
	case "RoleBinding":
		return [][]string{{"roleRef"}}
	}
	return nil
}

// validateFixed refuses the change of a field that is fixed.
func validateFixed(key Key, before, after *unstructured.Unstructured) error {
	if before == nil {
		return nil
	}
	for _, path := range fixed(key.GVK.Kind) {
		if !Same(at(before.Object, path...), at(after.Object, path...)) {
			return invalid(key, "%s: Invalid value: %v: field is immutable", strings.Join(path, "."), at(after.Object, path...))
		}
	}
	return nil
}
