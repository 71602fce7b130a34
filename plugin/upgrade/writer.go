package upgrade

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/function-chroma/function-chroma/plugin/cluster"
)

// A writer of spec.image besides this plugin.
type writer struct {
	name string
	kind kind
}

// kind of a writer, by what becomes of another image.
type kind int

const (
	// hand is an edit of a person, which is done once.
	hand kind = iota
	// file is one that a person has applied, and may apply again.
	file
	// controller sets the image back by itself.
	controller
)

// writersOf the image, from the managed fields of the object, each once and in the order of their names.
func writersOf(object *unstructured.Unstructured) ([]writer, error) {
	image := fieldpath.MakePathOrDie("spec", "image")
	var out []writer
	for _, entry := range object.GetManagedFields() {
		if entry.FieldsV1 == nil || entry.Subresource != "" || entry.Manager == cluster.Manager {
			continue
		}
		fields := fieldpath.Set{}
		if err := fields.FromJSON(bytes.NewReader(entry.FieldsV1.Raw)); err != nil {
			return nil, fmt.Errorf("cannot read who writes the fields of %s: %w", object.GetName(), err)
		}
		one := writer{name: entry.Manager, kind: kindOf(entry)}
		if fields.Has(image) && !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b writer) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// kindOf a writer. kubectl's managers begin with its name; those of apply stand for a file. Who is not known may be one
// that sets it back.
func kindOf(entry metav1.ManagedFieldsEntry) kind {
	// What was there before the first apply, and the editors of Lens and of dashboards in a browser.
	byHand := []string{"before-first-apply", "node-fetch", "Mozilla"}
	switch {
	case slices.Contains(byHand, entry.Manager):
		return hand
	case !strings.HasPrefix(entry.Manager, "kubectl"):
		return controller
	case entry.Operation == metav1.ManagedFieldsOperationApply || entry.Manager == "kubectl-client-side-apply":
		return file
	}
	return hand
}

// names of the writers of a kind, joined for a sentence.
func names(of []writer, kind kind) string {
	var out []string
	for _, one := range of {
		if one.kind == kind {
			out = append(out, one.name)
		}
	}
	return strings.Join(out, " and ")
}
