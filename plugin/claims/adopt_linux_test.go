package claims_test

import (
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestAdoptAtTerminal(t *testing.T) {
	cases := map[string]struct {
		reason, answer, want string
		code                 exit.Code
		writes               int
	}{
		"Yes": {reason: "A person says so.", answer: "y", want: "created now uses it", writes: 1},
		"No":  {reason: "A person does not.", answer: "n", want: "not confirmed: nothing was changed", code: exit.Error},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "retained")...)
			got := fixture.AtTerminal(t, server, func() string { return tc.answer }, "adopt", "demo-1", "--as", "demo", "-n", "default")
			if got.Code != tc.code || !strings.Contains(got.Err, tc.want) || len(server.Writes()) != tc.writes {
				t.Errorf("\n%s\nwant exit code %d, %q and %d writes, got %v and:\n%s", tc.reason, tc.code, tc.want, tc.writes, server.Writes(), got)
			}
		})
	}
}
