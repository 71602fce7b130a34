package upgrade

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/manifest"
)

// question about one Chroma.
type question struct {
	namespace, name string
	// object in the cluster, where it was read already.
	object *unstructured.Unstructured
	// file that is to be laid over it, where there is one.
	file *unstructured.Unstructured
	// image wanted. Empty: the one of the file, or the default.
	image string
}

func about(object *unstructured.Unstructured, image string) question {
	return question{namespace: object.GetNamespace(), name: object.GetName(), object: object, image: image}
}

// read the object as it would be with the file. One that is not there yet has no data to think of.
func (q question) read(ctx context.Context, client *cluster.Client) (*unstructured.Unstructured, error) {
	if q.file == nil {
		return q.object, nil
	}
	found, err := client.Find(ctx, cluster.Chroma(), q.namespace, q.name)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return q.file, nil
	}
	return found, q.lay(found)
}

// lay the file over an object: its spec and the annotations that the function reads. The rest stays, as it does when a
// file is applied.
func (q question) lay(over *unstructured.Unstructured) error {
	if q.file == nil {
		return nil
	}
	spec, _, err := unstructured.NestedMap(over.Object, "spec")
	if err != nil {
		return fmt.Errorf("cannot read the spec of %s: %w", over.GetName(), err)
	}
	wanted, _, err := unstructured.NestedMap(q.file.Object, "spec")
	if err != nil {
		return fmt.Errorf("cannot read the spec of %s: %w", q.file.GetName(), err)
	}
	if spec == nil {
		spec = map[string]any{}
	}
	merge(spec, wanted)
	over.Object["spec"] = spec
	annotations := over.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	for key, value := range q.file.GetAnnotations() {
		if strings.HasPrefix(key, chroma.Group+"/") {
			annotations[key] = value
		}
	}
	over.SetAnnotations(annotations)
	return nil
}

// merge fields into others. Lists are taken as a whole.
func merge(into, from map[string]any) {
	for key, value := range from {
		inner, isMap := value.(map[string]any)
		if present, both := into[key].(map[string]any); both && isMap {
			present = maps.Clone(present)
			merge(present, inner)
			into[key] = present
			continue
		}
		into[key] = value
	}
}

// change a composite to what is asked about.
func (q question) change(xr *unstructured.Unstructured) error {
	if err := q.lay(xr); err != nil {
		return err
	}
	if q.image == "" {
		return nil
	}
	if err := unstructured.SetNestedField(xr.Object, q.image, "spec", "image"); err != nil {
		return fmt.Errorf("cannot set the image: %w", err)
	}
	return nil
}

func distributed(object *unstructured.Unstructured) bool {
	return live.Text(object, "spec", "mode") == string(chroma.ModeDistributed)
}

// questions, and notes about what is left out.
func (o *CheckOptions) questions(ctx context.Context) ([]question, []string, error) {
	if len(o.filenames) > 0 {
		return o.fromFiles()
	}
	if o.name != "" {
		object, err := o.client.Get(ctx, cluster.Chroma(), o.namespace, o.name)
		if err != nil {
			return nil, nil, err
		}
		return []question{about(object, o.image)}, nil, nil
	}
	namespace := o.namespace
	if o.all {
		namespace = ""
	}
	objects, err := o.client.List(ctx, cluster.Chroma(), namespace, o.selector)
	if err != nil {
		return nil, nil, err
	}
	var out []question
	var notes []string
	for _, object := range objects {
		if distributed(object) {
			notes = append(notes, leftOut(object))
			continue
		}
		out = append(out, about(object, o.image))
	}
	return out, notes, nil
}

// leftOut says that a distributed Chroma is.
func leftOut(object *unstructured.Unstructured) string {
	return fmt.Sprintf("%s/%s is left out: it is distributed, and has a version instead of an image", object.GetNamespace(), object.GetName())
}

// fromFiles asks about the Chroma of the files.
func (o *CheckOptions) fromFiles() ([]question, []string, error) {
	objects, err := manifest.Read(o.factory.Streams.In, false, o.filenames...)
	if err != nil {
		return nil, nil, err
	}
	var out []question
	var notes []string
	for _, object := range objects {
		if object.GroupVersionKind().GroupKind() != cluster.Chroma().GroupKind() {
			continue
		}
		if object.GetNamespace() == "" {
			object.SetNamespace(o.namespace)
		}
		if distributed(object.Unstructured) {
			notes = append(notes, leftOut(object.Unstructured))
			continue
		}
		image := o.image
		if image == "" {
			image = live.Text(object.Unstructured, "spec", "image")
		}
		out = append(out, question{namespace: object.GetNamespace(), name: object.GetName(), file: object.Unstructured, image: image})
	}
	if len(out) == 0 && len(notes) == 0 {
		return nil, nil, exit.Errorf(exit.Usage, "the files have no %s", chroma.Kind)
	}
	return out, notes, nil
}
