package restart_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestRestartAtTerminal(t *testing.T) {
	edit := func(kind, name string, edit func(*unstructured.Unstructured)) func(*fixture.Server) {
		return func(s *fixture.Server) { s.Edit(kind, name, edit) }
	}
	fixture.Question{State: "ready", Args: []string{"restart", "demo"}, Text: "Restart the server of default/demo? There is none meanwhile."}.Test(t, map[string]fixture.Reply{
		"Yes": {Reason: "A person says so.", Answer: "y", Want: "pod default/demo-1 deleted", Writes: 1},
		"No":  {Reason: "A person does not.", Answer: "n", Code: exit.Error, Want: "not confirmed: nothing was changed"},
		"Terminating": {
			Reason:    "A claim that somebody deletes meanwhile would go with the Pod.",
			Meanwhile: edit("PersistentVolumeClaim", "demo-1", func(u *unstructured.Unstructured) { u.SetDeletionTimestamp(&metav1.Time{Time: fixture.Now()}) }),
			Answer:    "y", Code: exit.Refused, Want: "the data would be gone with the Pod",
		},
		"Replaced": {
			Reason:    "A Pod that has come meanwhile need not be restarted.",
			Meanwhile: edit("Pod", "demo-1", func(u *unstructured.Unstructured) { u.SetUID("another") }),
			Answer:    "y", Code: exit.Refused, Want: "was replaced in the meantime",
		},
		"Gone": {
			Reason: "A Chroma that was deleted meanwhile has nothing to restart.", Meanwhile: edit("Chroma", "demo", nil),
			Answer: "y", Code: exit.Error, Want: `"demo" not found`,
		},
	})
}
