package accept_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestAcceptClaim(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"accept-claim", "demo"}, more...) }
	cases := map[string]fixture.Change{
		"New":       {Reason: "To begin anew names the lost claim.", State: "claim-lost", Args: args("--new", "--yes"), Writes: 1},
		"Nothing":   {Reason: "A claim that is not there cannot be taken.", State: "claim-lost", Args: args("--yes"), Code: exit.Refused},
		"NotLost":   {Reason: "A claim that is not lost needs no acceptance.", State: "ready", Args: args("--new", "--yes"), Code: exit.Refused},
		"NoClaim":   {Reason: "A Chroma that never had a claim has lost none.", State: "no-status", Args: args("--new", "--yes"), Code: exit.Refused},
		"NotAsked":  {Reason: "Without a terminal --yes is needed.", State: "claim-lost", Args: args("--new"), Code: exit.Usage},
		"Forbidden": {Reason: "The missing permission is named.", State: "claim-lost", Args: args("--new", "--yes"), Fault: fixture.Forbid("/chromas"), Code: exit.Error, Want: `cannot get resource "chromas"`},
		"Replaced": {
			Reason: "The claim that is in its place is taken by its UID.", State: "claim-replaced", Args: args("--yes"),
			Writes: 1,
		},
		"NewReplaced": {
			Reason: "The function begins anew only where no claim is: the annotation would stay and count later.", State: "claim-replaced", Args: args("--new", "--yes"),
			Code: exit.Refused,
		},
		"Terminating": {Reason: "A claim that is being deleted is not lost yet.", State: "claim-terminating", Args: args("--new", "--yes"), Code: exit.Refused},
		"Unread": {
			Reason: "Whether a claim is lost is not known when it cannot be read.", State: "claim-lost", Args: args("--new", "--yes"), Fault: fixture.Forbid("/persistentvolumeclaims"),
			Code: exit.Error,
		},
		"Hangs": {
			Reason: "Nor when it is not read in time.", State: "ready", Args: args("--new", "--yes", "--request-timeout", "1s"), Fault: fixture.Hang("/persistentvolumeclaims"),
			Code: exit.TimedOut,
		},
		"Client": {Reason: "A dry run of the client says what would be written.", State: "claim-lost", Args: args("--new", "--dry-run", "client")},
		"Server": {Reason: "A dry run of the server has it checked.", State: "claim-lost", Args: args("--new", "--dry-run", "server")},
		"Claim": {
			Reason: "Behind a claim the composite says which claim was lost, and people annotate theirs.", State: "claim-backed", Args: args("--new", "--yes"), Writes: 1,
			Before: func(s *fixture.Server) { s.Edit("PersistentVolumeClaim", "demo-1", nil) },
		},
		"CompositeUnread": {
			Reason: "The claim's own status can be behind.", State: "claim-backed", Args: args("--new", "--yes"), Fault: fixture.Forbid("/xchromas"), Code: exit.Error,
			Before: func(s *fixture.Server) { s.Edit("PersistentVolumeClaim", "demo-1", nil) },
		},
		"Going":       {Reason: "The function takes no claim that is being deleted.", State: "claim-replaced", Before: going, Args: args("--yes"), Code: exit.Refused},
		"NewGoing":    {Reason: "Nor does it begin anew beside one.", State: "claim-replaced", Before: going, Args: args("--new", "--yes"), Code: exit.Refused},
		"Distributed": {Reason: "A distributed Chroma has no claim of its own.", State: "distributed-ready", Args: args("--new", "--yes"), Code: exit.Refused},
		"Unwritten": {
			Reason: "A change that is refused is no change.", State: "claim-lost", Args: args("--new", "--yes"), Fault: fixture.Writing(fixture.Forbid("/")),
			Code: exit.Error, Want: `cannot patch resource "chromas"`,
		},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}

// going is the claim in the place of the lost one.
func going(s *fixture.Server) {
	s.Edit("PersistentVolumeClaim", "demo-1", func(u *unstructured.Unstructured) { u.SetDeletionTimestamp(&metav1.Time{Time: fixture.Now()}) })
}
