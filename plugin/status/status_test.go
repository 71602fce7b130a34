package status_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestStatusOfEveryState(t *testing.T) {
	for _, name := range fixture.Names(t) {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, name)...)
			fixture.Golden(t, name+".txt", fixture.Run(t, server, "", "status", fixture.Argument(name), "-n", fixture.Namespace(name)).String())
			if requests := server.Requests(); len(requests) > 12 {
				t.Errorf("status of one Chroma takes at most 12 requests, and took %d:\n%s", len(requests), strings.Join(requests, "\n"))
			}
			fixture.Golden(t, name+".table.txt", fixture.Run(t, server, "", "status", "-A").String())
		})
	}
}

func TestStatusWithEverything(t *testing.T) {
	for _, name := range []string{"function-unknown", "distributed-ready", "pod-refused"} {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, name)...)
			fixture.Golden(t, "verbose/"+name+".txt", fixture.Run(t, server, "", "status", "demo", "-n", "default", "--verbose").String())
		})
	}
}

func TestStatusForPrograms(t *testing.T) {
	for _, format := range []string{"json", "yaml", "name", "wide"} {
		t.Run(format, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "blocked-downgrade")...)
			fixture.Golden(t, "formats/one."+format, fixture.Run(t, server, "", "status", "demo", "-n", "default", "-o", format).Out)
			fixture.Golden(t, "formats/table."+format, fixture.Run(t, server, "", "status", "-A", "-o", format).Out)
		})
	}
}

func TestStatusWithoutTheAPIServersHelp(t *testing.T) {
	cases := map[string]struct {
		reason string
		fault  fixture.Fault
		args   []string
		code   exit.Code
		want   string
	}{
		"Absent":         {reason: "A Chroma that is not there is an error.", args: []string{"status", "nobody"}, code: exit.Error, want: `chromas.chroma.chromadotnet.org "nobody" not found`},
		"Forbidden":      {reason: "The missing permission is named with verb and resource.", fault: fixture.Forbid("/chromas"), args: []string{"status", "demo"}, code: exit.Error, want: `cannot get resource "chromas"`},
		"ForbiddenTable": {reason: "The missing permission is named with verb and resource.", fault: fixture.Forbid("/chromas"), args: []string{"status"}, code: exit.Error, want: `cannot list resource "chromas"`},
		"Broken":         {reason: "An internal error of the server is told in its words.", fault: fixture.Break("/chromas"), args: []string{"status", "demo"}, code: exit.Error, want: "etcd has no leader"},
		"Cut":            {reason: "A connection that is cut is an error.", fault: fixture.Cut("/chromas"), args: []string{"status", "demo"}, code: exit.Error, want: "cannot read Chroma demo"},
		"Hangs":          {reason: "A server that hangs is given up.", fault: fixture.Hang("/chromas"), args: []string{"status", "demo", "--request-timeout", "200ms"}, code: exit.TimedOut, want: "did not answer within 200ms"},
		"NoPods":         {reason: "What cannot be read is a line in an otherwise complete status.", fault: fixture.Forbid("/pods"), args: []string{"status", "demo"}, code: exit.Fine, want: `cannot get resource "pods"`},
		"EventsHang":     {reason: "A part that hangs is cut, and is a line.", fault: fixture.Hang("/events"), args: []string{"status", "demo", "--request-timeout", "200ms"}, code: exit.Fine, want: "cannot list Event"},
		"Format":         {reason: "An unknown format is a usage error.", args: []string{"status", "demo", "-o", "toml"}, code: exit.Usage, want: "wide, json, yaml, name"},
		"NoReleases":     {reason: "That Vald cannot be read is a note under the table.", fault: fixture.Forbid("/valdoperatorreleases"), args: []string{"status"}, code: exit.Fine, want: `Note: cannot list ValdOperatorRelease`},
		"NoFunctions":    {reason: "So is what works on the objects.", fault: fixture.Forbid("/functions"), args: []string{"status"}, code: exit.Fine, want: `it is not known whether the Function runs`},
		"Timeout":        {reason: "Only one object is waited for.", args: []string{"status", "-w", "--timeout", "1s"}, code: exit.Usage, want: "--timeout"},
		"NameAndAll":     {reason: "A name and all namespaces contradict each other.", args: []string{"status", "demo", "-A"}, code: exit.Usage, want: "--all-namespaces"},
		"Kind":           {reason: "Another kind is a usage error.", args: []string{"status", "pod/x"}, code: exit.Usage, want: "vor/NAME"},
		"Release":        {reason: "A ValdOperatorRelease is found by its short name.", args: []string{"status", "vor/nobody"}, code: exit.Error, want: "ValdOperatorRelease nobody"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			server.Fault = tc.fault
			begun := time.Now()
			got := fixture.Run(t, server, "", append(tc.args, "-n", "default")...)
			if got.Code != tc.code || !strings.Contains(got.Out+got.Err, tc.want) {
				t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, tc.want, got)
			}
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("\n%s\ntook %s", tc.reason, took)
			}
		})
	}
}

func TestAnAbsentChromaWhoseNameAReleaseHas(t *testing.T) {
	const hint = "kubectl chroma status -n default vor/demo"
	cases := map[string]struct {
		reason string
		fault  fixture.Fault
		args   []string
		hinted bool
	}{
		"There":     {reason: "The release that has the name is probably meant.", args: []string{"demo"}, hinted: true},
		"Watch":     {reason: "So it is by who waits for it.", args: []string{"demo", "--watch"}, hinted: true},
		"Nobody":    {reason: "Where no release has the name, there is none to look at.", args: []string{"nobody"}},
		"Forbidden": {reason: "Who may not read releases did not ask for one.", fault: fixture.Forbid("/valdoperatorreleases"), args: []string{"demo"}},
		"Unread":    {reason: "A Chroma that cannot be read is not absent.", fault: fixture.Forbid("/chromas"), args: []string{"demo"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "vald-completed")...)
			server.Fault = tc.fault
			got := fixture.Run(t, server, "", append([]string{"status", "-n", "default"}, tc.args...)...)
			if got.Code != exit.Error || strings.Contains(got.Err, hint) != tc.hinted || !strings.Contains(got.Err, "cannot read Chroma "+tc.args[0]) {
				t.Errorf("\n%s\nwant exit code %d and a hint: %t, got:\n%s", tc.reason, exit.Error, tc.hinted, got)
			}
			if strings.Contains(got.Err, "cannot get resource \"valdoperatorreleases\"") {
				t.Errorf("\n%s\na right that nobody asked for is told:\n%s", tc.reason, got)
			}
		})
	}
}

func TestWhatCannotBeReadIsNotSaidToBeGone(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  string
		fault  fixture.Fault
		code   exit.Code
		// want is in the output, and never is not.
		want, never []string
	}{
		"NoClaims":    {reason: "A claim that may not be read can be there.", state: "ready", fault: fixture.Forbid("/persistentvolumeclaims"), code: exit.Fine, want: []string{"Claim        demo-1  cannot be read", `cannot get resource "persistentvolumeclaims"`}, never: []string{"gone", "ClaimLost"}},
		"ClaimHangs":  {reason: "Nor does a read that hangs say that it is gone.", state: "ready", fault: fixture.Hang("/persistentvolumeclaims"), code: exit.Fine, want: []string{"Claim        demo-1  cannot be read"}, never: []string{"gone", "ClaimLost"}},
		"ClaimBreaks": {reason: "What the cluster has said stands.", state: "claim-lost", fault: fixture.Break("/persistentvolumeclaims"), code: exit.Unhealthy, want: []string{"Claim        demo-1  cannot be read", "ClaimLost"}, never: []string{"demo-1  gone"}},
		"NoPods":      {reason: "A Pod that may not be read can run.", state: "ready", fault: fixture.Forbid("/pods"), code: exit.Fine, want: []string{"Name         demo-1  cannot be read"}, never: []string{"there is none", "The function would now say"}},
		"PodHangs":    {reason: "Nor does a read that hangs say that there is none.", state: "ready", fault: fixture.Hang("/pods"), code: exit.Fine, want: []string{"Name         demo-1  cannot be read"}, never: []string{"there is none", "The function would now say"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.state)...)
			server.Fault = tc.fault
			got := fixture.Run(t, server, "", "status", "demo", "-n", "default", "--request-timeout", "300ms")
			if got.Code != tc.code {
				t.Errorf("\n%s\nwant exit code %d, got:\n%s", tc.reason, tc.code, got)
			}
			for _, want := range tc.want {
				if !strings.Contains(got.Out, want) {
					t.Errorf("\n%s\nwant %q, got:\n%s", tc.reason, want, got)
				}
			}
			for _, never := range tc.never {
				if strings.Contains(got.Out, never) {
					t.Errorf("\n%s\nwant no %q, got:\n%s", tc.reason, never, got)
				}
			}
		})
	}
}

func TestCompositionThatWentWithItsConfiguration(t *testing.T) {
	objects := slices.DeleteFunc(fixture.Load(t, "ready"), func(o *unstructured.Unstructured) bool { return strings.HasPrefix(o.GetKind(), "Composition") })
	server := fixture.Serve(t, objects...)
	server.Edit("Chroma", "demo", func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedSlice(u.Object, []any{map[string]any{
			"type": "Synced", "status": "False", "reason": "ReconcileError", "message": "cannot fetch Composition: not found",
		}}, "status", "conditions")
	})
	got := fixture.Run(t, server, "", "status", "demo", "-n", "default")
	for _, want := range []string{"Crossplane has no Composition for it, so nobody decides: cannot fetch Composition: not found", "kubectl chroma install --version"} {
		if got.Code != exit.Unhealthy || !strings.Contains(got.Out, want) {
			t.Errorf("no event says how to mend it: want %q, got:\n%s", want, got)
		}
	}
}

func TestServerWhoseReadinessIsNotOnRecordYet(t *testing.T) {
	cases := map[string]struct{ reason, wanted, want string }{
		"New": {reason: "The new server runs.", wanted: "docker.io/chromadb/chroma:1.5.9", want: "docker.io/chromadb/chroma:1.5.9 runs. That it is ready is yet to be recorded."},
		"Old": {reason: "The old server runs.", wanted: "docker.io/chromadb/chroma:1.5.10", want: "docker.io/chromadb/chroma:1.5.9 runs, and Chroma 1.5.9 is recorded to start next."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			server.Edit("Chroma", "demo", func(u *unstructured.Unstructured) {
				_ = unstructured.SetNestedField(u.Object, tc.wanted, "spec", "image")
				_ = unstructured.SetNestedStringSlice(u.Object, []string{"chroma"}, "status", "dataAhead")
			})
			if got := fixture.Run(t, server, "", "status", "demo", "-n", "default"); !strings.Contains(got.Out, tc.want) {
				t.Errorf("\n%s\nwant %q, got:\n%s", tc.reason, tc.want, got)
			}
		})
	}
}

func TestTableOfThousandsIsPaged(t *testing.T) {
	var objects []*unstructured.Unstructured
	for _, object := range fixture.Load(t, "ready") {
		if object.GetKind() != "Chroma" {
			objects = append(objects, object)
			continue
		}
		for i := range 1200 {
			one := object.DeepCopy()
			one.SetName(fmt.Sprintf("demo-%04d", i))
			objects = append(objects, one)
		}
	}
	server := fixture.Serve(t, objects...)
	got := fixture.Run(t, server, "", "status", "-A")
	if lines := strings.Count(got.Out, "\n"); got.Code != exit.Fine || lines != 1201 {
		t.Errorf("want a header and 1200 lines, got %d and exit code %d", lines, got.Code)
	}
	if requests := server.Requests(); len(requests) != 6 {
		t.Errorf("want three pages, one request for Vald, and one each for the Composition and the Function: %v", requests)
	}
}

func TestStrangeObjectsAreLines(t *testing.T) {
	strange := []*unstructured.Unstructured{
		{Object: map[string]any{"apiVersion": "chroma.chromadotnet.org/v1alpha1", "kind": "Chroma", "metadata": map[string]any{"name": "new", "namespace": "a"}}},
		{Object: map[string]any{"apiVersion": "chroma.chromadotnet.org/v1alpha1", "kind": "Chroma", "metadata": map[string]any{"name": "odd", "namespace": "a"},
			"status": map[string]any{"phase": "Hibernating", "conditions": []any{"what", map[string]any{"type": int64(1)}}, "dataVersion": int64(2)}}},
		{Object: map[string]any{"apiVersion": "chroma.chromadotnet.org/v1alpha1", "kind": "Chroma", "metadata": map[string]any{"name": "old", "namespace": "a"},
			"status": map[string]any{"phase": "Ready", "image": "chromadb/chroma:1.5.9", "dataVersion": "1.5.9"}}},
	}
	server := fixture.Serve(t, strange...)
	fixture.Golden(t, "strange.table.txt", fixture.Run(t, server, "", "status", "-A").String())
}
