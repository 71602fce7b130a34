package accept_test

import (
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestAcceptClaim(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"accept-claim", "demo"}, more...) }
	cases := map[string]fixture.Change{
		"New":       {Reason: "To begin anew names the lost claim.", State: "claim-lost", Args: args("--new", "--yes"), Want: "Now    there is none", Bodies: []string{`"chroma.chromadotnet.org/accept-claim":"new/`}},
		"Nothing":   {Reason: "A claim that is not there cannot be taken.", State: "claim-lost", Args: args("--yes"), Code: exit.Refused, Want: "--new"},
		"NotLost":   {Reason: "A claim that is not lost needs no acceptance.", State: "ready", Args: args("--new", "--yes"), Code: exit.Refused, Want: "is not lost"},
		"NoClaim":   {Reason: "A Chroma that never had a claim has lost none.", State: "no-status", Args: args("--new", "--yes"), Code: exit.Refused, Want: "no claim yet"},
		"NotAsked":  {Reason: "Without a terminal --yes is needed.", State: "claim-lost", Args: args("--new"), Code: exit.Usage, Want: "--yes"},
		"Forbidden": {Reason: "The missing permission is named.", State: "claim-lost", Args: args("--new", "--yes"), Fault: fixture.Forbid("/chromas"), Code: exit.Error, Want: `cannot get resource "chromas"`},
		"Replaced": {
			Reason: "The claim that is in its place is taken by its UID.", State: "claim-replaced", Args: args("--yes"),
			Want: "what has run on it is not known", Bodies: []string{`"chroma.chromadotnet.org/accept-claim":"`},
		},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}
