package apiserver

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

const (
	repository = "docker.io/chromadb/chroma:"
	namespace  = "default"
)

// chroma of a name with labels.
func chroma(name string, labels map[string]string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"storage": map[string]any{"size": "10Gi"}}}}
	u.SetGroupVersionKind(cluster.Chroma())
	u.SetNamespace(namespace)
	u.SetName(name)
	u.SetLabels(labels)
	return u
}

func (s *server) create(t testing.TB, object *unstructured.Unstructured) {
	t.Helper()
	if _, err := s.of(object).Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (s *server) get(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	got, err := s.Resource(chromas()).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func want(t *testing.T, got fixture.Result, code exit.Code, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(got.Out+got.Err, word) {
			t.Errorf("want %q, got:\n%s", word, got)
		}
	}
	if got.Code != code {
		t.Errorf("want exit code %d, got:\n%s", code, got)
	}
}

// managers of spec.image.
func managers(of *unstructured.Unstructured) []string {
	var out []string
	for _, entry := range of.GetManagedFields() {
		if strings.Contains(string(entry.FieldsV1.Raw), `"f:image"`) && entry.Subresource == "" {
			out = append(out, entry.Manager)
		}
	}
	return out
}

// TestCommands runs what the fake API server cannot know.
func TestCommands(t *testing.T) {
	s := start(t)
	s.load(t, "ready")

	t.Run("TheWholeViewIsThatOfTheFile", func(t *testing.T) {
		got := s.run(t, "status", "demo")
		want(t, got, exit.Fine, "docker.io/chromadb/chroma:1.5.9 runs, on data that Chroma 1.5.9 has opened.", "Bound", "Running, ready")
		if strings.Contains(got.Out, "\nNotes\n") || strings.Contains(got.Out, "The function would now say") {
			t.Errorf("nothing differs from what stands in the cluster: %s", got)
		}
	})
	t.Run("CheckGivesTheRule", func(t *testing.T) {
		want(t, s.run(t, "upgrade", "check", "demo", "--image", repository+"1.5.8"), exit.Refused, "Downgrade")
		want(t, s.run(t, "upgrade", "check", "-A", "--image", repository+"1.5.10"), exit.Fine, "yes")
	})
	t.Run("PlanPlaysTheLiveObjects", func(t *testing.T) {
		want(t, s.run(t, "upgrade", "plan", "demo", "--image", repository+"1.5.10"), exit.Fine, "There is no server for")
	})
	t.Run("AKindThatIsNotServedIsNamed", func(t *testing.T) {
		want(t, s.run(t, "logs", "vor/x"), exit.Usage, "ValdOperatorRelease")
		want(t, s.run(t, "status", "nobody"), exit.Error, `"nobody" not found`)
	})
	t.Run("DryRunOfTheServerChangesNothing", func(t *testing.T) {
		before := s.get(t, "demo").GetResourceVersion()
		apply := []string{"upgrade", "apply", "demo", "--image", repository + "1.5.10", "--check-registry=false", "--dry-run=server"}
		want(t, s.run(t, apply...), exit.Fine, "applied (server dry run)")
		want(t, s.run(t, "delete", "demo", "--delete-data", "--dry-run=server"), exit.Fine, "deleted (server dry run)")
		want(t, s.run(t, "restart", "demo", "--dry-run=server"), exit.Fine, "deleted (server dry run)")
		if after := s.get(t, "demo").GetResourceVersion(); after != before {
			t.Errorf("the Chroma was written: %s, then %s", before, after)
		}
		// The schema of the kind has its say in a dry run.
		apply[4] = strings.Repeat("x", 3000)
		if got := s.run(t, apply...); got.Code != exit.Refused {
			t.Errorf("want a refusal, got %s", got)
		}
	})
	t.Run("AQuotaIsSeenBefore", func(t *testing.T) {
		s.create(t, object(t, `{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"small","namespace":"default"},
			"spec":{"limits":[{"type":"Pod","max":{"memory":"1Mi"}}]}}`))
		defer func() {
			_ = s.of(object(t, `{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"small","namespace":"default"}}`)).Delete(t.Context(), "small", metav1.DeleteOptions{})
		}()
		want(t, s.run(t, "upgrade", "apply", "demo", "--image", repository+"1.5.10", "--check-registry=false", "-y"), exit.Refused, "maximum memory usage per Pod is 1Mi")
	})
	t.Run("ConflictsAreTakenOverOnlyWhenAsked", func(t *testing.T) {
		intent := object(t, `{"apiVersion":"chroma.chromadotnet.org/v1alpha1","kind":"Chroma","metadata":{"name":"demo","namespace":"default"},
			"spec":{"image":"`+repository+`1.5.9"}}`)
		if _, err := s.of(intent).Apply(t.Context(), "demo", intent, metav1.ApplyOptions{FieldManager: "argocd-controller", Force: true}); err != nil {
			t.Fatal(err)
		}
		apply := []string{"upgrade", "apply", "demo", "--image", repository + "1.5.10", "--check-registry=false", "-y"}
		want(t, s.run(t, apply...), exit.Refused, "spec.image is written by argocd-controller", "--force-conflicts")
		want(t, s.run(t, append(apply, "--force-conflicts")...), exit.Fine, "chroma default/demo applied")
		if got := managers(s.get(t, "demo")); fmt.Sprint(got) != "[kubectl-chroma]" {
			t.Errorf("want the image to be the plugin's own, got %v", got)
		}
	})
	t.Run("AnnotationsCarryTheManager", func(t *testing.T) {
		want(t, s.run(t, "upgrade", "apply", "demo", "--image", repository+"1.5.9", "--check-registry=false", "-y"), exit.Fine)
		want(t, s.run(t, "allow", "downgrade", "demo", "--image", repository+"1.5.8", "-y"), exit.Fine, "changed")
		of := s.get(t, "demo")
		if of.GetAnnotations()["chroma.chromadotnet.org/allow-downgrade"] != "true" {
			t.Errorf("annotations: %v", of.GetAnnotations())
		}
		want(t, s.run(t, "allow", "downgrade", "demo", "--revoke"), exit.Fine, "changed")
	})
	t.Run("AnotherOfTheNameIsNotChanged", func(t *testing.T) {
		client, err := cluster.New(s.config)
		if err != nil {
			t.Fatal(err)
		}
		streams, _, _, _ := genericiooptions.NewTestIOStreams()
		o := change.Options{Streams: streams, DryRun: change.None}
		before := s.get(t, "demo")
		earlier := before.DeepCopy()
		earlier.SetUID("00000000-0000-4000-8000-000000000000")
		for what, err := range map[string]error{
			"patch":    o.Annotate(t.Context(), client, change.Of(earlier), map[string]any{"example.org/changed": "yes"}),
			"deletion": o.Delete(t.Context(), client, earlier),
		} {
			if exit.CodeOf(err) != exit.Refused || !strings.Contains(err.Error(), "created again in the meantime") {
				t.Errorf("the %s: %v", what, err)
			}
		}
		if after := s.get(t, "demo"); after.GetResourceVersion() != before.GetResourceVersion() {
			t.Errorf("it was changed: %v", after.GetAnnotations())
		}
	})
	t.Run("LabelsSelect", func(t *testing.T) {
		s.create(t, chroma("red-1", map[string]string{"team": "red"}))
		s.create(t, chroma("blue-1", map[string]string{"team": "blue"}))
		got := s.run(t, "status", "-A", "-l", "team=red", "-o", "name")
		if got.Out != "chroma/red-1\n" {
			t.Errorf("want one, got %s", got)
		}
		want(t, s.run(t, "status", "-A", "-l", "team in (red"), exit.Usage, "--selector")
	})
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return u
}
