package incident_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestDeclareAtTerminal(t *testing.T) {
	fixture.Question{State: "incident", Args: []string{"incident", "declare", "demo", "--version", "1.5.9"}, Text: "Declare it?"}.Test(t, map[string]fixture.Reply{
		"Yes": {Reason: "A person says so.", Answer: "y", Want: "chroma default/demo changed", Writes: 1},
		"No":  {Reason: "A person does not.", Answer: "n", Code: exit.Error, Want: "not confirmed: nothing was changed"},
		"Ended": {Reason: "An incident that has ended meanwhile needs no declaration.", Meanwhile: func(s *fixture.Server) {
			s.Edit("Chroma", "demo", func(u *unstructured.Unstructured) {
				unstructured.RemoveNestedField(u.Object, "status", "dataVersionUnknownIncident")
			})
		}, Answer: "y", Code: exit.Refused, Want: "is not open any more"},
	})
}
