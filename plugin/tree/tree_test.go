package tree_test

import (
	"testing"

	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestTree(t *testing.T) {
	for _, state := range []string{"ready", "claim-backed", "claim-lost", "updating", "no-status"} {
		t.Run(state, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, state)...)
			fixture.Golden(t, state+".txt", fixture.Run(t, server, "", "tree", "demo", "-n", "default").String())
		})
	}
}
