package previous

import (
	"hash/maphash"
	"math/bits"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/lru"
)

// A Memory of what was recovered: recovering is the larger part of a call that changes nothing. Nil remembers nothing.
//
// It goes by the content of the observed object and not by its UID and resourceVersion: an etcd that was restored from a
// snapshot gives the same ones again.
type Memory struct {
	seed    maphash.Seed
	intents *lru.Cache
}

// NewMemory of the intents of at most so many objects.
func NewMemory(size int) *Memory {
	return &Memory{seed: maphash.MakeSeed(), intents: lru.New(size)}
}

// Intent recovers the intent of an observed object, see the function Intent. It is shared: do not change it.
func (m *Memory) Intent(observed *unstructured.Unstructured) (map[string]any, error) {
	if m == nil {
		return Intent(observed)
	}
	key := m.sum(observed.Object)
	if known, ok := m.intents.Get(key); ok {
		intent, _ := known.(map[string]any)
		return intent, nil
	}
	intent, err := Intent(observed)
	if err != nil {
		return nil, err
	}
	m.intents.Add(key, intent)
	return intent, nil
}

// sum of a value's content. The order of a map's keys does not matter, so that they need not be sorted.
func (m *Memory) sum(value any) uint64 {
	switch v := value.(type) {
	case map[string]any:
		total := uint64(len(v))
		for key, item := range v {
			total += mix(maphash.String(m.seed, key), m.sum(item))
		}
		return mix(total, 1)
	case []any:
		total := uint64(len(v))
		for _, item := range v {
			total = mix(total, m.sum(item))
		}
		return mix(total, 2)
	case string:
		return maphash.String(m.seed, v)
	}
	return maphash.Comparable(m.seed, value)
}

// mix two sums into one that depends on their order.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0x9e3779b97f4a7c15, bits.RotateLeft64(b, 32)^0xd1b54a32d192ed03)
	return high ^ low ^ b
}
