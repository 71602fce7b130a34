package simulator

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// cache is Crossplane's informer caches: the store as it is, or for kinds whose watch lags as it was.
type cache struct {
	store  *store.Store
	frozen map[schema.GroupVersionKind]map[store.Key]*unstructured.Unstructured
}

func newCache(s *store.Store) *cache {
	return &cache{store: s, frozen: map[schema.GroupVersionKind]map[store.Key]*unstructured.Unstructured{}}
}

// freeze keeps what the cache has of a kind from now on. Stored objects never change in place, so references will do.
func (c *cache) freeze(kind schema.GroupVersionKind) {
	if _, already := c.frozen[kind]; already {
		return
	}
	objects := map[store.Key]*unstructured.Unstructured{}
	for _, o := range c.store.List(kind, "") {
		objects[store.KeyOf(o)] = o
	}
	c.frozen[kind] = objects
}

func (c *cache) thaw() { clear(c.frozen) }

func (c *cache) get(key store.Key) *unstructured.Unstructured {
	if objects, stale := c.frozen[key.GVK]; stale {
		return objects[key]
	}
	return c.store.Peek(key)
}

func (c *cache) list(kind schema.GroupVersionKind, namespace string) []*unstructured.Unstructured {
	objects, stale := c.frozen[kind]
	if !stale {
		return c.store.List(kind, namespace)
	}
	var out []*unstructured.Unstructured
	for key, o := range objects {
		if namespace == "" || key.Namespace == namespace {
			out = append(out, o)
		}
	}
	store.Sort(out)
	return out
}
