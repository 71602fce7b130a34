package remove_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestDeleteAtTerminal(t *testing.T) {
	const text = "Delete default/demo, and keep its claim demo-1?"
	fixture.Question{State: "ready", Args: []string{"delete", "demo", "--keep-data"}, Text: text}.Test(t, map[string]fixture.Reply{
		"Yes":   {Reason: "A yes is one.", Answer: "y", Want: "chroma default/demo deleted", Writes: 1},
		"Word":  {Reason: "So is the whole word.", Answer: "YES", Want: "chroma default/demo deleted", Writes: 1},
		"No":    {Reason: "A no changes nothing.", Answer: "n", Code: exit.Error, Want: "not confirmed: nothing was changed"},
		"Enter": {Reason: "No answer is a no.", Answer: "", Code: exit.Error, Want: "not confirmed: nothing was changed"},
		"Another": {Reason: "Who is created under the name meanwhile is not meant.", Meanwhile: func(s *fixture.Server) {
			s.Edit("Chroma", "demo", func(u *unstructured.Unstructured) { u.SetUID("another") })
		}, Answer: "y", Code: exit.Refused, Want: "created again in the meantime"},
	})
}
