package report_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// contents of a report by name.
func contents(t *testing.T, archive string) map[string]string {
	t.Helper()
	reader, err := zip.NewReader(bytes.NewReader([]byte(archive)), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, file := range reader.File {
		opened, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		out[file.Name] = string(text)
	}
	return out
}

func log(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasSuffix(r.URL.Path, "/log") {
		return false
	}
	_, _ = fmt.Fprintln(w, "Listening on 0.0.0.0:8000")
	return true
}

func TestReport(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	server.Fault = log
	got := fixture.Run(t, server, "", "report", "demo", "-n", "default", "-f", "-")
	if got.Code != exit.Fine {
		t.Fatal(got)
	}
	files := contents(t, got.Out)
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{
		"crossplane/function-function-chroma.yaml", "logs/demo-1.log", "logs/demo-1.previous.log", "objects/chroma-demo.yaml", "objects/configmap-demo-config.yaml",
		"objects/object-demo-claim.yaml", "objects/object-demo-ledger.yaml", "objects/persistentvolumeclaim-demo-1.yaml", "objects/pod-demo-1.yaml",
		"objects/service-demo-rw.yaml", "status.txt", "status.yaml", "version.yaml",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("files of the report: -want, +got:\n%s", diff)
	}
}

func TestReportGoesOnWherePermissionsEnd(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	server.Fault = fixture.Forbid("/pods")
	got := fixture.Run(t, server, "", "report", "demo", "-n", "default", "-f", filepath.Join(t.TempDir(), "out.zip"))
	if got.Code != exit.Fine {
		t.Fatal(got)
	}
	got = fixture.Run(t, server, "", "report", "demo", "-n", "default", "-f", "-")
	if notes := contents(t, got.Out)["notes.txt"]; !strings.Contains(notes, `cannot get resource "pods"`) {
		t.Errorf("what may not be read is in the notes: %q", notes)
	}
}

func TestReportLeavesSecretsOut(t *testing.T) {
	objects := fixture.Load(t, "ready")
	for _, object := range objects {
		if object.GetKind() == "ConfigMap" {
			// A composed object that is a Secret, with the name and the role of this one.
			object.Object["stringData"] = map[string]any{"password": "hunter2"}
			object.Object["kind"] = "Secret"
			object.SetAnnotations(map[string]string{"crossplane.io/composition-resource-name": "config", "kubectl.kubernetes.io/last-applied-configuration": "hunter2"})
		}
		if object.GetKind() == "Chroma" {
			references, _, _ := unstructured.NestedSlice(object.Object, "spec", "crossplane", "resourceRefs")
			for _, reference := range references {
				if fields := reference.(map[string]any); fields["kind"] == "ConfigMap" {
					fields["kind"] = "Secret"
				}
			}
			_ = unstructured.SetNestedSlice(object.Object, references, "spec", "crossplane", "resourceRefs")
		}
	}
	server := fixture.Serve(t, objects...)
	server.Fault = log
	files := contents(t, fixture.Run(t, server, "", "report", "demo", "-n", "default", "-f", "-").Out)
	if _, found := files["objects/secret-demo-config.yaml"]; !found {
		t.Fatal("the Secret is in the report, without its data")
	}
	for name, text := range files {
		if strings.Contains(text, "hunter2") {
			t.Errorf("%s has a secret:\n%s", name, text)
		}
	}
}
