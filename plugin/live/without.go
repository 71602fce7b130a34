package live

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/cluster"
)

// WithoutPod is the view as it would be once the Pod is gone, to ask the function what it would do then.
func (v *View) WithoutPod() *View {
	out := *v
	out.Observed, out.found = maps.Clone(v.Observed), maps.Clone(v.found)
	for role, object := range v.Observed {
		if object.GroupVersionKind() == cluster.Pod() {
			delete(out.Observed, role)
			out.found[keyOf(cluster.Pod(), object.GetNamespace(), object.GetName())] = nil
		}
	}
	if v.Pod != nil {
		out.gone = v.Pod.GetUID()
	}
	out.lists = map[string][]*unstructured.Unstructured{}
	out.Pod = nil
	return &out
}
