package remove_test

import (
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestDelete(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"delete", "demo"}, more...) }
	cases := map[string]fixture.Change{
		"Keep": {
			Reason: "With Retain in effect the Chroma is deleted at once, and the claim is looked at.", State: "ready", Args: args("--keep-data", "--wait", "--yes"),
			Want: "The claim demo-1 stayed", Bodies: []string{"DELETE /apis/chroma.chromadotnet.org/v1alpha1/namespaces/default/chromas/demo"},
		},
		"Lose": {
			Reason: "Until the policy Delete is in effect nothing is deleted.", State: "ready", Args: args("--delete-data", "--timeout", "100ms", "--yes"),
			Code: exit.TimedOut, Want: "in vain until the policy Delete is in effect", Bodies: []string{`{"spec":{"pvcDeletionPolicy":"Delete"}}`},
		},
		"Neither":  {Reason: "What becomes of the data has to be said.", State: "ready", Args: args("--yes"), Code: exit.Usage, Want: "--keep-data or --delete-data"},
		"Both":     {Reason: "The two contradict each other.", State: "ready", Args: args("--keep-data", "--delete-data"), Code: exit.Usage, Want: "--keep-data or --delete-data"},
		"NotAsked": {Reason: "Without a terminal --yes is needed.", State: "ready", Args: args("--delete-data"), Code: exit.Usage, Want: "--yes"},
		"DryRun":   {Reason: "A dry run changes nothing.", State: "ready", Args: args("--delete-data", "--dry-run", "server"), Want: "server dry run"},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}
