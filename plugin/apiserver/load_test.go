package apiserver

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// load a cluster from its file: every object as it is there, with its status and managed fields. The API server gives
// each a UID of its own, and wherever the old one stands the new one is put.
func (s *server) load(t *testing.T, name string) {
	t.Helper()
	objects := fixture.Load(t, name)
	uids := map[string]string{}
	// Owners refer to nobody, so a composite comes before what it composes, and the claim before who knows its UID.
	slices.SortStableFunc(objects, func(a, b *unstructured.Unstructured) int { return rank(a) - rank(b) })
	for _, object := range objects {
		if strings.HasSuffix(object.GetKind(), "ProviderConfig") {
			// Only the provider reads it.
			continue
		}
		of := renewed(t, object, uids)
		for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp"} {
			unstructured.RemoveNestedField(of.Object, "metadata", field)
		}
		created, err := s.of(of).Create(t.Context(), of, metav1.CreateOptions{FieldManager: "kubectl-create"})
		if apierrors.IsAlreadyExists(err) {
			continue
		}
		if err != nil {
			t.Fatalf("cannot create %s %s: %v", of.GetKind(), of.GetName(), err)
		}
		if uid := string(object.GetUID()); uid != "" {
			uids[uid] = string(created.GetUID())
		}
	}
	for _, object := range objects {
		s.recordOwnUID(t, object, uids)
		status, found := renewed(t, object, uids).Object["status"]
		if !found || strings.HasSuffix(object.GroupVersionKind().Group, "crossplane.io") {
			continue
		}
		s.status(t, object, status)
	}
}

// recordOwnUID in an object whose annotations have it: when it was created, the new one was not known.
func (s *server) recordOwnUID(t *testing.T, object *unstructured.Unstructured, uids map[string]string) {
	t.Helper()
	want := renewed(t, object, uids).GetAnnotations()
	if _, created := uids[string(object.GetUID())]; !created || reflect.DeepEqual(want, object.GetAnnotations()) {
		return
	}
	live, err := s.of(object).Get(t.Context(), object.GetName(), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	live.SetAnnotations(want)
	if _, err := s.of(object).Update(t.Context(), live, metav1.UpdateOptions{FieldManager: "controller"}); err != nil {
		t.Fatalf("cannot annotate %s %s: %v", object.GetKind(), object.GetName(), err)
	}
}

func rank(object *unstructured.Unstructured) int {
	switch object.GetKind() {
	case "Chroma":
		return 0
	case "PersistentVolumeClaim":
		return 1
	}
	return 2
}

// renewed copy of an object, with the new UIDs.
func renewed(t *testing.T, object *unstructured.Unstructured, uids map[string]string) *unstructured.Unstructured {
	t.Helper()
	raw, err := json.Marshal(object.Object)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for before, after := range uids {
		text = strings.ReplaceAll(text, before, after)
	}
	out := &unstructured.Unstructured{}
	if err := out.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return out
}

func (s *server) of(object *unstructured.Unstructured) dynamic.ResourceInterface {
	plural, _ := meta.UnsafeGuessKindToResource(object.GroupVersionKind())
	if object.GetNamespace() == "" {
		return s.Resource(plural)
	}
	return s.Resource(plural).Namespace(object.GetNamespace())
}

// statusOf an object that carries it.
func (s *server) statusOf(t testing.TB, object *unstructured.Unstructured) {
	t.Helper()
	s.status(t, object, object.Object["status"])
}

// status of a Chroma that is ready, from its file.
func status(t testing.TB) any {
	t.Helper()
	for _, object := range fixture.Load(t, "ready") {
		if object.GetKind() == "Chroma" {
			return object.Object["status"]
		}
	}
	t.Fatal("there is no Chroma in the file")
	return nil
}

// status of an object, set as its controller would.
func (s *server) status(t testing.TB, object *unstructured.Unstructured, status any) {
	t.Helper()
	live, err := s.of(object).Get(t.Context(), object.GetName(), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	live.Object["status"] = status
	if _, err := s.of(object).UpdateStatus(t.Context(), live, metav1.UpdateOptions{FieldManager: "controller"}); err != nil {
		t.Fatalf("cannot set the status of %s %s: %v", object.GetKind(), object.GetName(), err)
	}
}
