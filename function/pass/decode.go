package pass

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Decode an observed object into its type. Its numbers are float64, as protobuf carries them: the accessors of
// unstructured objects read them as 0, the converter copes. An error names the field that cannot be read.
//
// managedFields are left out: they are the larger part of most objects, and the converter encodes them once more. Package
// previous reads them where they are.
func Decode(from *unstructured.Unstructured, into any) error {
	content := from.Object
	if metadata, ok := content["metadata"].(map[string]any); ok && metadata["managedFields"] != nil {
		content = without(content, "managedFields", "metadata")
	}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, into)
	if err == nil {
		return nil
	}
	if path := blame(content, into, nil); path != nil {
		return fmt.Errorf("cannot read %s %q: %s: %w", from.GetKind(), from.GetName(), path, err)
	}
	return fmt.Errorf("cannot read %s %q: %w", from.GetKind(), from.GetName(), err)
}

// blame the field without which the rest can be read: the converter's errors name none.
func blame(content map[string]any, into any, parents []string) *field.Path {
	at := content
	for _, key := range parents {
		at, _ = at[key].(map[string]any)
	}
	for _, key := range slices.Sorted(maps.Keys(at)) {
		if runtime.DefaultUnstructuredConverter.FromUnstructured(without(content, key, parents...), into) != nil {
			continue
		}
		path := append(slices.Clone(parents), key)
		if deeper := blame(content, into, path); deeper != nil {
			return deeper
		}
		return field.NewPath(path[0], path[1:]...)
	}
	return nil
}

// without a key below its parents. Only the maps on the way are copied.
func without(content map[string]any, key string, parents ...string) map[string]any {
	out := maps.Clone(content)
	if len(parents) == 0 {
		delete(out, key)
		return out
	}
	if child, ok := content[parents[0]].(map[string]any); ok {
		out[parents[0]] = without(child, key, parents[1:]...)
	}
	return out
}
