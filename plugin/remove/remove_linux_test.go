package remove_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestDeleteAtTerminal(t *testing.T) {
	cases := map[string]struct {
		reason string
		answer func(*fixture.Server) string
		code   exit.Code
		want   string
		// writes that reach the API server.
		writes int
	}{
		"Yes":   {reason: "A yes is one.", answer: func(*fixture.Server) string { return "y" }, want: "chroma default/demo deleted", writes: 1},
		"Word":  {reason: "So is the whole word.", answer: func(*fixture.Server) string { return "YES" }, want: "chroma default/demo deleted", writes: 1},
		"No":    {reason: "A no changes nothing.", answer: func(*fixture.Server) string { return "n" }, code: exit.Error, want: "not confirmed: nothing was changed"},
		"Enter": {reason: "No answer is a no.", answer: func(*fixture.Server) string { return "" }, code: exit.Error, want: "not confirmed: nothing was changed"},
		"Another": {reason: "Who is created under the name meanwhile is not meant.", answer: func(s *fixture.Server) string {
			s.Edit("Chroma", "demo", func(u *unstructured.Unstructured) { u.SetUID("another") })
			return "y"
		}, code: exit.Refused, want: "created again in the meantime"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			got := fixture.AtTerminal(t, server, func() string { return tc.answer(server) }, "delete", "demo", "-n", "default", "--keep-data")
			if got.Code != tc.code || !strings.Contains(got.Out+got.Err, tc.want) || len(server.Writes()) != tc.writes {
				t.Errorf("\n%s\nwant exit code %d, %q and %d writes, got %v and:\n%s", tc.reason, tc.code, tc.want, tc.writes, server.Writes(), got)
			}
			if !strings.Contains(got.Err, "Delete default/demo, and keep its claim demo-1? [y/N] ") {
				t.Errorf("\n%s\nwant a question, got:\n%s", tc.reason, got)
			}
		})
	}
}
