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

// kindOf a writer. kubectl's managers begin with its name; those of apply stand for a file. Who is not known is taken for
// a controller.
func kindOf(entry metav1.ManagedFieldsEntry) kind {
	applied := entry.Operation == metav1.ManagedFieldsOperationApply
	switch entry.Manager {
	case "kubectl-client-side-apply", "helm", "Terraform", "HashiCorp", "pulumi-kubernetes":
		// Whoever runs them again sets the image again, and not before.
		return file
	case "before-first-apply", "node-fetch", "Mozilla", "k9s", "headlamp", "oc", "curl":
		// What stood there before anybody applied; Lens; dashboards in a browser and in a terminal.
		if !applied {
			return hand
		}
		return file
	}
	switch {
	case !strings.HasPrefix(entry.Manager, "kubectl"):
		return controller
	case applied:
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
