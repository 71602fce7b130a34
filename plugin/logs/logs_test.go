package logs_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// log answers requests for logs with the query, and one more line.
func log(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasSuffix(r.URL.Path, "/log") {
		return false
	}
	_, _ = fmt.Fprintf(w, "%s\nListening on 0.0.0.0:8000\n", r.URL.RawQuery)
	return true
}

func TestTheLogIsThatOfTheServerWhereverItStands(t *testing.T) {
	objects := fixture.Load(t, "ready")
	for _, object := range objects {
		if object.GetKind() == "Pod" {
			containers, _, _ := unstructured.NestedSlice(object.Object, "spec", "containers")
			_ = unstructured.SetNestedSlice(object.Object, append([]any{map[string]any{"name": "proxy"}}, containers...), "spec", "containers")
		}
	}
	server := fixture.Serve(t, objects...)
	server.Fault = log
	if got := fixture.Run(t, server, "", "logs", "demo", "-n", "default"); !strings.Contains(got.Out, "container=chroma") {
		t.Errorf("want the container chroma, got:\n%s", got)
	}
}

func TestALogThatHangsHoldsUpNone(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "distributed-ready")...)
	server.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		return fixture.Hang("/pods/query-service-0/log")(w, r) || log(w, r)
	}
	got := fixture.Run(t, server, "", "logs", "demo", "-n", "default", "--request-timeout", "2s")
	if got.Code != exit.TimedOut || !strings.Contains(got.Err, "cannot read the log of Pod query-service-0: no answer within 2s") {
		t.Errorf("want exit code %d and the Pod, got:\n%s", exit.TimedOut, got)
	}
	for _, pod := range []string{"query-service-1  Listening", "compaction-service-0  Listening", "rust-log-service-0  Listening"} {
		if !strings.Contains(got.Out, pod) {
			t.Errorf("want %q, got:\n%s", pod, got)
		}
	}
}

func TestALogThatIsCutOffByAPersonIsWhatWasWantedOnlyWhenItIsFollowed(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		fine   bool
	}{
		"Followed": {reason: "It has no other end.", args: []string{"--follow"}, fine: true},
		"Whole":    {reason: "A part is not to be taken for the whole.", fine: false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			ctx, stop := context.WithCancel(t.Context())
			server.Fault = func(w http.ResponseWriter, r *http.Request) bool {
				if strings.HasSuffix(r.URL.Path, "/log") {
					stop()
				}
				return fixture.Hang("/log")(w, r)
			}
			got := fixture.Stopped(ctx, server, append([]string{"logs", "demo", "-n", "default"}, tc.args...)...)
			if fine := got.Code == exit.Fine; fine != tc.fine {
				t.Errorf("\n%s\ngot %s", tc.reason, got)
			}
		})
	}
}

func TestLogs(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  string
		args   []string
		fault  fixture.Fault
		code   exit.Code
		want   []string
	}{
		"Server":    {reason: "The log of the only container, whole.", state: "ready", fault: log, want: []string{"container=chroma", "follow=false", "Listening on"}},
		"Previous":  {reason: "The log of the container before.", state: "crash-loop", args: []string{"--previous", "--tail", "5"}, fault: log, want: []string{"previous=true", "tailLines=5"}},
		"NoPod":     {reason: "Without a Pod there is no log, and what to do is said.", state: "claim-lost", code: exit.Unhealthy, want: []string{"kubectl chroma status"}},
		"Forbidden": {reason: "The missing permission is named.", state: "ready", fault: fixture.Forbid("/log"), code: exit.Error, want: []string{`cannot get resource "pods"`}},
		"Component": {reason: "A single server has no components.", state: "ready", args: []string{"--component", "sysdb"}, code: exit.Usage, want: []string{"no components"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.state)...)
			server.Fault = tc.fault
			got := fixture.Run(t, server, "", append([]string{"logs", "demo", "-n", "default"}, tc.args...)...)
			for _, want := range tc.want {
				if got.Code != tc.code || !strings.Contains(got.Out+got.Err, want) {
					t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, want, got)
				}
			}
		})
	}
}
