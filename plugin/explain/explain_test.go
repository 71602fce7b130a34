package explain_test

import (
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/explain"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestExplain(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  string
		args   []string
		code   exit.Code
		want   []string
	}{
		"Reason":  {reason: "A reason needs no cluster.", args: []string{"DowngradeChangesFormat"}, want: []string{"data format", "Set the image back"}},
		"Unknown": {reason: "An unknown reason is a usage error that names those near it.", args: []string{"ClaimGone"}, code: exit.Usage, want: []string{"ClaimLost"}},
		"Object":  {reason: "The reasons that a Chroma has are explained with their messages.", state: "claim-lost", args: []string{"demo"}, want: []string{"ClaimLost", "accept-claim"}},
		"Fresh":   {reason: "A Chroma without conditions has nothing to explain.", state: "no-status", args: []string{"demo"}, code: exit.Error, want: []string{"no conditions"}},
		"Empty":   {reason: "Nothing is neither a reason nor a name.", args: []string{""}, code: exit.Usage, want: []string{"say which reason"}},
		"Output":  {reason: "Another output is a usage error.", args: []string{"ClaimLost", "-o", "yml"}, code: exit.Usage, want: []string{"--output"}},
		"JSON":    {reason: "Programs get a versioned document.", args: []string{"ClaimLost", "-o", "json"}, want: []string{`"apiVersion": "plugin.chroma.chromadotnet.org/v1"`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var server *fixture.Server
			args := append([]string{"explain"}, tc.args...)
			if tc.state != "" {
				server = fixture.Serve(t, fixture.Load(t, tc.state)...)
				args = append(args, "-n", "default")
			}
			got := fixture.Run(t, server, "", args...)
			for _, want := range tc.want {
				if got.Code != tc.code || !strings.Contains(got.Out+got.Err, want) {
					t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, want, got)
				}
			}
		})
	}
}

func TestReasonsOfAnObject(t *testing.T) {
	cases := map[string]struct {
		reason, state string
		// once are texts that are there once, and absent ones are not.
		once, absent []string
	}{
		"Vald": {
			reason: "What three conditions have is explained once, with what each says.", state: "vald-completed",
			once: []string{"The phase is complete.", "WaitingClusterCreate: ", "WaitingCreateVrs: ", "Completed: "},
		},
		"Distributed": {
			reason: "A reason that each mode has is explained for the object's own.", state: "distributed-downgrade",
			once: []string{"Downgrade  Chroma, distributed"}, absent: []string{"Downgrade  Chroma, single-node"},
		},
		"SingleNode": {
			reason: "So it is for a single server.", state: "blocked-downgrade",
			once: []string{"Downgrade  Chroma, single-node"}, absent: []string{"Chroma, distributed"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := fixture.Run(t, fixture.Serve(t, fixture.Load(t, tc.state)...), "", "explain", fixture.Argument(tc.state), "-n", "default")
			for _, want := range tc.once {
				if strings.Count(got.Out, want) != 1 {
					t.Errorf("\n%s\nwant %q once, got:\n%s", tc.reason, want, got)
				}
			}
			for _, absent := range tc.absent {
				if strings.Contains(got.Out, absent) {
					t.Errorf("\n%s\nwant nothing of %q, got:\n%s", tc.reason, absent, got)
				}
			}
		})
	}
}

func TestEveryReasonIsExplained(t *testing.T) {
	for _, table := range explain.Tables() {
		for _, entry := range table.Entries {
			if entry.Meaning == "" || entry.Remedy == "" {
				t.Errorf("%s of %s has no meaning or no remedy", entry.Reason, table.Of)
			}
		}
	}
}
