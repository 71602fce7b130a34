package forward_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// refuse the connection as a server does that speaks no SPDY.
func refuse(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasSuffix(r.URL.Path, "/portforward") {
		return false
	}
	w.WriteHeader(http.StatusBadRequest)
	return true
}

func TestForward(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  string
		fault  fixture.Fault
		code   exit.Code
		want   string
		path   string
	}{
		"Server":    {reason: "The only Pod of a single server.", state: "ready", fault: refuse, code: exit.Error, want: "cannot forward to Pod demo-1", path: "/pods/demo-1/portforward"},
		"Frontend":  {reason: "A frontend of a distributed Chroma.", state: "distributed-ready", fault: refuse, code: exit.Error, want: "cannot forward to Pod rust-frontend-service", path: "/pods/rust-frontend-service"},
		"NoPod":     {reason: "Without a Pod there is nothing to forward to.", state: "claim-lost", code: exit.Unhealthy, want: "kubectl chroma status"},
		"Forbidden": {reason: "The missing permission is named.", state: "ready", fault: fixture.Forbid("/portforward"), code: exit.Error, want: "cannot create resource"},
		"Hangs":     {reason: "A server that does not connect is given up.", state: "ready", fault: fixture.Hang("/portforward"), code: exit.TimedOut, want: "no answer within 300ms"},
		"Cut":       {reason: "A connection that breaks is told.", state: "ready", fault: fixture.Cut("/portforward"), code: exit.Error, want: "cannot forward to Pod demo-1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.state)...)
			server.Fault = tc.fault
			patience := "1m"
			if tc.code == exit.TimedOut {
				patience = "300ms"
			}
			begun := time.Now()
			got := fixture.Run(t, server, "", "port-forward", "demo", "-n", "default", "--port", "0", "--request-timeout", patience)
			if got.Code != tc.code || !strings.Contains(got.Err, tc.want) {
				t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, tc.want, got)
			}
			if took := time.Since(begun); took > 20*time.Second {
				t.Errorf("\n%s\ntook %s", tc.reason, took)
			}
			if !slices.ContainsFunc(server.Requests(), func(request string) bool { return strings.Contains(request, tc.path) }) {
				t.Errorf("\n%s\nwant a request to %s, got %v", tc.reason, tc.path, server.Requests())
			}
		})
	}
}
