package upgrade

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestWritersOf(t *testing.T) {
	const image, size = `{"f:spec":{"f:image":{}}}`, `{"f:spec":{"f:storage":{"f:size":{}}}}`
	entry := func(manager string, operation metav1.ManagedFieldsOperationType, fields, subresource string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}, Subresource: subresource}
	}
	cases := map[string]struct {
		reason  string
		entries []metav1.ManagedFieldsEntry
		want    []writer
	}{
		"Nobody":      {reason: "An image that nobody set, the default, is anybody's."},
		"Ourselves":   {reason: "The plugin's own field is no conflict.", entries: []metav1.ManagedFieldsEntry{entry("kubectl-chroma", "Apply", image, "")}},
		"Others":      {reason: "Who writes other fields does not matter.", entries: []metav1.ManagedFieldsEntry{entry("argocd-controller", "Apply", size, "")}},
		"Subresource": {reason: "Who writes the status does not write the spec.", entries: []metav1.ManagedFieldsEntry{entry("crossplane", "Apply", image, "status")}},
		"GitOps":      {reason: "A controller sets it back.", entries: []metav1.ManagedFieldsEntry{entry("argocd-controller", "Update", image, "")}, want: []writer{{"argocd-controller", controller}}},
		"File":        {reason: "A file that is applied on the server can be applied again.", entries: []metav1.ManagedFieldsEntry{entry("kubectl", "Apply", image, "")}, want: []writer{{"kubectl", file}}},
		"ClientFile":  {reason: "A file that is applied by the client can be applied again.", entries: []metav1.ManagedFieldsEntry{entry("kubectl-client-side-apply", "Update", image, "")}, want: []writer{{"kubectl-client-side-apply", file}}},
		"Person":      {reason: "An edit is done once.", entries: []metav1.ManagedFieldsEntry{entry("kubectl-edit", "Update", image, "")}, want: []writer{{"kubectl-edit", hand}}},
		"Before":      {reason: "What was there before the first apply is nobody who sets it back.", entries: []metav1.ManagedFieldsEntry{entry("before-first-apply", "Update", image, "")}, want: []writer{{"before-first-apply", hand}}},
		"Lens":        {reason: "An edit in Lens is done once too.", entries: []metav1.ManagedFieldsEntry{entry("node-fetch", "Update", image, "")}, want: []writer{{"node-fetch", hand}}},
		"Sorted": {reason: "All are named, in order.", entries: []metav1.ManagedFieldsEntry{entry("kustomize-controller", "Apply", image, ""), entry("helm", "Update", image, "")},
			want: []writer{{"helm", file}, {"kustomize-controller", controller}}},
		"Browser":   {reason: "So is a dashboard.", entries: []metav1.ManagedFieldsEntry{entry("Mozilla", "Update", image, "")}, want: []writer{{"Mozilla", hand}}},
		"OpenShift": {reason: "oc applies files as kubectl does.", entries: []metav1.ManagedFieldsEntry{entry("oc", "Apply", image, "")}, want: []writer{{"oc", file}}},
		"Unknown":   {reason: "Who is not known may set it back.", entries: []metav1.ManagedFieldsEntry{entry("acme-platform", "Update", image, "")}, want: []writer{{"acme-platform", controller}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: map[string]any{}}
			object.SetManagedFields(tc.entries)
			got, err := writersOf(object)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(writer{})); diff != "" {
				t.Errorf("\n%s\nwritersOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
