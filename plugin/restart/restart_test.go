package restart_test

import (
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestRestart(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"restart", "demo"}, more...) }
	cases := map[string]fixture.Change{
		"Server":      {Reason: "The Pod is deleted, no more.", State: "ready", Args: args("--yes"), Want: "pod default/demo-1 deleted", Bodies: []string{"DELETE /api/v1/namespaces/default/pods/demo-1"}},
		"Incident":    {Reason: "A server that the function would not start again is not stopped.", State: "incident", Args: args("--yes"), Code: exit.Refused, Want: "nothing was deleted"},
		"Terminating": {Reason: "The Pod that holds a dying claim stays.", State: "claim-terminating", Args: args("--yes"), Code: exit.Refused, Want: "the data would be gone"},
		"NoPod":       {Reason: "Without a Pod there is nothing to restart.", State: "claim-lost", Args: args("--yes"), Code: exit.Unhealthy, Want: "has no Pod"},
		"Component":   {Reason: "A single server has no components.", State: "ready", Args: args("--component", "query-service", "--yes"), Code: exit.Usage, Want: "no components"},
		"NotAsked":    {Reason: "Without a terminal --yes is needed.", State: "ready", Args: args(), Code: exit.Usage, Want: "--yes"},
		"DryRun":      {Reason: "A dry run deletes nothing.", State: "ready", Args: args("--dry-run", "client"), Want: "would be deleted"},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}
