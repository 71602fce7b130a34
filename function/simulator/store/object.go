package store

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Key names one object.
type Key struct {
	GVK       schema.GroupVersionKind
	Namespace string
	Name      string
}

// String is the key as kubectl would write it, with the namespace in front when there is one.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.GVK.Kind + " " + k.Name
	}
	return k.GVK.Kind + " " + k.Namespace + "/" + k.Name
}

// KeyOf an object.
func KeyOf(object *unstructured.Unstructured) Key {
	return Key{GVK: object.GroupVersionKind(), Namespace: object.GetNamespace(), Name: object.GetName()}
}

// Kind is a GroupVersionKind from an apiVersion and a kind.
func Kind(apiVersion, kind string) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

// Same says whether two JSON values are equal. A missing and an empty map differ, as they do in JSON.
func Same(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			w, found := y[k]
			if !found || !Same(v, w) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !Same(x[i], y[i]) {
				return false
			}
		}
		return true
	default:
		return a == b
	}
}

// sameExcept is Same for two maps, without the named keys.
func sameExcept(a, b map[string]any, ignored ...string) bool {
	return containsAll(a, b, ignored) && containsAll(b, a, ignored)
}

func containsAll(a, b map[string]any, ignored []string) bool {
next:
	for k, v := range a {
		for _, i := range ignored {
			if k == i {
				continue next
			}
		}
		w, found := b[k]
		if !found || !Same(v, w) {
			return false
		}
	}
	return true
}

// metadataOf an object, which may be shared: read only.
func metadataOf(object *unstructured.Unstructured) map[string]any {
	m, _ := object.Object["metadata"].(map[string]any)
	return m
}

// at reads a nested value without copying it.
func at(object map[string]any, path ...string) any {
	var value any = object
	for _, p := range path {
		m, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = m[p]
	}
	return value
}

func stringAt(object map[string]any, path ...string) string {
	s, _ := at(object, path...).(string)
	return s
}

func listAt(object map[string]any, path ...string) []any {
	l, _ := at(object, path...).([]any)
	return l
}

// Matches says whether the object has all the labels.
func Matches(object *unstructured.Unstructured, labels map[string]string) bool {
	for k, v := range labels {
		if w, found := at(object.Object, "metadata", "labels", k).(string); !found || w != v {
			return false
		}
	}
	return true
}

// Less orders keys by kind, namespace and name.
func (k Key) Less(other Key) bool {
	if k.GVK.Kind != other.GVK.Kind {
		return k.GVK.Kind < other.GVK.Kind
	}
	if k.Namespace != other.Namespace {
		return k.Namespace < other.Namespace
	}
	if k.Name != other.Name {
		return k.Name < other.Name
	}
	return strings.Compare(k.GVK.Group+k.GVK.Version, other.GVK.Group+other.GVK.Version) < 0
}

// resource is the plural, lower case name that the API server's errors use.
func (k Key) resource() schema.GroupResource {
	plural, _ := meta.UnsafeGuessKindToResource(k.GVK)
	return plural.GroupResource()
}
