package command_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestCompletionFromTheCluster(t *testing.T) {
	cases := map[string]struct {
		reason string
		// state of the cluster, ready when empty.
		state string
		args  []string
		want  string
	}{
		"Name":         {reason: "Names of Chroma.", args: []string{"status", "d"}, want: "demo\n"},
		"Claim":        {reason: "Names of claims.", args: []string{"adopt", "d"}, want: "demo-1\n"},
		"Image":        {reason: "Images that run.", args: []string{"upgrade", "check", "demo", "--image", "docker"}, want: "docker.io/chromadb/chroma:1.5.9\n"},
		"Namespace":    {reason: "Namespaces.", args: []string{"status", "--namespace", "def"}, want: "default\n"},
		"Reason":       {reason: "Reasons of the table.", args: []string{"explain", "ClaimL"}, want: "ClaimLost\n"},
		"Incident":     {reason: "Only what has an open incident, with its code.", state: "incident", args: []string{"incident", "show", ""}, want: "demo\tincident efbtlcny-4\n"},
		"Declare":      {reason: "So where it is ended.", state: "incident", args: []string{"incident", "declare", "d"}, want: "demo\tincident efbtlcny-4\n"},
		"NoIncident":   {reason: "What has none is not completed.", args: []string{"incident", "show", ""}, want: ":4\n"},
		"IncidentList": {reason: "A list takes no name.", state: "incident", args: []string{"incident", "list", ""}, want: ":4\n"},
		"Done":         {reason: "A second name is not completed.", args: []string{"tree", "demo", ""}, want: ":4\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, cmp.Or(tc.state, "ready"))...)
			flags := []string{"__complete", "--server", server.URL}
			if got := fixture.Run(t, nil, "", append(flags, tc.args...)...); !strings.HasPrefix(got.Out, tc.want) {
				t.Errorf("\n%s\nwant %q, got:\n%s", tc.reason, tc.want, got)
			}
		})
	}
}
