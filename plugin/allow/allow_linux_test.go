package allow_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestAllowAtTerminal(t *testing.T) {
	cases := map[string]struct {
		reason string
		answer func(*fixture.Server) string
		code   exit.Code
		want   string
		writes int
	}{
		"Yes": {reason: "A person says so.", answer: func(*fixture.Server) string { return "y" }, want: "chroma default/demo changed", writes: 1},
		"No":  {reason: "A person does not.", answer: func(*fixture.Server) string { return "n" }, code: exit.Error, want: "not confirmed: nothing was changed"},
		"Other": {reason: "What was said is not about an image that is asked for meanwhile.", answer: func(s *fixture.Server) string {
			s.Edit("Chroma", "demo", func(u *unstructured.Unstructured) {
				_ = unstructured.SetNestedField(u.Object, "docker.io/chromadb/chroma:1.5.7", "spec", "image")
			})
			return "y"
		}, code: exit.Refused, want: "another image is asked for than a moment ago"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "blocked-downgrade")...)
			got := fixture.AtTerminal(t, server, func() string { return tc.answer(server) }, "allow", "downgrade", "demo", "-n", "default")
			if got.Code != tc.code || !strings.Contains(got.Out+got.Err, tc.want) || len(server.Writes()) != tc.writes {
				t.Errorf("\n%s\nwant exit code %d, %q and %d writes, got %v and:\n%s", tc.reason, tc.code, tc.want, tc.writes, server.Writes(), got)
			}
		})
	}
}
