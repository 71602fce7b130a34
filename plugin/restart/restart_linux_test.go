package restart_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestRestartAtTerminal(t *testing.T) {
	cases := map[string]struct {
		reason string
		answer func(*fixture.Server) string
		code   exit.Code
		want   string
		writes int
	}{
		"Yes": {reason: "A person says so.", answer: func(*fixture.Server) string { return "y" }, want: "pod default/demo-1 deleted", writes: 1},
		"No":  {reason: "A person does not.", answer: func(*fixture.Server) string { return "n" }, code: exit.Error, want: "not confirmed: nothing was changed"},
		"Terminating": {reason: "A claim that somebody deletes meanwhile would go with the Pod.", answer: func(s *fixture.Server) string {
			s.Edit("PersistentVolumeClaim", "demo-1", func(u *unstructured.Unstructured) { u.SetDeletionTimestamp(&metav1.Time{Time: fixture.Now()}) })
			return "y"
		}, code: exit.Refused, want: "the data would be gone with the Pod"},
		"Replaced": {reason: "A Pod that has come meanwhile need not be restarted.", answer: func(s *fixture.Server) string {
			s.Edit("Pod", "demo-1", func(u *unstructured.Unstructured) { u.SetUID("another") })
			return "y"
		}, code: exit.Refused, want: "was replaced in the meantime"},
		"Gone": {reason: "A Chroma that was deleted meanwhile has nothing to restart.", answer: func(s *fixture.Server) string {
			s.Edit("Chroma", "demo", nil)
			return "y"
		}, code: exit.Error, want: `"demo" not found`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			got := fixture.AtTerminal(t, server, func() string { return tc.answer(server) }, "restart", "demo", "-n", "default")
			if got.Code != tc.code || !strings.Contains(got.Out+got.Err, tc.want) || len(server.Writes()) != tc.writes {
				t.Errorf("\n%s\nwant exit code %d, %q and %d writes, got %v and:\n%s", tc.reason, tc.code, tc.want, tc.writes, server.Writes(), got)
			}
		})
	}
}
