package command_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// TestAWriteThatFailsIsTold has everything read well, and the first write fail.
func TestAWriteThatFailsIsTold(t *testing.T) {
	faults := map[string]struct {
		reason string
		fault  fixture.Fault
		want   string
	}{
		"Forbidden": {reason: "The missing permission is named.", fault: fixture.Forbid("/"), want: "cannot"},
		"Broken":    {reason: "The server's own words are told.", fault: fixture.Break("/"), want: "etcd has no leader"},
		"Cut":       {reason: "A connection that breaks is told.", fault: fixture.Cut("/"), want: "the connection broke"},
	}
	for name, of := range fixture.Invocations() {
		server := fixture.Serve(t, fixture.Load(t, of.State)...)
		fixture.Run(t, server, "", append(slices.Clone(of.Args), "-n", "default")...)
		if !slices.ContainsFunc(server.Writes(), func(w fixture.Write) bool { return lasting(w.Method, w.Path, w.Query) }) {
			continue
		}
		for kind, tc := range faults {
			t.Run(name+"/"+kind, func(t *testing.T) {
				server := fixture.Serve(t, fixture.Load(t, of.State)...)
				var hit atomic.Bool
				server.Fault = func(w http.ResponseWriter, r *http.Request) bool {
					if !lasting(r.Method, r.URL.Path, r.URL.RawQuery) {
						return false
					}
					hit.Store(true)
					return tc.fault(w, r)
				}
				got := fixture.Run(t, server, "", append(slices.Clone(of.Args), "-n", "default")...)
				if !hit.Load() {
					t.Fatalf("no write came: %s", got)
				}
				if got.Code == exit.Fine || !strings.Contains(got.Err, tc.want) || strings.Contains(got.Out, "changed") || strings.Contains(got.Out, "deleted") {
					t.Errorf("\n%s\nwant %q and no success, got:\n%s", tc.reason, tc.want, got)
				}
			})
		}
	}
}

// lasting writes change something: no dry run, and no question to the API server that is asked by writing.
func lasting(method, path, query string) bool {
	return method != http.MethodGet && !strings.Contains(query, "dryRun") && !strings.Contains(path, "/authorization.k8s.io/") && !strings.Contains(path, "/proxy/")
}
