package store

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// validate knows the rules of the API server that this project runs into. before is nil for what is created.
func validate(key Key, before, after *unstructured.Unstructured) error {
	if err := oneController(key, after); err != nil {
		return err
	}
	if key.GVK.Group != "" {
		return validateFixed(key, before, after)
	}
	switch key.GVK.Kind {
	case kindPod:
		return validatePod(key, before, after)
	case "PersistentVolumeClaim":
		return validateClaim(key, before, after)
	}
	return nil
}

func oneController(key Key, after *unstructured.Unstructured) error {
	first := ""
	for _, r := range listAt(after.Object, "metadata", "ownerReferences") {
		reference, _ := r.(map[string]any)
		if controller, _ := reference["controller"].(bool); !controller {
			continue
		}
		name := stringAt(reference, "kind") + "/" + stringAt(reference, "name")
		if first != "" {
			return invalid(key, `metadata.ownerReferences: Invalid value: [%v]: Only one reference can have Controller set to true. Found "true" in references for %s and %s`,
				listAt(after.Object, "metadata", "ownerReferences"), first, name)
		}
		first = name
	}
	return nil
}

func validatePod(key Key, before, after *unstructured.Unstructured) error {
	for i, c := range listAt(after.Object, "spec", "containers") {
		container, _ := c.(map[string]any)
		if stringAt(container, "image") == "" {
			return invalid(key, "spec.containers[%d].image: Required value", i)
		}
		for _, name := range []string{"cpu", "memory"} {
			request, limit := stringAt(container, "resources", "requests", name), stringAt(container, "resources", "limits", name)
			if greater(request, limit) {
				return invalid(key, "spec.containers[%d].resources.requests: Invalid value: %q: must be less than or equal to %s limit of %s", i, request, name, limit)
			}
		}
	}
	if before == nil || Same(mutable(before), mutable(after)) {
		return nil
	}
	return invalid(key, "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"+
		"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)")
}

// mutable is the Pod's spec without the fields that may change: images, and the node that the scheduler binds.
func mutable(pod *unstructured.Unstructured) any {
	spec, _ := pod.Object["spec"].(map[string]any)
	fixed := make(map[string]any, len(spec))
	for k, v := range spec {
		switch k {
		case "nodeName", "tolerations", "activeDeadlineSeconds":
		case "containers":
			fixed[k] = withoutImages(v)
		default:
			fixed[k] = v
		}
	}
	return fixed
}

func withoutImages(containers any) []any {
	list, _ := containers.([]any)
	out := make([]any, 0, len(list))
	for _, c := range list {
		container, _ := c.(map[string]any)
		fixed := make(map[string]any, len(container))
		for k, v := range container {
			if k != "image" {
				fixed[k] = v
			}
		}
		out = append(out, fixed)
	}
	return out
}

func validateClaim(key Key, before, after *unstructured.Unstructured) error {
	size := stringAt(after.Object, "spec", "resources", "requests", "storage")
	quantity, err := resource.ParseQuantity(size)
	switch {
	case size == "":
		return invalid(key, "spec.resources[storage]: Required value")
	case err != nil:
		return invalid(key, "spec.resources.requests.storage: Invalid value: %q: %s", size, err)
	case quantity.Sign() <= 0:
		return invalid(key, "spec.resources[storage]: Invalid value: %q: must be greater than zero", size)
	case before == nil:
		return nil
	}
	// The binder names the volume, and the class is filled in later when there was no default one.
	filled := []string{"volumeName"}
	if stringAt(before.Object, "spec", "storageClassName") == "" {
		filled = append(filled, "storageClassName")
	}
	if sameExcept(specOf(before), specOf(after), filled...) {
		return nil
	}
	if stringAt(before.Object, "status", "phase") != "Bound" || !sameExcept(specOf(before), specOf(after), append(filled, "resources")...) {
		return invalid(key, "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims")
	}
	if greater(stringAt(before.Object, "status", "capacity", "storage"), size) {
		return invalid(key, "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity")
	}
	return nil
}

func specOf(object *unstructured.Unstructured) map[string]any {
	spec, _ := object.Object["spec"].(map[string]any)
	return spec
}

// greater compares two quantities; one that is absent or malformed is not compared.
func greater(a, b string) bool {
	x, err := resource.ParseQuantity(a)
	if err != nil {
		return false
	}
	y, err := resource.ParseQuantity(b)
	return err == nil && x.Cmp(y) > 0
}
