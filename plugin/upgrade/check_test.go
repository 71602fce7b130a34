package upgrade_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

const repository = "docker.io/chromadb/chroma:"

func TestCheck(t *testing.T) {
	cases := map[string]struct{ state, image string }{
		"newer":           {"ready", repository + "1.5.10"},
		"same":            {"ready", repository + "1.5.9"},
		"older":           {"ready", repository + "1.5.8"},
		"older-format":    {"ready", repository + "1.4.1"},
		"vecturadb":       {"ready", "ghcr.io/vecturadb/vecturadb:1.0.0-preview.3"},
		"not-allowed":     {"ready", "example.org/chroma:1.5.9"},
		"without-version": {"ready", repository + "latest"},
		"incident":        {"incident", repository + "1.5.9"},
		"claim-lost":      {"claim-lost", repository + "1.5.9"},
		"claim-backed":    {"claim-backed", repository + "1.5.8"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.state)...)
			got := fixture.Run(t, server, "", "upgrade", "check", "demo", "-n", "default", "--image", tc.image)
			fixture.Golden(t, "check/"+name+".txt", got.String())
			if writes := server.Writes(); len(writes) > 0 {
				t.Errorf("a check writes nothing, and wrote %v", writes)
			}
			for _, request := range server.Requests() {
				if strings.HasSuffix(request, "/events") {
					t.Errorf("a check reads no events: %s", request)
				}
			}
		})
	}
}

func TestCheckOfADistributedChromaSaysWhatToDoInstead(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "distributed-ready")...)
	got := fixture.Run(t, server, "", "upgrade", "check", "demo", "-n", "default", "--image", repository+"1.5.9")
	fixture.Golden(t, "check/distributed.txt", got.String())
	if got.Code != exit.Usage || strings.Count(got.Err, "default/demo") != 1 || !strings.Contains(got.Err, "spec.distributed.version") {
		t.Errorf("want it named once, and its version, got:\n%s", got)
	}
}

// answers of a check as a program reads them.
func answers(t *testing.T, got fixture.Result) v1.UpgradeCheckList {
	t.Helper()
	var list v1.UpgradeCheckList
	if err := json.Unmarshal([]byte(got.Out), &list); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	return list
}

func TestCheckAsADocumentSaysWhatTheTextSays(t *testing.T) {
	for name, image := range map[string]string{"older": repository + "1.5.8", "newer": repository + "1.5.10"} {
		server := fixture.Serve(t, fixture.Load(t, "ready")...)
		fixture.Golden(t, "check/"+name+".json", fixture.Run(t, server, "", "upgrade", "check", "demo", "-n", "default", "--image", image, "-o", "json").Out)
	}
}

// elsewhere is the Chroma of the cluster once more, in another namespace.
func elsewhere(t *testing.T, objects []*unstructured.Unstructured, namespace string, change func(spec map[string]any)) *unstructured.Unstructured {
	t.Helper()
	for _, object := range objects {
		if object.GetKind() == "Chroma" {
			out := object.DeepCopy()
			out.SetNamespace(namespace)
			spec, _ := out.Object["spec"].(map[string]any)
			change(spec)
			return out
		}
	}
	t.Fatal("there is no Chroma")
	return nil
}

func TestOneThatCannotBeCheckedKeepsTheOthersFromNothing(t *testing.T) {
	same := func(map[string]any) {}
	cases := map[string]struct {
		reason string
		change func(map[string]any)
		fault  fixture.Fault
		want   string
	}{
		"Forbidden":   {reason: "A namespace that cannot be read.", change: same, fault: fixture.Forbid("/namespaces/other/persistentvolumeclaims"), want: `cannot get resource "persistentvolumeclaims"`},
		"Broken":      {reason: "A read that fails.", change: same, fault: fixture.Break("/namespaces/other/persistentvolumeclaims"), want: "etcd has no leader"},
		"Undecodable": {reason: "A spec that is of another version.", change: func(spec map[string]any) { spec["storage"] = "10Gi" }, want: "cannot read Chroma demo"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects := fixture.Load(t, "ready")
			server := fixture.Serve(t, append(objects, elsewhere(t, objects, "other", tc.change))...)
			server.Fault = tc.fault
			got := fixture.Run(t, server, "", "upgrade", "check", "-A", "--image", repository+"1.5.8")
			for _, want := range []string{"chroma:1.5.9   no          Downgrade", "other       demo   chroma:1.5.9   not known"} {
				if !strings.Contains(got.Out, want) {
					t.Errorf("\n%s\nwant a row %q, got:\n%s", tc.reason, want, got)
				}
			}
			if got.Code != exit.Error || !strings.Contains(got.Err, "cannot check Chroma other/demo: ") || !strings.Contains(got.Err, tc.want) {
				t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, exit.Error, tc.want, got)
			}
			list := answers(t, fixture.Run(t, server, "", "upgrade", "check", "-A", "--image", repository+"1.5.9", "-o", "json"))
			if len(list.Items) != 2 || !list.Items[0].Allowed || list.Items[1].Allowed || !strings.Contains(list.Items[1].Error, tc.want) {
				t.Errorf("\n%s\nthe document says which is not known, got %+v", tc.reason, list.Items)
			}
		})
	}
}

const (
	head        = "apiVersion: chroma.chromadotnet.org/v1alpha1\nkind: Chroma\n"
	distributed = head + "metadata: {name: vectors, namespace: default}\nspec: {mode: distributed, distributed: {version: 1.5.9}}\n"
)

func TestCheckOfFiles(t *testing.T) {
	type verdict struct {
		allowed    bool
		reason, to string
	}
	demo := func(annotations, spec string) string {
		return head + "metadata: {name: demo, namespace: default, annotations: {" + annotations + "}}\nspec: {" + spec + "}\n"
	}
	const downgrade, format = `chroma.chromadotnet.org/allow-downgrade: "true"`, `chroma.chromadotnet.org/allow-format-downgrade: "1.4.1"`
	cases := map[string]struct {
		reason string
		state  string
		files  []string
		args   []string
		code   exit.Code
		want   map[string]verdict
		note   string
	}{
		"Image":       {reason: "The image of the file counts.", files: []string{demo("", "image: '"+repository+"1.4.1'")}, code: exit.Refused, want: map[string]verdict{"demo": {false, "DowngradeChangesFormat", repository + "1.4.1"}}},
		"Annotations": {reason: "So do the annotations of the file, which come with the image in one request.", files: []string{demo(downgrade+", "+format, "image: '"+repository+"1.4.1'")}, want: map[string]verdict{"demo": {true, "DowngradeAllowed", repository + "1.4.1"}}},
		"Claim":       {reason: "Behind a claim they count too: Crossplane copies them.", state: "claim-backed", files: []string{demo(downgrade, "image: '"+repository+"1.5.8'")}, want: map[string]verdict{"demo": {true, "DowngradeAllowed", repository + "1.5.8"}}},
		"Product":     {reason: "So does the product of the file.", files: []string{demo("", "product: vecturadb, image: '"+repository+"1.5.9'")}, code: exit.Refused, want: map[string]verdict{"demo": {false, "ProductMismatch", repository + "1.5.9"}}},
		"NoImage":     {reason: "A file without an image asks for the default that the Chroma keeps.", files: []string{demo("", "storage: {size: 10Gi}")}, want: map[string]verdict{"demo": {true, "NotBlocked", repository + "1.5.9"}}},
		"New":         {reason: "One that is not there yet has no data.", files: []string{head + "metadata: {name: next}\nspec: {storage: {size: 1Gi}}\n"}, want: map[string]verdict{"next": {true, "NotBlocked", repository + "1.5.9"}}},
		"Flag":        {reason: "The flag goes before the files.", files: []string{demo("", "image: '"+repository+"1.5.9'")}, args: []string{"--image", repository + "1.5.8"}, code: exit.Refused, want: map[string]verdict{"demo": {false, "Downgrade", repository + "1.5.8"}}},
		"Distributed": {reason: "A distributed Chroma in the folder is left out, and the others are checked.", files: []string{distributed, demo("", "image: '"+repository+"1.5.9'")}, want: map[string]verdict{"demo": {true, "NotBlocked", repository + "1.5.9"}}, note: "default/vectors is left out"},
		"OnlyThat":    {reason: "A folder of distributed ones has nothing to check, which is no error.", files: []string{distributed}, want: map[string]verdict{}, note: "default/vectors is left out"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			state := "ready"
			if tc.state != "" {
				state = tc.state
			}
			server := fixture.Serve(t, fixture.Load(t, state)...)
			folder := t.TempDir()
			for i, text := range tc.files {
				if err := os.WriteFile(filepath.Join(folder, string(rune('a'+i))+".yaml"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			args := append([]string{"upgrade", "check", "-n", "default", "-f", folder}, tc.args...)
			text := fixture.Run(t, server, "", args...)
			if text.Code != tc.code || !strings.Contains(text.Err, tc.note) {
				t.Errorf("\n%s\nwant exit code %d and the note %q, got:\n%s", tc.reason, tc.code, tc.note, text)
			}
			list := answers(t, fixture.Run(t, server, "", append(args, "-o", "json")...))
			got := map[string]verdict{}
			for _, item := range list.Items {
				got[item.Name] = verdict{item.Allowed, item.Reason, item.To}
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(verdict{})); diff != "" {
				t.Errorf("\n%s\nverdicts: -want, +got:\n%s\n%s", tc.reason, diff, text)
			}
			if tc.note != "" && !slices.ContainsFunc(list.Notes, func(note string) bool { return strings.Contains(note, tc.note) }) {
				t.Errorf("\n%s\nwant the note %q in the document, got %v", tc.reason, tc.note, list.Notes)
			}
			if writes := server.Writes(); len(writes) > 0 {
				t.Errorf("a check writes nothing, and wrote %v", writes)
			}
		})
	}
}

func TestCheckOfManyAsATable(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	fixture.Golden(t, "check/table.txt", fixture.Run(t, server, "", "upgrade", "check", "-A", "--image", repository+"1.5.8").String())
	file := head + "metadata: {name: demo, namespace: default}\nspec: {image: '" + repository + "1.4.1', storage: {size: 10Gi}}\n"
	fixture.Golden(t, "check/distributed-table.txt", fixture.Run(t, fixture.Serve(t, fixture.Load(t, "distributed-ready")...), "", "upgrade", "check", "-A", "--image", repository+"1.5.8").String())
	fixture.Golden(t, "check/file.txt", fixture.Run(t, server, file, "upgrade", "check", "-f", "-").String())
}

func TestANoteOfManyIsToldOnce(t *testing.T) {
	objects := fixture.Load(t, "ready")
	for _, namespace := range []string{"b", "c"} {
		objects = append(objects, elsewhere(t, objects, namespace, func(map[string]any) {}))
	}
	server := fixture.Serve(t, objects...)
	server.Fault = fixture.Forbid("/compositionrevisions/")
	got := fixture.Run(t, server, "", "upgrade", "check", "-A", "--image", repository+"1.5.8")
	if count := strings.Count(got.Err, "settings are not known"); count != 1 || !strings.Contains(got.Err, "note: default/demo and 2 more: ") {
		t.Errorf("want one note for all three, got %d:\n%s", count, got)
	}
}

func TestPlan(t *testing.T) {
	cases := map[string]struct{ state, image string }{
		"newer":        {"ready", repository + "1.5.10"},
		"older":        {"ready", repository + "1.5.8"},
		"claim-backed": {"claim-backed", repository + "1.5.10"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.state)...)
			got := fixture.Run(t, server, "", "upgrade", "plan", "demo", "-n", "default", "--image", tc.image)
			fixture.Golden(t, "plan/"+name+".txt", got.String())
			if writes := server.Writes(); len(writes) > 0 {
				t.Errorf("a plan writes nothing, and wrote %v", writes)
			}
		})
	}
}

func TestPlanAsADocument(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	got := fixture.Run(t, server, "", "upgrade", "plan", "demo", "-n", "default", "--image", repository+"1.5.10", "-o", "yaml")
	fixture.Golden(t, "plan/newer.yaml", got.Out)
	got = fixture.Run(t, server, "", "upgrade", "plan", "demo", "-n", "default", "--image", repository+"1.5.8", "-o", "json")
	var plan v1.UpgradePlan
	if err := json.Unmarshal([]byte(got.Out), &plan); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if got.Code != exit.Refused || plan.Refused != "Downgrade" || plan.Replaced {
		t.Errorf("the document says that it is refused, and so does the exit code: %s", got)
	}
}

func TestTheOutputIsCheckedBeforeAnythingIsDone(t *testing.T) {
	for name, args := range map[string][]string{"check": {"upgrade", "check"}, "plan": {"upgrade", "plan", "demo"}} {
		server := fixture.Serve(t, fixture.Load(t, "ready")...)
		got := fixture.Run(t, server, "", append(args, "-n", "default", "--image", repository+"1.5.9", "-o", "yml")...)
		if requests := server.Requests(); got.Code != exit.Usage || len(requests) > 0 {
			t.Errorf("%s: want a usage error and no request, got %v and\n%s", name, requests, got)
		}
	}
}
