package incident_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestListAndShow(t *testing.T) {
	for _, state := range []string{"incident", "ready"} {
		server := fixture.Serve(t, fixture.Load(t, state)...)
		fixture.Golden(t, state+".list.txt", fixture.Run(t, server, "", "incident", "list", "-A").String())
		fixture.Golden(t, state+".show.txt", fixture.Run(t, server, "", "incident", "show", "demo", "-n", "default").String())
		fixture.Golden(t, state+".show.json", fixture.Run(t, server, "", "incident", "show", "demo", "-n", "default", "-o", "json").Out)
	}
}

func TestShowTellsWhatTheContainerRunsAndSinceWhen(t *testing.T) {
	const digest, started = "docker.io/chromadb/chroma@sha256:4a5c", "2026-01-01T00:30:00Z"
	objects := fixture.Load(t, "incident")
	for _, object := range objects {
		if object.GetKind() != "Pod" {
			continue
		}
		// The Pod is old. Its image was set by hand, and its container made anew.
		states, _, _ := unstructured.NestedSlice(object.Object, "status", "containerStatuses")
		state := states[0].(map[string]any)
		state["imageID"] = digest
		_ = unstructured.SetNestedField(state, started, "state", "running", "startedAt")
		_ = unstructured.SetNestedSlice(object.Object, states, "status", "containerStatuses")
	}
	server := fixture.Serve(t, objects...)
	for name, format := range map[string]string{"Text": "", "JSON": "json", "YAML": "yaml"} {
		got := fixture.Run(t, server, "", "incident", "show", "demo", "-n", "default", "-o", format)
		for _, want := range []string{digest, started, "kubectl chroma logs -n default demo", "kubectl chroma incident declare -n default demo --version VERSION"} {
			if !strings.Contains(got.Out, want) {
				t.Errorf("%s: want %q, got:\n%s", name, want, got)
			}
		}
	}
}

func TestTheOutputIsCheckedFirst(t *testing.T) {
	for name, args := range map[string][]string{"list": {"incident", "list"}, "show": {"incident", "show", "demo"}} {
		server := fixture.Serve(t, fixture.Load(t, "incident")...)
		got := fixture.Run(t, server, "", append(args, "-n", "default", "-o", "yml")...)
		if requests := server.Requests(); got.Code != exit.Usage || len(requests) > 0 {
			t.Errorf("%s: want a usage error and no request, got %v and\n%s", name, requests, got)
		}
	}
}

func TestDeclare(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"incident", "declare", "demo"}, more...) }
	cases := map[string]fixture.Change{
		"Declared": {
			Reason: "The annotation names version and code.", State: "incident", Args: args("--version", "1.5.9", "--yes"),
			Writes: 1,
		},
		"TooLow":      {Reason: "A version below what is known to have run is refused.", State: "incident", Args: args("--version", "1.5.8", "--yes"), Code: exit.Refused},
		"Forced":      {Reason: "Force writes it, with a warning.", State: "incident", Args: args("--version", "1.5.8", "--force", "--yes"), Writes: 1},
		"NoVersion":   {Reason: "A version is needed.", State: "incident", Args: args(), Code: exit.Usage},
		"NotAVersion": {Reason: "A tag without a version is refused.", State: "incident", Args: args("--version", "latest", "--yes"), Code: exit.Refused},
		"NoIncident":  {Reason: "Without an incident there is nothing to declare.", State: "ready", Args: args("--version", "1.5.9", "--yes"), Code: exit.Refused},
		"Notes":       {Reason: "What the plugin could not read is told before the question.", State: "incident", Args: args("--version", "1.5.9", "--yes"), Fault: fixture.Forbid("/compositionrevisions/"), Writes: 1},
		"NotAsked":    {Reason: "Without a terminal --yes is needed.", State: "incident", Args: args("--version", "1.5.9"), Code: exit.Usage},
		"Client":      {Reason: "A dry run of the client says what would be written.", State: "incident", Args: args("--version", "1.5.9", "--dry-run", "client")},
		"Server":      {Reason: "A dry run of the server has it checked.", State: "incident", Args: args("--version", "1.5.9", "--dry-run", "server")},
		"Distributed": {Reason: "A distributed Chroma has no incidents.", State: "distributed-ready", Args: args("--version", "1.5.9", "--yes"), Code: exit.Refused},
		"Claim": {
			Reason: "Behind a claim the composite has the incident, and people annotate their claim.", State: "claim-backed", Args: args("--version", "1.5.9", "--yes"), Writes: 1,
			Before: func(s *fixture.Server) {
				s.Edit("XChroma", "demo-6a5fb", func(u *unstructured.Unstructured) {
					_ = unstructured.SetNestedField(u.Object, true, "status", "dataVersionUnknown")
					_ = unstructured.SetNestedField(u.Object, "efbtlcny-4", "status", "dataVersionUnknownIncident")
				})
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}
