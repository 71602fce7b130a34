package accept_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
		"NewReplaced": {
			Reason: "The function begins anew only where no claim is: the annotation would stay and count later.", State: "claim-replaced", Args: args("--new", "--yes"),
			Code: exit.Refused, Want: "delete it first, or take it without --new",
		},
		"Terminating": {Reason: "A claim that is being deleted is not lost yet.", State: "claim-terminating", Args: args("--new", "--yes"), Code: exit.Refused, Want: "not lost yet"},
		"Unread": {
			Reason: "Whether a claim is lost is not known when it cannot be read.", State: "claim-lost", Args: args("--new", "--yes"), Fault: fixture.Forbid("/persistentvolumeclaims"),
			Code: exit.Error, Want: "it is not known whether the claim is lost, so nothing was changed: cannot read PersistentVolumeClaim demo-1",
		},
		"Hangs": {
			Reason: "Nor when it is not read in time.", State: "ready", Args: args("--new", "--yes", "--request-timeout", "1s"), Fault: fixture.Hang("/persistentvolumeclaims"),
			Code: exit.TimedOut, Want: "it is not known whether the claim is lost",
		},
		"Unwritten": {
			Reason: "A change that is refused is no change.", State: "claim-lost", Args: args("--new", "--yes"), Fault: fixture.Writing(fixture.Forbid("/")),
			Code: exit.Error, Want: `cannot patch resource "chromas"`,
		},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}

// TestAcceptClaimOfACompositeThatCannotBeRead has a claim of XChroma, whose own status can be behind.
func TestAcceptClaimOfACompositeThatCannotBeRead(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "claim-backed")...)
	server.Edit("PersistentVolumeClaim", "demo-1", nil)
	server.Fault = fixture.Forbid("/xchromas")
	got := fixture.Run(t, server, "", "accept-claim", "demo", "-n", "default", "--new", "--yes")
	if want := "so nothing was changed: cannot read XChroma"; got.Code != exit.Error || !strings.Contains(got.Err, want) || len(server.Writes()) > 0 {
		t.Errorf("want %q, got %v and:\n%s", want, server.Writes(), got)
	}
}

// TestAcceptClaimThatIsGoing looks at a claim in the place of the lost one that is being deleted itself: the function
// takes none that goes.
func TestAcceptClaimThatIsGoing(t *testing.T) {
	for name, more := range map[string][]string{"Take": {"--yes"}, "New": {"--yes", "--new"}} {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "claim-replaced")...)
			server.Edit("PersistentVolumeClaim", "demo-1", func(u *unstructured.Unstructured) { u.SetDeletionTimestamp(&metav1.Time{Time: fixture.Now()}) })
			got := fixture.Run(t, server, "", append([]string{"accept-claim", "demo", "-n", "default"}, more...)...)
			if got.Code != exit.Refused || !strings.Contains(got.Err, "try again when it is gone") || len(server.Writes()) > 0 {
				t.Errorf("want a refusal, got %v and:\n%s", server.Writes(), got)
			}
		})
	}
}
