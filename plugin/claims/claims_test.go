package claims_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestClaims(t *testing.T) {
	for _, state := range []string{"ready", "retained", "claim-lost"} {
		t.Run(state, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, state)...)
			fixture.Golden(t, state+".txt", fixture.Run(t, server, "", "claims", "-A").String())
			fixture.Golden(t, state+".unused.json", fixture.Run(t, server, "", "claims", "-A", "--unused", "-o", "json").Out)
		})
	}
}

func TestAdopt(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"adopt"}, more...) }
	cases := map[string]fixture.Change{
		"Retained":  {Reason: "A claim that nobody uses gets the labels of its next Chroma.", State: "retained", Args: args("demo-1", "--as", "demo"), Want: "uses it", Bodies: []string{`"chroma.chromadotnet.org/chroma":"demo"`}},
		"InUse":     {Reason: "A claim in use is refused, and its users are named.", State: "ready", Args: args("demo-1", "--as", "demo"), Code: exit.Refused, Want: "Chroma demo, Object demo-claim"},
		"OtherName": {Reason: "A claim of another name is to be cloned.", State: "retained", Args: args("demo-1", "--as", "other"), Code: exit.Refused, Want: "name: other-1"},
		"NoName":    {Reason: "A name is needed.", State: "retained", Args: args("demo-1"), Code: exit.Usage, Want: "--as"},
		"Absent":    {Reason: "A claim that is not there is an error.", State: "retained", Args: args("nobody-1", "--as", "nobody"), Code: exit.Error, Want: "not found"},
		"DryRun":    {Reason: "A dry run writes nothing.", State: "retained", Args: args("demo-1", "--as", "demo", "--dry-run", "client"), Want: "would be changed"},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}

func TestAdoptRefusesWhatAPodUses(t *testing.T) {
	pod := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "copy", "namespace": "default"},
		"spec": map[string]any{"volumes": []any{map[string]any{"name": "data", "persistentVolumeClaim": map[string]any{"claimName": "demo-1"}}}},
	}}
	server := fixture.Serve(t, append(fixture.Load(t, "retained"), pod)...)
	if got := fixture.Run(t, server, "", "adopt", "demo-1", "--as", "demo", "-n", "default"); got.Code != exit.Refused || len(server.Writes()) > 0 {
		t.Errorf("a claim that a Pod mounts is refused: %s", got)
	}
}
