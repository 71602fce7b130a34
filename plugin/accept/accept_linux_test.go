package accept_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestAcceptClaimAtTerminal(t *testing.T) {
	restored := func(s *fixture.Server) {
		claim := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "PersistentVolumeClaim"}}
		claim.SetNamespace("default")
		claim.SetName("demo-1")
		claim.SetUID("restored")
		s.Add(claim)
	}
	fixture.Question{State: "claim-lost", Args: []string{"accept-claim", "demo", "--new"}, Text: "Begin anew with an empty claim?"}.Test(t, map[string]fixture.Reply{
		"Yes": {Reason: "A person says so.", Answer: "yes", Want: "chroma default/demo changed", Writes: 1},
		"No":  {Reason: "A person does not.", Answer: "no", Code: exit.Error, Want: "not confirmed: nothing was changed"},
		"Restored": {
			Reason: "A claim that somebody has restored meanwhile is not given up.", Meanwhile: restored,
			Answer: "y", Code: exit.Refused, Want: "the claim is another one than a moment ago",
		},
		"Found": {Reason: "Nor is the lost one, if it is there again.", Meanwhile: func(s *fixture.Server) {
			restored(s)
			s.Edit("Chroma", "demo", func(u *unstructured.Unstructured) {
				_ = unstructured.SetNestedField(u.Object, "restored", "status", "claimUID")
			})
		}, Answer: "y", Code: exit.Refused, Want: "it is not lost"},
	})
}
