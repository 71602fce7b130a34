package claims_test

import (
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestAdoptAtTerminal(t *testing.T) {
	const text = "Give the claim demo-1 to a Chroma default/demo that is yet to be created?"
	fixture.Question{State: "retained", Args: []string{"adopt", "demo-1", "--as", "demo"}, Text: text}.Test(t, map[string]fixture.Reply{
		"Yes": {Reason: "A person says so.", Answer: "y", Want: "created now uses it", Writes: 1},
		"No":  {Reason: "A person does not.", Answer: "n", Code: exit.Error, Want: "not confirmed: nothing was changed"},
	})
}
