package endpoint_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestEndpoint(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  string
		want   fixture.Result
	}{
		"Ready":    {reason: "The address and nothing else.", state: "ready", want: fixture.Result{Out: "http://demo-rw.default.svc:8000\n"}},
		"Lost":     {reason: "The address of what does not serve is told with an exit code.", state: "claim-lost", want: fixture.Result{Out: "http://demo-rw.default.svc:8000\n", Err: "error: default/demo does not serve at the moment\n", Code: exit.Unhealthy}},
		"NoStatus": {reason: "There is none yet.", state: "no-status", want: fixture.Result{Err: "error: default/demo has no endpoint yet\n", Code: exit.Unhealthy}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.state)...)
			if diff := cmp.Diff(tc.want, fixture.Run(t, server, "", "endpoint", "demo", "-n", "default"), cmpopts.IgnoreFields(fixture.Result{}, "Shown")); diff != "" {
				t.Errorf("\n%s\nendpoint: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
