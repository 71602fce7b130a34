package report_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/cluster"
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

// report of a cluster by the names of its files.
func report(t *testing.T, server *fixture.Server, args ...string) map[string]string {
	t.Helper()
	got := fixture.Run(t, server, "", append([]string{"report", "demo", "-n", "default", "-f", "-"}, args...)...)
	if got.Code != exit.Fine {
		t.Fatal(got)
	}
	return contents(t, got.Out)
}

func TestReport(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "crash-loop")...)
	server.Fault = log
	files := report(t, server)
	want := []string{
		"crossplane/compositionrevision-chromas.chroma.chromadotnet.org-0000001.yaml", "crossplane/function-function-chroma.yaml",
		"crossplane/functionrevision-function-chroma-abc.yaml", "events.yaml", "logs/demo-1.log", "logs/demo-1.previous.log",
		"objects/chroma-demo.yaml", "objects/configmap-demo-config.yaml", "objects/object-demo-claim.yaml", "objects/object-demo-ledger.yaml",
		"objects/persistentvolumeclaim-demo-1.yaml", "objects/pod-demo-1.yaml", "objects/service-demo-rw.yaml", "status.txt", "status.yaml",
		"surroundings/node-node-1.yaml", "surroundings/storageclass-standard.yaml", "version.yaml",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Errorf("files of the report: -want, +got:\n%s", diff)
	}
	events := fixture.Run(t, server, "", "events", "demo", "-n", "default", "-o", "yaml")
	if diff := cmp.Diff(events.Out, files["events.yaml"]); diff != "" {
		t.Errorf("all events are there: -command, +report:\n%s", diff)
	}
}

func TestReportHasTheRuntimeAndTheInputOfTheFunction(t *testing.T) {
	objects := fixture.Load(t, "ready")
	for _, object := range objects {
		switch object.GetKind() {
		case "CompositionRevision":
			steps, _, _ := unstructured.NestedSlice(object.Object, "spec", "pipeline")
			steps[0].(map[string]any)["input"] = map[string]any{
				"apiVersion": "chroma.fn.crossplane.io/v1beta1", "kind": "Input", "claims": map[string]any{"accessMode": "ReadWriteOncePod"},
			}
			_ = unstructured.SetNestedSlice(object.Object, steps, "spec", "pipeline")
		case "Function":
			_ = unstructured.SetNestedField(object.Object, "tuned", "spec", "runtimeConfigRef", "name")
		}
	}
	runtime := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"serviceTemplate": map[string]any{}}}}
	runtime.SetGroupVersionKind(cluster.DeploymentRuntimeConfig())
	runtime.SetName("tuned")
	server := fixture.Serve(t, append(objects, runtime)...)
	server.Fault = log
	files := report(t, server)
	if text := files["crossplane/compositionrevision-chromas.chroma.chromadotnet.org-0000001.yaml"]; !strings.Contains(text, "accessMode: ReadWriteOncePod") {
		t.Errorf("the Input is there:\n%s", text)
	}
	if _, found := files["crossplane/deploymentruntimeconfig-tuned.yaml"]; !found {
		t.Errorf("the runtime is there: %v", slices.Sorted(maps.Keys(files)))
	}
}

// talking answers each log with the container and whether it is the previous one, as the API server does: of a Pod with
// several containers one must be named.
func talking(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasSuffix(r.URL.Path, "/log") {
		return false
	}
	query := r.URL.Query()
	if query.Get("container") == "" {
		w.WriteHeader(http.StatusBadRequest)
		return true
	}
	_, _ = fmt.Fprintln(w, query.Get("container"), query.Get("previous"))
	return true
}

func TestReportHasTheLogsOfAllContainers(t *testing.T) {
	objects := fixture.Load(t, "crash-loop")
	for _, object := range objects {
		if object.GetKind() == "Pod" {
			containers, _, _ := unstructured.NestedSlice(object.Object, "spec", "containers")
			_ = unstructured.SetNestedSlice(object.Object, append(containers, map[string]any{"name": "proxy"}), "spec", "containers")
			_ = unstructured.SetNestedSlice(object.Object, []any{map[string]any{"name": "init"}}, "spec", "initContainers")
		}
	}
	server := fixture.Serve(t, objects...)
	server.Fault = talking
	got := map[string]string{}
	for name, text := range report(t, server) {
		if strings.HasPrefix(name, "logs/") {
			got[name] = text
		}
	}
	want := map[string]string{
		"logs/demo-1.init.log": "init false\n", "logs/demo-1.chroma.log": "chroma false\n", "logs/demo-1.chroma.previous.log": "chroma true\n",
		"logs/demo-1.proxy.log": "proxy false\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("logs: -want, +got:\n%s", diff)
	}
}

func TestReportOfADistributedChromaHasWhatStandsBelow(t *testing.T) {
	files := report(t, fixture.Serve(t, fixture.Load(t, "distributed-ready")...))
	for _, want := range []string{"objects/statefulset-query-service.yaml", "objects/pod-query-service-1.yaml", "objects/memberlist-query-service-memberlist.yaml"} {
		if files[want] == "" {
			t.Errorf("what nobody composes is part of the picture: want %s among %v", want, slices.Sorted(maps.Keys(files)))
		}
	}
}

func TestLogsThatHangHoldUpNothing(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "distributed-ready")...)
	var lock sync.Mutex
	asked, waiting, most := 0, 0, 0
	server.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/log") {
			return false
		}
		lock.Lock()
		asked, waiting = asked+1, waiting+1
		most = max(most, waiting)
		lock.Unlock()
		fixture.Hang("/log")(w, r)
		lock.Lock()
		waiting--
		lock.Unlock()
		return true
	}
	files := report(t, server, "--request-timeout", "2s")
	lock.Lock()
	defer lock.Unlock()
	if asked < 8 || most != asked {
		t.Errorf("all %d logs are asked for at once, so that they hang at once: %d", asked, most)
	}
	if count := strings.Count(files["notes.txt"], "no answer within 2s"); count != asked || files["status.txt"] == "" {
		t.Errorf("each is a note, and the rest is there: %d notes of %d\n%s", count, asked, files["notes.txt"])
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

func TestReportOverwritesNothing(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	file := filepath.Join(t.TempDir(), "chroma.yaml")
	const manifest = "kind: Chroma\n"
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	got := fixture.Run(t, server, "", "report", "demo", "-n", "default", "-f", file)
	kept, err := os.ReadFile(file)
	if got.Code != exit.Error || !strings.Contains(got.Err, "file exists") || err != nil || string(kept) != manifest {
		t.Errorf("to other commands -f is a manifest, which stays: %q, %v\n%s", kept, err, got)
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

func TestReportLeavesValuesOfTheEnvironmentAndManifestsOfSecretsOut(t *testing.T) {
	objects := fixture.Load(t, "ready")
	secret := map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "key"}, "data": map[string]any{"key": "hunter2"}}
	for _, object := range objects {
		switch object.GetKind() {
		case "Pod":
			containers, _, _ := unstructured.NestedSlice(object.Object, "spec", "containers")
			container := containers[0].(map[string]any)
			container["env"] = []any{map[string]any{"name": "PASSWORD", "value": "hunter2"}, map[string]any{"name": "EMPTY"}}
			container["args"] = []any{"--level=debug"}
			_ = unstructured.SetNestedSlice(object.Object, containers, "spec", "containers")
		case "Object":
			_ = unstructured.SetNestedMap(object.Object, secret, "spec", "forProvider", "manifest")
			_ = unstructured.SetNestedMap(object.Object, secret, "status", "atProvider", "manifest")
		}
	}
	server := fixture.Serve(t, objects...)
	server.Fault = log
	files := report(t, server)
	for name, text := range files {
		if strings.Contains(text, "hunter2") {
			t.Errorf("%s has a secret:\n%s", name, text)
		}
	}
	for name, kept := range map[string]string{"objects/pod-demo-1.yaml": "name: PASSWORD", "objects/object-demo-claim.yaml": "kind: Secret"} {
		if !strings.Contains(files[name], kept) {
			t.Errorf("%s: want %q, got:\n%s", name, kept, files[name])
		}
	}
	// Arguments stay, as the help says.
	if !strings.Contains(files["objects/pod-demo-1.yaml"], "--level=debug") {
		t.Errorf("arguments stay:\n%s", files["objects/pod-demo-1.yaml"])
	}
}

// chatty servers log their flags, as the sysdb does.
func chatty(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasSuffix(r.URL.Path, "/log") {
		return false
	}
	_, _ = fmt.Fprintln(w, "--username=chroma --password=s3cret postgres://chroma:s3cret@db s3://AKIA:a%2Fb%2Bc@bucket secret a/b+c")
	return true
}

// together puts the credentials of Postgres and the bucket into one Secret.
func together(objects []*unstructured.Unstructured) {
	for _, object := range objects {
		switch {
		case object.GetKind() == "Chroma":
			_ = unstructured.SetNestedField(object.Object, "pg", "spec", "distributed", "objectStorage", "s3", "credentialsSecret", "name")
		case object.GetKind() == "Secret" && object.GetName() == "pg":
			_ = unstructured.SetNestedField(object.Object, "QUtJQQ==", "data", "accessKeyId")
			_ = unstructured.SetNestedField(object.Object, "YS9iK2M=", "data", "secretAccessKey")
		}
	}
}

func TestReportLeavesCredentialsInLogsOut(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(objects []*unstructured.Unstructured)
		fault  fixture.Fault
		logs   bool
		note   string
	}{
		"Known":     {reason: "What the Secrets have is left out of the logs.", fault: chatty, logs: true},
		"OneSecret": {reason: "Postgres and the bucket may have their credentials in one Secret.", change: together, fault: chatty, logs: true},
		"Unknown": {reason: "Who may not read the Secrets gets no logs.", fault: func(w http.ResponseWriter, r *http.Request) bool {
			return chatty(w, r) || fixture.Forbid("/secrets")(w, r)
		}, note: "the logs are left out"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects := fixture.Load(t, "distributed-ready")
			for _, object := range objects {
				if object.GetKind() == "Pod" {
					states, _, _ := unstructured.NestedSlice(object.Object, "status", "containerStatuses")
					for _, one := range states {
						_ = unstructured.SetNestedField(one.(map[string]any), "--password=s3cret", "lastState", "terminated", "message")
					}
					_ = unstructured.SetNestedSlice(object.Object, states, "status", "containerStatuses")
				}
			}
			if tc.change != nil {
				tc.change(objects)
			}
			server := fixture.Serve(t, objects...)
			server.Fault = tc.fault
			files := report(t, server)
			logs := false
			for file, text := range files {
				logs = logs || strings.HasPrefix(file, "logs/") && strings.Contains(text, "--password=<left out>")
				for _, secret := range []string{"s3cret", "a/b+c", "a%2Fb%2Bc"} {
					if strings.Contains(text, secret) {
						t.Errorf("\n%s\n%s has a credential:\n%s", tc.reason, file, text)
					}
				}
			}
			if logs != tc.logs || !strings.Contains(files["notes.txt"], tc.note) {
				t.Errorf("\n%s\nwant logs %v and the note %q, got %v and:\n%s", tc.reason, tc.logs, tc.note, logs, files["notes.txt"])
			}
		})
	}
}
