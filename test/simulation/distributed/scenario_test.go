package distributed_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// start a system, and tell its story when a test fails.
func start(t *testing.T) *system {
	t.Helper()
	var s *system
	s = newSystem(fatal{TB: t, of: func() string {
		if s == nil {
			return ""
		}
		return s.story()
	}}, 1, mistake{})
	return s
}

func imageOf(repository, version string) string {
	return "docker.io/chromadb/" + repository + ":" + version
}

func TestUpgrade(t *testing.T) {
	s := start(t)
	s.create(older)
	if !s.is(older) {
		s.oracle.t.Fatalf("the system gets ready within two minutes")
	}
	s.rest(newer)
	history, _, _ := unstructured.NestedStringSlice(s.chroma().Object, "status", "versionHistory")
	if diff := cmp.Diff([]string{older, newer}, history); diff != "" {
		t.Errorf("versionHistory: -want, +got:\n%s", diff)
	}
	s.rest(older) // What only the later version has goes in the end.
}

// TestDeleted: the MemberLists go with the Chroma, even while the function is down, and although the sysdb stripped their
// owners.
func TestDeleted(t *testing.T) {
	s := start(t)
	s.create(newer)
	s.SetFunctionDown(true)
	s.delete(name)
	s.Advance(3 * time.Minute)
	for _, of := range s.Objects() {
		switch of.GetKind() {
		case "MemberList", "Object", "Deployment", "StatefulSet", "Job", "Pod", "Service", "Role", "RoleBinding", "ConfigMap", "ServiceAccount":
			t.Errorf("%s %s is still there", of.GetKind(), of.GetName())
		}
	}
}

// TestRace: of two in one namespace one gets it, and the other composes nothing until the first is gone.
func TestRace(t *testing.T) {
	s := start(t)
	s.apply(name)
	s.apply(rival)
	s.Advance(3 * time.Minute)
	reasonOf := func(called string) string {
		_, because, _ := simulator.Condition(s.Get(kindChroma(), namespace, called), "ServerReady")
		return because
	}
	winner, loser := name, rival
	if reasonOf(rival) == string(reason.ComponentsReady) {
		winner, loser = rival, name
	}
	if got := reasonOf(winner) + " " + reasonOf(loser); got != "ComponentsReady DistributedNamespaceTaken" {
		s.oracle.t.Fatalf("one has the namespace, the other says so, got %s", got)
	}
	s.delete(winner)
	s.Advance(5 * time.Minute)
	if got := reasonOf(loser); got != string(reason.ComponentsReady) {
		s.oracle.t.Fatalf("the other has it then, got %s", got)
	}
}

func TestMigrationFails(t *testing.T) {
	s := start(t)
	s.create(older)
	s.SetImageFault(imageOf("sysdb-migration", newer), simulator.ImageFault{Exits: true, ExitCode: 1})
	s.spec["version"] = newer
	s.apply(name)
	s.Advance(20 * time.Minute)
	if _, because, message := s.condition("ServerReady"); because != reason.MigrationFailed || !command.MatchString(message) {
		s.oracle.t.Fatalf("it is reported with the way on, got %s %s", because, message)
	}
	for _, component := range distributed.Versions()[0].Components {
		if got := tag(object(s.Get(store.Kind("apps/v1", string(component.Kind)), namespace, component.Workload))); got != older {
			t.Errorf("%s runs on in the older version, got %s", component.Workload, got)
		}
	}
	s.rest(newer)
}

// TestWorkQueueRestarted: it started before its storage was there.
func TestWorkQueueRestarted(t *testing.T) {
	s := start(t)
	s.storage = false
	s.create(newer)
	s.storage = true
	s.Advance(6 * time.Minute)
	if !s.is(newer) || s.oracle.restarts[chart.WorkQueue] != 1 {
		s.oracle.t.Fatalf("it is restarted once, and gets ready, got %d restarts", s.oracle.restarts[chart.WorkQueue])
	}
	if status, because, _ := s.condition("Repaired"); status != "True" || because != reason.WorkQueueRestarted {
		t.Errorf("Repaired: got %s %s", status, because)
	}
	s.rest(newer)
}

// TestWorkQueueLosesStorageAgain: the storage goes away again as the restarted Pod loads. When it is back, that is another
// incident.
func TestWorkQueueLosesStorageAgain(t *testing.T) {
	s := start(t)
	s.storage = false
	s.create(newer)
	if !s.Until(60_000, func() bool { return s.oracle.restarts[chart.WorkQueue] == 1 }) {
		s.oracle.t.Fatalf("it is restarted")
	}
	s.Advance(time.Minute) // With a Pod that does not serve either.
	s.checks.ObjectStorage = distributed.Result{Status: pass.False, Reason: reason.Unreachable, Message: "It does not answer."}
	s.Advance(time.Minute)
	s.mend()
	s.Advance(6 * time.Minute)
	if !s.is(newer) || s.oracle.restarts[chart.WorkQueue] != 2 {
		s.oracle.t.Fatalf("it is restarted again, and gets ready, got %d restarts", s.oracle.restarts[chart.WorkQueue])
	}
	s.rest(newer)
}

// TestWorkQueueNeverReady: the restart does not help, and is not repeated.
func TestWorkQueueNeverReady(t *testing.T) {
	s := start(t)
	s.SetImageFault(imageOf("work-queue-service", newer), simulator.ImageFault{NeverReady: true})
	s.create(newer)
	s.Advance(15 * time.Minute)
	if got := s.oracle.restarts[chart.WorkQueue]; got != 1 {
		s.oracle.t.Fatalf("once per incident, got %d restarts", got)
	}
	if _, because, message := s.condition("ServerReady"); because != reason.RolloutStuck || !strings.HasSuffix(message, "kubectl delete pod -n default work-queue-service-0") {
		s.oracle.t.Fatalf("then a person is told what to type, got %s %s", because, message)
	}
	s.rest(newer)
}

// TestLeaderLost: a sysdb that leads no more lists nobody, so that new Pods are unknown.
func TestLeaderLost(t *testing.T) {
	s := start(t)
	s.create(newer)
	s.LoseLeader(namespace)
	s.spec["queryService"] = map[string]any{"replicas": 3}
	s.apply(name)
	s.Advance(6 * time.Minute)
	if got := s.oracle.restarts[chart.SysDB]; got != 1 || !s.complete(newer) {
		s.oracle.t.Fatalf("the sysdb is restarted once and lists all, got %d restarts", got)
	}
	if status, because, _ := s.condition("Repaired"); status != "True" || because != reason.SysdbLeaderLost {
		t.Errorf("Repaired: got %s %s", status, because)
	}
	s.rest(newer)
}

// TestLeaderLostInAnUpdate: the sysdb loses its lease as the log is updated. Its new Pod is ready, and in no list: the tiers
// after it wait until the sysdb was restarted.
func TestLeaderLostInAnUpdate(t *testing.T) {
	s := start(t)
	s.updateWithoutLeader()
	s.Advance(time.Minute)
	for _, of := range []string{"query-service", "compaction-service", "garbage-collector"} {
		if got := tag(object(s.Get(store.Kind("apps/v1", "StatefulSet"), namespace, of))); got != older {
			t.Errorf("%s waits for a log that is found, got %s", of, got)
		}
	}
	status, _, message := s.condition("ServerReady")
	if status != "False" || !strings.Contains(message, "MemberList rust-log-service-memberlist lacks a ready Pod") {
		t.Errorf("ServerReady: got %s %s", status, message)
	}
	s.Advance(5 * time.Minute)
	if got := s.oracle.restarts[chart.SysDB]; got != 1 || !s.is(newer) || !s.complete(newer) {
		s.oracle.t.Fatalf("the repair ends the wait, got %d restarts", got)
	}
	s.rest(newer)
}

// TestLeaderLostAgain: the sysdb that was restarted loses its lease too, in the same incident. A person is told what to type.
func TestLeaderLostAgain(t *testing.T) {
	s := start(t)
	s.updateWithoutLeader()
	for range 2000 { // Before the new Pod is ready.
		s.Advance(100 * time.Millisecond)
		s.LoseLeader(namespace)
	}
	s.Advance(4 * time.Minute)
	if _, _, message := s.condition("ServerReady"); !strings.HasSuffix(message, "kubectl rollout restart -n default deployment/sysdb") {
		s.oracle.t.Fatalf("it has the command, got %s", message)
	}
	s.obey()
	s.Advance(3 * time.Minute)
	if !s.is(newer) || !s.complete(newer) {
		s.oracle.t.Fatalf("the command helps")
	}
	s.rest(newer)
}

// updateWithoutLeader updates a system whose sysdb loses its lease as soon as it is updated.
func (s *system) updateWithoutLeader() {
	s.create(older)
	s.spec["version"] = newer
	s.apply(name)
	updated := func() bool {
		pods := s.ready("sysdb")
		return len(pods) == 1 && tag(map[string]any{"spec": map[string]any{"template": pods[0].Object}}) == newer
	}
	if !s.Until(60_000, updated) {
		s.oracle.t.Fatalf("the sysdb is updated")
	}
	s.LoseLeader(namespace)
}

// TestRolloutStuck: a Pod that never got ready is not replaced by a corrected template, and a person is told what to type.
func TestRolloutStuck(t *testing.T) {
	for _, of := range []struct{ workload, repository string }{
		{"rust-log-service", "rust-log-service"}, {"query-service", "query-service"},
		{"compaction-service", "compactor-service"}, {"garbage-collector", "garbage-collector-service"},
	} {
		t.Run(of.workload, func(t *testing.T) {
			s := start(t)
			s.SetImageFault(imageOf(of.repository, older), simulator.ImageFault{Exits: true, ExitCode: 132})
			s.create(older)
			if _, because, message := s.condition("ServerReady"); because != reason.IllegalInstruction {
				s.oracle.t.Fatalf("exit code 132 is explained, got %s %s", because, message)
			}
			s.spec["version"] = newer
			s.apply(name)
			s.Advance(3 * time.Minute)
			_, because, message := s.condition("ServerReady")
			if because != reason.RolloutStuck || !strings.HasSuffix(message, "kubectl delete pod -n default "+of.workload+"-0") {
				s.oracle.t.Fatalf("it names the Pod and the command, got %s %s", because, message)
			}
			before := s.writes
			if s.Advance(4 * time.Minute); s.chroma() == nil || message != conditionMessage(s) {
				t.Errorf("the message is constant:\n%s\n%s", message, conditionMessage(s))
			}
			if s.writes > before+20 {
				t.Errorf("a stuck system is not written to in every pass, got %d writes", s.writes-before)
			}
			s.obey()
			s.Advance(3 * time.Minute)
			if !s.is(newer) {
				s.oracle.t.Fatalf("the command helps")
			}
		})
	}
}

func conditionMessage(s *system) string {
	_, _, message := s.condition("ServerReady")
	return message
}

// TestChecksFailLater: what runs goes on running, and follows its spec.
func TestChecksFailLater(t *testing.T) {
	s := start(t)
	s.create(newer)
	bad := distributed.Result{Status: pass.False, Reason: reason.Timeout, Message: "no answer"}
	s.checks = distributed.Checks{Postgres: bad, ObjectStorage: bad}
	s.spec["frontend"] = map[string]any{"replicas": 2}
	s.apply(name)
	s.Advance(10 * time.Minute)
	if got := len(s.ready("rust-frontend-service")); !s.is(newer) || got != 2 {
		s.oracle.t.Fatalf("the system is ready with 2 frontends, got %d", got)
	}
	if status, because, _ := s.condition("PostgresReady"); status != "False" || because != reason.Timeout {
		t.Errorf("PostgresReady: got %s %s", status, because)
	}
}
