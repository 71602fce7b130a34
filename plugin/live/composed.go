package live

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/plugin/cluster"
)

const (
	// AnnotationRole of a composed object.
	AnnotationRole = "crossplane.io/composition-resource-name"
	// labelComposite is what Crossplane puts on everything that a composite composes.
	labelComposite = "crossplane.io/composite"
	// few objects of one kind are read one by one, which the rights of a narrow role allow. More are listed.
	few = 3
)

func byKind(references []Reference) map[schema.GroupVersionKind][]Reference {
	out := map[schema.GroupVersionKind][]Reference{}
	for _, reference := range references {
		out[reference.Kind] = append(out[reference.Kind], reference)
	}
	return out
}

// readComposed objects of a kind.
func (v *View) readComposed(ctx context.Context, client *cluster.Client, kind schema.GroupVersionKind, references []Reference) {
	if len(references) <= few {
		var group sync.WaitGroup
		for _, reference := range references {
			group.Go(func() {
				object, err := v.fetch(ctx, client, kind, reference.Namespace, reference.Name)
				v.note(err)
				v.observe(object)
			})
		}
		group.Wait()
		return
	}
	objects, err := client.List(ctx, kind, v.Namespace(), labelComposite+"="+v.XR.GetName())
	v.note(err)
	referred := make(map[string]bool, len(references))
	for _, reference := range references {
		referred[reference.Name] = true
	}
	for _, object := range objects {
		if referred[object.GetName()] {
			v.observe(object)
		}
	}
}

// observe a composed object, if it is there.
func (v *View) observe(object *unstructured.Unstructured) {
	if object == nil {
		return
	}
	if role := object.GetAnnotations()[AnnotationRole]; role != "" {
		v.lock.Lock()
		v.Observed[role] = object
		v.lock.Unlock()
	}
}
