package schema

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/lru"

	"github.com/function-chroma/function-chroma/function/pass"
)

// patience with a field that is written and does not appear. A written status starts the next pass at once; a refused
// one is tried again after 1, 2, 4, 8 s.
const patience = 3 * time.Second

// A Memory of the fields that were written and did not appear. Nothing on the XR tells of a refused status: Crossplane
// 2.3 writes its own conditions together with it, and so loses them too.
type Memory struct {
	missing *lru.Cache
}

// missing field of an XR, and since when.
type missing struct {
	path  string
	since time.Time
}

// NewMemory of at most so many XRs.
func NewMemory(size int) *Memory { return &Memory{missing: lru.New(size)} }

// doubts the definition: a field of the status has been missing for longer than it takes to be written.
func (m *Memory) doubts(request pass.Request, status any) bool {
	observed, _, _ := unstructured.NestedFieldNoCopy(request.XR.Object, "status")
	path := lacks(observed, status, "status")
	uid := request.XR.GetUID()
	if path == "" {
		m.missing.Remove(uid)
		return false
	}
	if known := m.known(uid); known.path == path {
		return request.Now.Sub(known.since) > patience
	}
	m.missing.Add(uid, missing{path: path, since: request.Now})
	return false
}

func (m *Memory) known(uid types.UID) missing {
	value, _ := m.missing.Get(uid)
	known, _ := value.(missing)
	return known
}

// lacks names the first field, in the order of names, that is wanted and not observed. Values do not matter.
func lacks(observed, wanted any, path string) string {
	switch w := wanted.(type) {
	case map[string]any:
		o, _ := observed.(map[string]any)
		first := ""
		for key, value := range w {
			inside := path + "." + key
			if item, there := o[key]; there {
				inside = lacks(item, value, inside)
			}
			if inside != "" && (first == "" || inside < first) {
				first = inside
			}
		}
		return first
	case []any:
		o, _ := observed.([]any)
		for i, value := range w {
			if i >= len(o) {
				return ""
			}
			if inside := lacks(o[i], value, path+"[]"); inside != "" {
				return inside
			}
		}
	}
	return ""
}
