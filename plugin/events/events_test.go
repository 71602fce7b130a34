package events_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestEvents(t *testing.T) {
	for _, state := range []string{"pod-refused", "claim-backed", "claim-backed-elsewhere", "no-status", "predecessor", "vald-conflict"} {
		t.Run(state, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, state)...)
			args := []string{"events", fixture.Argument(state), "-n", fixture.Namespace(state)}
			fixture.Golden(t, state+".txt", fixture.Run(t, server, "", args...).String())
		})
	}
}

func TestEventsForPrograms(t *testing.T) {
	for _, format := range []string{"json", "yaml"} {
		t.Run(format, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "pod-refused")...)
			fixture.Golden(t, "formats/pod-refused."+format, fixture.Run(t, server, "", "events", "demo", "-n", "default", "-o", format).Out)
		})
	}
}

func TestEventsWithoutTheAPIServersHelp(t *testing.T) {
	cases := map[string]struct {
		reason string
		fault  fixture.Fault
		args   []string
		code   exit.Code
		want   string
	}{
		"Forbidden": {reason: "The missing permission is named.", fault: fixture.Forbid("/events"), code: exit.Error, want: `cannot list resource "events"`},
		"Format":    {reason: "An unknown format is a usage error, before anything is read.", args: []string{"-o", "yml"}, code: exit.Usage, want: "json or yaml"},
		"Watched":   {reason: "Documents one after the other are no document.", args: []string{"-w", "-o", "json"}, code: exit.Usage, want: "--watch"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			server.Fault = tc.fault
			got := fixture.Run(t, server, "", append([]string{"events", "demo", "-n", "default"}, tc.args...)...)
			if got.Code != tc.code || !strings.Contains(got.Err, tc.want) {
				t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, tc.want, got)
			}
			if tc.code == exit.Usage && len(server.Requests()) > 0 {
				t.Errorf("\n%s\nwant no request, got %v", tc.reason, server.Requests())
			}
		})
	}
}

// started is an event about the server's Pod, as the kubelet tells it of each Pod of the name.
func started(name, at string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"name": name, "namespace": "default"},
		"involvedObject": map[string]any{"kind": "Pod", "namespace": "default", "name": "demo-1"},
		"type":           "Normal", "reason": "Started", "message": "Container started", "lastTimestamp": at,
	}}
}

func TestEventsOfAPodAndOfItsSuccessor(t *testing.T) {
	objects := append(fixture.Load(t, "ready"), started("demo-1.a", "2026-01-01T00:50:00Z"), started("demo-1.b", "2026-01-01T00:59:00Z"))
	got := fixture.Run(t, fixture.Serve(t, objects...), "", "events", "demo", "-n", "default")
	if got.Code != exit.Fine || strings.Count(got.Out, "Pod demo-1  Started") != 2 {
		t.Errorf("what happens to the next Pod of the name in the same words has happened again, got:\n%s", got)
	}
}

// news is an event that comes while somebody watches.
func news() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"name": "demo.news", "namespace": "default"},
		"involvedObject": map[string]any{"kind": "Chroma", "namespace": "default", "name": "demo"},
		"type":           "Warning", "reason": "News", "message": "It is new.", "count": int64(1), "lastTimestamp": "2026-01-01T00:59:00Z",
	}}
}

func TestEventsWatch(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason    string
		fault     fixture.Fault
		meanwhile func(server *fixture.Server, stop context.CancelFunc)
		want      string
	}{
		"News": {reason: "What is new is added, and nothing is told twice.", meanwhile: func(server *fixture.Server, stop context.CancelFunc) {
			server.Add(news())
			time.Sleep(5 * time.Second)
			stop()
		}, want: "60s    Warning  Chroma demo  News"},
		"Hiccup": {reason: "A read that fails does not end it.", fault: fixture.Once("/events", 1, fixture.Break("/")), meanwhile: func(_ *fixture.Server, stop context.CancelFunc) {
			time.Sleep(5 * time.Second)
			stop()
		}, want: "cannot look at the moment"},
		"Interrupted": {reason: "Ctrl-C in the middle of a request is an end, and no error.", fault: fixture.After(2, fixture.Hang("/")), meanwhile: func(server *fixture.Server, stop context.CancelFunc) {
			for range 1000 {
				if len(server.Requests()) > 2 {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			stop()
		}, want: "PodReady"},
		"Gone": {reason: "That the object is gone ends it.", meanwhile: func(server *fixture.Server, _ context.CancelFunc) {
			server.Edit("Chroma", "demo", nil)
		}, want: "Chroma default/demo is gone."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			server.Fault = tc.fault
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			ended := make(chan fixture.Result)
			go func() { ended <- fixture.Stopped(ctx, server, "events", "demo", "-n", "default", "--watch") }()
			for len(server.Requests()) < 2 && ctx.Err() == nil {
				time.Sleep(10 * time.Millisecond)
			}
			tc.meanwhile(server, stop)
			got := <-ended
			if got.Code != exit.Fine || !strings.Contains(got.Out+got.Err, tc.want) || strings.Count(got.Out, "PodReady") != 1 {
				t.Errorf("\n%s\nwant exit code 0, %q, and each event once, got:\n%s", tc.reason, tc.want, got)
			}
		})
	}
}
