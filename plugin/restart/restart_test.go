package restart_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestRestart(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"restart", "demo"}, more...) }
	cases := map[string]fixture.Change{
		"Server":      {Reason: "The Pod is deleted, no more.", State: "ready", Args: args("--yes"), Writes: 1},
		"Incident":    {Reason: "A server that the function would not start again is not stopped.", State: "incident", Args: args("--yes"), Code: exit.Refused},
		"Terminating": {Reason: "The Pod that holds a dying claim stays.", State: "claim-terminating", Args: args("--yes"), Code: exit.Refused},
		"NoPod":       {Reason: "Without a Pod there is nothing to restart.", State: "claim-lost", Args: args("--yes"), Code: exit.Unhealthy},
		"Component":   {Reason: "A single server has no components.", State: "ready", Args: args("--component", "query-service", "--yes"), Code: exit.Usage},
		"NotAsked":    {Reason: "Without a terminal --yes is needed.", State: "ready", Args: args(), Code: exit.Usage},
		"Client":      {Reason: "A dry run of the client says what would be deleted.", State: "ready", Args: args("--dry-run", "client")},
		"ServerDry":   {Reason: "A dry run of the server has it checked.", State: "ready", Args: args("--dry-run", "server")},
		"Claim":       {Reason: "The Pod behind a claim is restarted like any.", State: "claim-backed", Args: args("--yes"), Writes: 1},
		"ClaimUnread": {
			Reason: "Whether the data would stay is not known when the claim cannot be read.", State: "ready", Args: args("--yes"), Fault: fixture.Forbid("/persistentvolumeclaims"),
			Code: exit.Error,
		},
		"ClassGone": {
			Reason: "The API would refuse the next Pod.", State: "ready", Args: args("--yes"), Code: exit.Refused,
			Before: func(s *fixture.Server) {
				s.Edit("Chroma", "demo", func(u *unstructured.Unstructured) {
					_ = unstructured.SetNestedField(u.Object, "important", "spec", "priorityClassName")
				})
			},
		},
		"PodUnread": {
			Reason: "A Pod that cannot be read is not absent.", State: "ready", Args: args("--yes"), Fault: fixture.Forbid("/pods/demo-1"),
			Code: exit.Error,
		},
		"Undeleted": {
			Reason: "A deletion that is refused is told.", State: "ready", Args: args("--yes", "--wait"), Fault: fixture.Writing(fixture.Forbid("/")),
			Code: exit.Error,
		},
		"Hangs": {
			Reason: "A deletion without an answer is not waited for.", State: "ready", Args: args("--yes", "--wait", "--request-timeout", "2s"), Fault: fixture.Writing(fixture.Hang("/")),
			Code: exit.TimedOut,
		},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}

func TestRestartComponent(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"restart", "demo"}, more...) }
	cases := map[string]fixture.Change{
		"Spec":     {Reason: "The name that status shows.", State: "distributed-ready", Args: args("--component", "queryService", "--yes"), Writes: 1},
		"Workload": {Reason: "The name that kubectl shows.", State: "distributed-ready", Args: args("--component", "rust-frontend-service", "--yes"), Writes: 1},
		"Unknown":  {Reason: "A Deployment of somebody else is no component, and the components are named.", State: "distributed-ready", Args: args("--component", "postgres", "--yes"), Code: exit.Usage},
		"None":     {Reason: "One has to be said.", State: "distributed-ready", Args: args("--yes"), Code: exit.Usage},
		"NotAsked": {Reason: "Without a terminal --yes is needed.", State: "distributed-ready", Args: args("--component", "queryService"), Code: exit.Usage},
		"Absent":   {Reason: "A component that does not run yet cannot be restarted.", State: "distributed-sysdb", Args: args("--component", "queryService", "--yes"), Code: exit.Unhealthy},
		"Client":   {Reason: "A dry run of the client says what would be changed.", State: "distributed-ready", Args: args("--component", "queryService", "--dry-run", "client")},
		"Server":   {Reason: "A dry run of the server has it checked.", State: "distributed-ready", Args: args("--component", "queryService", "--dry-run", "server")},
		"Stranger": {
			Reason: "What is not ours is left alone.", State: "distributed-ready", Args: args("--component", "queryService", "--yes"), Code: exit.Refused,
			Before: func(s *fixture.Server) {
				s.Edit("StatefulSet", "query-service", func(u *unstructured.Unstructured) { u.SetLabels(nil) })
			},
		},
		"Migration": {Reason: "The migration is no component.", State: "distributed-ready", Args: args("--component", "migration", "--yes"), Code: exit.Usage},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
	t.Run("Wait", func(t *testing.T) {
		server := fixture.Serve(t, fixture.Load(t, "distributed-ready")...)
		var looks atomic.Int64
		server.Fault = func(_ http.ResponseWriter, r *http.Request) bool {
			status := map[string]int64{}
			switch {
			case r.Method == http.MethodPatch:
				// The spec is another one, which the StatefulSet's controller has not seen yet.
				server.Edit("StatefulSet", "query-service", func(u *unstructured.Unstructured) { u.SetGeneration(2) })
				looks.Store(1)
				return false
			case !strings.HasSuffix(r.URL.Path, "/statefulsets/query-service") || looks.Load() == 0:
				return false
			case looks.Add(1) == 3:
				status = map[string]int64{"observedGeneration": 2, "updatedReplicas": 0}
			case looks.Load() == 4:
				status = map[string]int64{"updatedReplicas": 2}
			}
			server.Edit("StatefulSet", "query-service", func(u *unstructured.Unstructured) {
				for field, value := range status {
					_ = unstructured.SetNestedField(u.Object, value, "status", field)
				}
			})
			return false
		}
		got := fixture.Run(t, server, "", args("--component", "queryService", "-n", "default", "-y", "--wait", "--timeout", "20s")...)
		if got.Code != exit.Fine || looks.Load() != 4 {
			t.Errorf("want the new Pods waited for, after %d looks got:\n%s", looks.Load(), got)
		}
	})
}
