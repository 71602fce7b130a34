package tree_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestTree(t *testing.T) {
	for _, state := range []string{
		"ready", "claim-backed", "claim-backed-elsewhere", "claim-lost", "updating", "no-status", "not-synced", "deleting", "distributed-ready", "vald-completed",
		"vald-progressing",
	} {
		t.Run(state, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, state)...)
			args := []string{"tree", fixture.Argument(state), "-n", fixture.Namespace(state)}
			fixture.Golden(t, state+".txt", fixture.Run(t, server, "", args...).String())
		})
	}
}

func TestTreeOfAnObjectThatIsLookedAtSeldom(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	server.Edit("Object", "demo-claim", func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedSlice(u.Object, []any{
			map[string]any{"type": "Synced", "status": "True", "reason": "ReconcileSuccess"}, map[string]any{"type": "Ready", "status": "False", "reason": "Creating"},
		}, "status", "conditions")
	})
	got := fixture.Run(t, server, "", "tree", "demo", "-n", "default")
	if !strings.Contains(got.Out, "synced; not ready when looked at last") || strings.Contains(got.Out, "Creating") {
		t.Errorf("a claim that is bound is not being created, though its Object says so for ten minutes, got:\n%s", got)
	}
}

func TestTreeForPrograms(t *testing.T) {
	for _, format := range []string{"json", "yaml"} {
		t.Run(format, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "claim-backed")...)
			fixture.Golden(t, "formats/claim-backed."+format, fixture.Run(t, server, "", "tree", "demo", "-n", "default", "-o", format).Out)
		})
	}
}

func TestTreeWithoutTheAPIServersHelp(t *testing.T) {
	cases := map[string]struct {
		reason string
		fault  fixture.Fault
		args   []string
		code   exit.Code
		want   string
	}{
		"NoClaims": {reason: "A claim that cannot be read is not said to be gone.", fault: fixture.Forbid("/persistentvolumeclaims"), want: "demo-1             cannot be read"},
		"NoEvents": {reason: "What cannot be read is a note.", fault: fixture.Forbid("/configmaps"), want: "Note: "},
		"Absent":   {reason: "What is not there is an error.", args: []string{"nobody"}, code: exit.Error, want: `"nobody" not found`},
		"Format":   {reason: "An unknown format is a usage error.", args: []string{"demo", "-o", "toml"}, code: exit.Usage, want: "json or yaml"},
		"Watched":  {reason: "A watch is for people.", args: []string{"demo", "-w", "-o", "json"}, code: exit.Usage, want: "--watch"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			server.Fault = tc.fault
			if tc.args == nil {
				tc.args = []string{"demo"}
			}
			got := fixture.Run(t, server, "", append([]string{"tree", "-n", "default"}, tc.args...)...)
			if got.Code != tc.code || !strings.Contains(got.Out+got.Err, tc.want) {
				t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, tc.want, got)
			}
		})
	}
}

func TestTreeThatIsInterruptedIsNoEmptyAnswer(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	ctx, stop := context.WithCancel(t.Context())
	server.Fault = func(http.ResponseWriter, *http.Request) bool {
		stop()
		return false
	}
	if got := fixture.Stopped(ctx, server, "tree", "demo", "-n", "default", "-o", "json"); got.Code == exit.Fine {
		t.Errorf("a program that reads it must not take nothing for an answer: %s", got)
	}
}

func TestTreeWatch(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		// meanwhile somebody does something, after the first look.
		meanwhile func(server *fixture.Server, stop context.CancelFunc)
		fault     fixture.Fault
		want      []string
	}{
		"Deletion": {reason: "That the object is gone is the end of a deletion, and no error.", meanwhile: func(server *fixture.Server, _ context.CancelFunc) {
			server.Edit("Chroma", "demo", nil)
		}, want: []string{"Pod demo-1", "Chroma default/demo is gone."}},
		"Change": {reason: "What changes is shown, until it is interrupted.", meanwhile: func(server *fixture.Server, stop context.CancelFunc) {
			server.Edit("Pod", "demo-1", func(pod *unstructured.Unstructured) {
				_ = unstructured.SetNestedSlice(pod.Object, []any{map[string]any{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}}, "status", "conditions")
			})
			time.Sleep(3 * time.Second)
			stop()
		}, want: []string{"not ready ContainersNotReady"}},
		"Hiccup": {reason: "A read that fails does not end it.", fault: fixture.Once("/chromas/demo", 1, fixture.Break("/")), meanwhile: func(_ *fixture.Server, stop context.CancelFunc) {
			time.Sleep(3 * time.Second)
			stop()
		}, want: []string{"cannot look at the moment"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			server.Fault = tc.fault
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			ended := make(chan fixture.Result)
			go func() { ended <- fixture.Stopped(ctx, server, "tree", "demo", "-n", "default", "--watch") }()
			for len(server.Requests()) < 8 && ctx.Err() == nil {
				time.Sleep(10 * time.Millisecond)
			}
			tc.meanwhile(server, stop)
			got := <-ended
			if got.Code != exit.Fine {
				t.Errorf("\n%s\nwant exit code 0, got:\n%s", tc.reason, got)
			}
			for _, want := range tc.want {
				if !strings.Contains(got.Out, want) {
					t.Errorf("\n%s\nwant %q, got:\n%s", tc.reason, want, got)
				}
			}
		})
	}
}
