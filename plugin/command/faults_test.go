package command_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestEveryCommandEndsInTimeWhateverTheServerDoes(t *testing.T) {
	faults := map[string]struct {
		reason string
		fault  fixture.Fault
		// patience with a request. Only what hangs shall use it up, on a busy machine too.
		patience string
		code     exit.Code
		want     string
	}{
		"Forbidden": {reason: "A missing permission names verb and resource.", fault: fixture.Forbid("/"), patience: "1m", code: exit.Error, want: "cannot"},
		"Broken":    {reason: "The server's own words are told.", fault: fixture.Break("/"), patience: "1m", code: exit.Error, want: "etcd has no leader"},
		"Cut":       {reason: "A connection that breaks is told at once.", fault: fixture.Cut("/"), patience: "1m", code: exit.Error, want: "the connection broke"},
		"Hangs":     {reason: "A server that hangs is given up.", fault: fixture.Hang("/"), patience: "100ms", code: exit.TimedOut, want: "did not answer within 100ms"},
	}
	invocations := fixture.Invocations()
	invocations["port-forward"] = fixture.Invocation{State: "ready", Command: "port-forward", Args: []string{"port-forward", "demo", "--port", "0"}}
	for name, of := range invocations {
		objects := fixture.Load(t, of.State)
		for kind, tc := range faults {
			t.Run(name+"/"+kind, func(t *testing.T) {
				server := fixture.Serve(t, objects...)
				server.Fault = tc.fault
				begun := time.Now()
				got := fixture.Run(t, server, "", append(slices.Clone(of.Args), "-n", "default", "--request-timeout", tc.patience)...)
				if got.Code != tc.code || !strings.Contains(got.Err, tc.want) {
					t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, tc.want, got)
				}
				if took := time.Since(begun); took > 5*time.Second {
					t.Errorf("\n%s\ntook %s", tc.reason, took)
				}
			})
		}
		t.Run(name+"/Absent", func(t *testing.T) {
			server := fixture.Serve(t)
			got := fixture.Run(t, server, "", append(of.Args, "-n", "default")...)
			isList := strings.HasSuffix(name, "table") || strings.HasSuffix(name, " list") || name == "claims" || name == "upgrade check"
			if want := map[bool]exit.Code{true: exit.Fine, false: exit.Error}[isList]; got.Code != want {
				t.Errorf("\nWhat is not there is an error, and a list of nothing is not.\nwant exit code %d, got:\n%s", want, got)
			}
		})
	}
}
