package allow_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestAllowAtTerminal(t *testing.T) {
	fixture.Question{State: "blocked-downgrade", Args: []string{"allow", "downgrade", "demo"}, Text: "on the data of default/demo?"}.Test(t, map[string]fixture.Reply{
		"Yes": {Reason: "A person says so.", Answer: "y", Want: "chroma default/demo changed", Writes: 1},
		"No":  {Reason: "A person does not.", Answer: "n", Code: exit.Error, Want: "not confirmed: nothing was changed"},
		"Other": {Reason: "What was said is not about an image that is asked for meanwhile.", Meanwhile: func(s *fixture.Server) {
			s.Edit("Chroma", "demo", func(u *unstructured.Unstructured) {
				_ = unstructured.SetNestedField(u.Object, "docker.io/chromadb/chroma:1.5.7", "spec", "image")
			})
		}, Answer: "y", Code: exit.Refused, Want: "another image is asked for than a moment ago"},
	})
}

func TestAllowVersionAtTerminal(t *testing.T) {
	fixture.Question{State: "distributed-downgrade", Args: []string{"allow", "downgrade", "demo"}, Text: "Allow the older version on the database of default/demo?"}.Test(t, map[string]fixture.Reply{
		"Yes": {Reason: "A person says so.", Answer: "y", Want: "chroma default/demo changed", Writes: 1},
		"Other": {Reason: "What was said is not about a version that is asked for meanwhile.", Meanwhile: func(s *fixture.Server) {
			s.Edit("Chroma", "demo", func(u *unstructured.Unstructured) {
				_ = unstructured.SetNestedSlice(u.Object, []any{map[string]any{
					"type": "UpgradeBlocked", "status": "True", "reason": "Downgrade", "message": "another one",
				}}, "status", "conditions")
			})
		}, Answer: "y", Code: exit.Refused, Want: "another version is asked for than a moment ago"},
	})
}
