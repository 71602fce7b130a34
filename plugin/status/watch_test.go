package status_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// wanting another image, as a person has just written it.
func wanting(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	for _, object := range objects {
		if object.GetKind() == "Chroma" {
			_ = unstructured.SetNestedField(object.Object, "docker.io/chromadb/chroma:1.5.10", "spec", "image")
			object.SetGeneration(object.GetGeneration() + 1)
		}
	}
	return objects
}

// unwritten status: the Pod is ready, and no pass has said so yet.
func unwritten(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	for _, object := range objects {
		if object.GetKind() != "Chroma" {
			continue
		}
		conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
		for _, condition := range conditions {
			if condition.(map[string]any)["type"] == "ServerReady" {
				condition.(map[string]any)["status"], condition.(map[string]any)["reason"] = "False", "PodStarting"
			}
		}
		_ = unstructured.SetNestedSlice(object.Object, conditions, "status", "conditions")
	}
	return objects
}

// allowed to go back, as a person has just said.
func allowed(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	for _, object := range objects {
		if object.GetKind() == "Chroma" {
			object.SetAnnotations(map[string]string{"chroma.chromadotnet.org/allow-downgrade": "true"})
		}
	}
	return objects
}

func TestWatchEndsWhenItServes(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  string
		change func([]*unstructured.Unstructured) []*unstructured.Unstructured
		args   []string
		code   exit.Code
		want   string
	}{
		"Ready":     {reason: "Nothing is left to do.", state: "ready", code: exit.Fine, want: "Ready"},
		"Claim":     {reason: "Nothing is left to do behind a claim either.", state: "claim-backed", code: exit.Fine, want: "Ready"},
		"Release":   {reason: "A ValdOperatorRelease ends as a Chroma does.", state: "vald-completed", code: exit.Fine, want: "Completed"},
		"Blocked":   {reason: "It serves, and what the spec asks for is held back: that is a refusal.", state: "blocked-downgrade", code: exit.Refused, want: "Downgrade"},
		"Refused":   {reason: "A growth that the API server refuses is held back, also at a moment when it is tried again.", state: "growth-refused", code: exit.Refused, want: "ClaimRefused"},
		"Creating":  {reason: "What does not happen in time is a timeout.", state: "creating", args: []string{"--timeout", "2s"}, code: exit.TimedOut, want: "Creating: Pod demo-1 is starting"},
		"Changed":   {reason: "A spec that the function has not seen is something to do.", state: "ready", change: wanting, args: []string{"--timeout", "2s"}, code: exit.TimedOut, want: "Ready: docker.io/chromadb/chroma:1.5.9 runs"},
		"Unwritten": {reason: "Who reads the status next has to find the same.", state: "ready", change: unwritten, args: []string{"--timeout", "2s"}, code: exit.TimedOut, want: "waited in vain"},
		"Held":      {reason: "A distributed Chroma ends so too.", state: "distributed-downgrade", code: exit.Refused, want: "Or allow it."},
		"Allowed":   {reason: "What was allowed and not looked at since is something to do.", state: "distributed-downgrade", change: allowed, args: []string{"--timeout", "2s"}, code: exit.TimedOut, want: "Wait: it is allowed"},
		"Version":   {reason: "So is another version that nobody has looked at.", state: "distributed-ready", change: wanting, args: []string{"--timeout", "2s"}, code: exit.TimedOut, want: "It serves: 52ce844. Crossplane has not looked at the latest change yet."},
		"NotCopied": {reason: "A claim's spec that Crossplane has not copied to the composite yet is something to do, although the composite is ready.", state: "claim-backed", change: wanting, args: []string{"--timeout", "2s"}, code: exit.TimedOut, want: "Crossplane has not copied the spec to XChroma"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects := fixture.Load(t, tc.state)
			if tc.change != nil {
				objects = tc.change(objects)
			}
			server := fixture.Serve(t, objects...)
			args := append([]string{"status", fixture.Argument(tc.state), "-n", "default", "--watch"}, tc.args...)
			if got := fixture.Run(t, server, "", args...); got.Code != tc.code || !strings.Contains(got.Out+got.Err, tc.want) {
				t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, tc.want, got)
			}
		})
	}
}

func TestWatchInAPipeTellsWhatChanges(t *testing.T) {
	objects := fixture.Load(t, "updating")
	server := fixture.Serve(t, objects...)
	ended := make(chan fixture.Result)
	go func() {
		ended <- fixture.Run(t, server, "", "status", "demo", "-n", "default", "--watch", "--timeout", "5s")
	}()
	await(t, server, 2)
	server.Edit("Chroma", "demo", func(demo *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(demo.Object, "Failed", "status", "phase")
	})
	got := <-ended
	lines := strings.Split(got.Out, "\n")
	if got.Code != exit.TimedOut || len(lines) < 3 {
		t.Fatalf("want lines and a timeout, got:\n%s", got)
	}
	for i, want := range []string{"Updating: ", "Failed: ", ""} {
		if prefix := "0s      Chroma default/demo  "; want != "" && !strings.HasPrefix(lines[i], prefix+want) {
			t.Errorf("want line %d to begin with %q, got:\n%s", i, prefix+want, got)
		}
	}
	if strings.Count(got.Out, "\nSummary\n") != 1 {
		t.Errorf("the whole status comes once, at the end:\n%s", got)
	}
}

// await so many looks at the Chroma.
func await(t *testing.T, server *fixture.Server, looks int) {
	t.Helper()
	for range 2000 {
		seen := 0
		for _, request := range server.Requests() {
			if strings.HasSuffix(request, "/chromas/demo") || strings.HasSuffix(request, "/chromas") {
				seen++
			}
		}
		if seen >= looks {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("nobody looked %d times: %v", looks, server.Requests())
}

func TestWatchWhenItGoes(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "creating")...)
	ended := make(chan fixture.Result)
	go func() { ended <- fixture.Run(t, server, "", "status", "demo", "-n", "default", "--watch") }()
	await(t, server, 1)
	server.Edit("Chroma", "demo", nil)
	if got := <-ended; got.Code != exit.Error || !strings.Contains(got.Err, "Chroma default/demo is gone") {
		t.Errorf("what is deleted meanwhile does not come to serve: %s", got)
	}
}

func TestWatchOverAReadThatFails(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "updating")...)
	server.Fault = fixture.Once("/chromas/demo", 1, fixture.Break("/"))
	got := fixture.Run(t, server, "", "status", "demo", "-n", "default", "--watch", "--timeout", "3s")
	if got.Code != exit.TimedOut || !strings.Contains(got.Out, "cannot look at the moment") || strings.Count(got.Out, "Updating: ") != 2 {
		t.Errorf("one failed read is told, and it goes on: %s", got)
	}
}

func TestWatchOfAClaimNeedsItsComposite(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "claim-backed")...)
	server.Fault = fixture.Forbid("/xchromas")
	got := fixture.Run(t, server, "", "status", "demo", "-n", "default", "--watch", "--timeout", "10s")
	if got.Code != exit.Error || !strings.Contains(got.Err, `cannot get resource "xchromas"`) {
		t.Errorf("whether the spec has arrived is seen at the composite alone, so the missing right is named: %s", got)
	}
}

func TestWatchOfTheTable(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan fixture.Result)
	go func() { ended <- fixture.Stopped(ctx, server, "status", "-n", "default", "--watch") }()
	await(t, server, 1)
	server.Edit("Chroma", "demo", func(demo *unstructured.Unstructured) {
		demo.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
	})
	await(t, server, 3)
	cancel()
	got := <-ended
	if tables := strings.Count(got.Out, "NAME "); got.Code != exit.Fine || tables != 2 || !strings.Contains(got.Out, "Paused") {
		t.Errorf("want the table when it changes and not otherwise, until it is interrupted, got %d:\n%s", tables, got)
	}
}
