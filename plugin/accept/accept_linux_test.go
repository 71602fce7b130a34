package accept_test

import (
	"strings"
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
	cases := map[string]struct {
		reason string
		answer func(*fixture.Server) string
		code   exit.Code
		want   string
		writes int
	}{
		"Yes": {reason: "A person says so.", answer: func(*fixture.Server) string { return "yes" }, want: "chroma default/demo changed", writes: 1},
		"No":  {reason: "A person does not.", answer: func(*fixture.Server) string { return "no" }, code: exit.Error, want: "not confirmed: nothing was changed"},
		"Restored": {reason: "A claim that somebody has restored meanwhile is not given up.", answer: func(s *fixture.Server) string {
			restored(s)
			return "y"
		}, code: exit.Refused, want: "the claim is another one than a moment ago"},
		"Found": {reason: "Nor is the lost one, if it is there again.", answer: func(s *fixture.Server) string {
			restored(s)
			s.Edit("Chroma", "demo", func(u *unstructured.Unstructured) {
				_ = unstructured.SetNestedField(u.Object, "restored", "status", "claimUID")
			})
			return "y"
		}, code: exit.Refused, want: "it is not lost"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "claim-lost")...)
			got := fixture.AtTerminal(t, server, func() string { return tc.answer(server) }, "accept-claim", "demo", "-n", "default", "--new")
			if got.Code != tc.code || !strings.Contains(got.Out+got.Err, tc.want) || len(server.Writes()) != tc.writes {
				t.Errorf("\n%s\nwant exit code %d, %q and %d writes, got %v and:\n%s", tc.reason, tc.code, tc.want, tc.writes, server.Writes(), got)
			}
		})
	}
}
