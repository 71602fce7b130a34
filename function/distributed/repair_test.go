package distributed_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

const workQueuePod = "Pod/work-queue-service-0"

func (c *cluster) replicas(role string) int {
	value, _, _ := unstructured.NestedFieldNoCopy(c.observed[role].Object, "spec", "replicas")
	return int(value.(float64))
}

// unready makes a workload and its Pod not ready.
func (c *cluster) unready(role, pod string) {
	_ = unstructured.SetNestedField(c.observed[role].Object, float64(0), "status", "readyReplicas")
	_ = unstructured.SetNestedField(c.observed[role].Object, float64(0), "status", "availableReplicas")
	_ = unstructured.SetNestedSlice(c.others[pod].Object, []any{map[string]any{"type": "Ready", "status": "False"}}, "status", "conditions")
}

func (c *cluster) after(d time.Duration) {
	c.now = c.now.Add(d)
	c.pass()
}

func TestWorkQueueRestarted(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.WorkQueue)
	c.unready(role, workQueuePod)
	c.pass()
	c.after(179 * time.Second)
	if c.replicas(role) != 1 || c.condition(reason.Repaired).Status != pass.False {
		t.Fatalf("nothing is repaired before 180 s")
	}
	if c.last.TTL != time.Second {
		t.Errorf("the next pass comes when the time is up, got %s", c.last.TTL)
	}
	c.after(time.Second)
	if c.replicas(role) != 0 {
		t.Fatalf("the work queue is restarted by replicas 0: a template change does not replace a Pod that never got ready")
	}
	want := pass.Condition{Type: reason.Repaired, Status: pass.True, Reason: reason.WorkQueueRestarted,
		Message: "The work queue was restarted at 2026-11-01T12:03:00Z: it was not ready for 180 s although the storage was there."}
	if diff := cmp.Diff(want, c.condition(reason.Repaired)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	c.after(5 * time.Second)
	if c.replicas(role) != 0 {
		t.Fatalf("its Pod is still there")
	}
	c.observed[role].Object["status"] = map[string]any{"observedGeneration": c.observed[role].GetGeneration(), "replicas": 0}
	c.after(time.Second)
	if c.replicas(role) != 0 {
		t.Fatalf("the StatefulSet says that its Pod is gone, and the Pod is still there")
	}
	delete(c.others, workQueuePod)
	c.after(time.Second)
	if c.replicas(role) != 1 {
		t.Fatalf("with its Pod gone the work queue gets another")
	}

	// The new Pod does not get ready either.
	c.rollOut(c.observed[role])
	c.unready(role, workQueuePod)
	c.after(time.Second)
	c.after(time.Hour)
	c.after(time.Hour)
	if c.replicas(role) != 1 {
		t.Errorf("once per incident")
	}
	if diff := cmp.Diff(want, c.condition(reason.Repaired)); diff != "" {
		t.Errorf("the condition is constant: -want, +got:\n%s", diff)
	}

	// It heals, and falls ill again.
	c.rollOut(c.observed[role])
	c.after(time.Second)
	if !c.last.Ready || c.status().Repairs[chart.WorkQueue].UnreadySince != nil {
		t.Fatalf("the incident is over: %+v, %+v", c.status().Repairs, c.condition(reason.ServerReady))
	}
	c.unready(role, workQueuePod)
	c.after(time.Second)
	c.after(180 * time.Second)
	if c.replicas(role) != 0 {
		t.Errorf("another incident has its own restart")
	}
}

func TestWorkQueueWaitsForStorage(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.WorkQueue)
	c.unready(role, workQueuePod)
	c.checks.ObjectStorage = distributed.Result{Status: pass.False, Reason: reason.Unreachable}
	c.pass()
	c.after(time.Hour)
	if c.replicas(role) != 1 {
		t.Fatal("without storage a restart would not help")
	}
	c.checks.ObjectStorage = distributed.Result{Status: pass.True, Reason: reason.CheckPassed}
	c.after(time.Second)
	c.after(179 * time.Second)
	if c.replicas(role) != 1 {
		t.Fatal("180 s since the storage was there")
	}
	c.after(time.Second)
	if c.replicas(role) != 0 {
		t.Fatal("the storage has been there for 180 s")
	}
}

func TestSysdbLeaderLost(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.SysDB)
	generation := c.observed[role].GetGeneration()
	list := c.others["MemberList/fn-consumer-memberlist"]
	lose := func() {
		_ = unstructured.SetNestedSlice(list.Object, []any{map[string]any{"member_id": "fn-consumer-of-before"}}, "spec", "members")
	}
	lose()
	c.pass()
	if !c.last.Ready || c.last.TTL != time.Minute {
		t.Errorf("all is ready, and looked at every minute, got ready %t and %s", c.last.Ready, c.last.TTL)
	}
	c.after(135 * time.Second)
	if c.last.TTL != 45*time.Second {
		t.Errorf("the next pass comes when the time is up, got %s", c.last.TTL)
	}
	c.after(44 * time.Second)
	if c.observed[role].GetGeneration() != generation {
		t.Fatal("nothing is repaired before 180 s")
	}
	c.after(time.Second)
	annotations, _, _ := unstructured.NestedStringMap(c.observed[role].Object, "spec", "template", "metadata", "annotations")
	if at := annotations["chroma.chromadotnet.org/restarted-at"]; at != "2026-11-01T12:03:00Z" {
		t.Fatalf("the sysdb, a Deployment, is restarted by an annotation of its template, got %q", at)
	}
	if got := c.condition(reason.Repaired); got.Reason != reason.SysdbLeaderLost || !strings.Contains(got.Message, "2026-11-01T12:03:00Z") {
		t.Errorf("Repaired: got %+v", got)
	}
	generation = c.observed[role].GetGeneration()
	c.rollOut(c.observed[role])
	lose() // It does not help.
	for range 5 {
		c.after(time.Hour)
	}
	if c.observed[role].GetGeneration() != generation {
		t.Error("once per incident, and the annotation stays")
	}
	c.listMembers()
	c.after(time.Second)
	lose()
	c.after(time.Second)
	c.after(180 * time.Second)
	if c.observed[role].GetGeneration() == generation {
		t.Error("another incident has its own restart")
	}
}

func TestSysdbNotReady(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.SysDB)
	_ = unstructured.SetNestedSlice(c.others["MemberList/query-service-memberlist"].Object, []any{}, "spec", "members")
	c.pass()
	c.after(100 * time.Second)
	c.unready(role, "Pod/sysdb-0")
	c.after(time.Second)
	c.rollOut(c.observed[role])
	_ = unstructured.SetNestedSlice(c.others["MemberList/query-service-memberlist"].Object, []any{}, "spec", "members")
	generation := c.observed[role].GetGeneration()
	c.after(time.Second)
	c.after(100 * time.Second)
	if c.observed[role].GetGeneration() != generation {
		t.Error("the sysdb has to be ready as long as the list lacks Pods")
	}
}

// TestRepairAfterACrash: the object was written, and the status was not.
func TestRepairAfterACrash(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.WorkQueue)
	c.unready(role, workQueuePod)
	c.pass()
	status := c.xr["status"]
	c.after(180 * time.Second)
	c.xr["status"] = status
	for i := range 3 {
		c.after(10 * time.Second)
		if c.replicas(role) != 0 || !strings.Contains(c.condition(reason.Repaired).Message, "12:03:00Z") {
			t.Fatalf("pass %d goes on with the restart that the object shows, got %d replicas, %+v", i, c.replicas(role), c.condition(reason.Repaired))
		}
	}
}

func TestRolloutStuck(t *testing.T) {
	for _, name := range []string{chart.LogService, chart.QueryService, chart.CompactionService, chart.GarbageCollector} {
		t.Run(name, func(t *testing.T) {
			c := running(t, "52ce844")
			role := workloadRole(name)
			set := c.observed[role]
			pod := fmt.Sprintf("%s-0", set.GetName())
			c.unready(role, "Pod/"+pod)
			labels := c.others["Pod/"+pod].GetLabels()
			labels["controller-revision-hash"] = "before"
			c.others["Pod/"+pod].SetLabels(labels)
			_ = unstructured.SetNestedField(set.Object, "after", "status", "updateRevision")
			c.pass()
			got := c.condition(reason.ServerReady)
			if got.Reason != reason.RolloutStuck || !strings.HasSuffix(got.Message, "Delete it: kubectl delete pod -n vectors "+pod) {
				t.Errorf("it names the Pod and the command, got %+v", got)
			}
		})
	}
}

func TestIllegalInstruction(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.QueryService)
	c.unready(role, "Pod/query-service-0")
	_ = unstructured.SetNestedSlice(c.others["Pod/query-service-0"].Object, []any{map[string]any{
		"name": "query-service", "lastState": map[string]any{"terminated": map[string]any{"exitCode": int64(132)}},
	}}, "status", "containerStatuses")
	c.pass()
	if got := c.condition(reason.ServerReady); got.Reason != reason.IllegalInstruction || !strings.Contains(got.Message, "AVX-512") {
		t.Errorf("exit code 132 is explained, got %+v", got)
	}
}

// TestStaleAddress: a StatefulSet's Pod comes back under its name, so the list of a sysdb without its lease still has it,
// with the address that it had before.
func TestStaleAddress(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.SysDB)
	listed := func(address string) {
		_ = unstructured.SetNestedField(c.others["Pod/query-service-0"].Object, "10.0.0.7", "status", "podIP")
		list := c.others["MemberList/query-service-memberlist"]
		_ = unstructured.SetNestedSlice(list.Object, []any{
			map[string]any{"member_id": "query-service-0", "member_ip": address}, map[string]any{"member_id": "query-service-1"},
		}, "spec", "members")
	}
	generation := c.observed[role].GetGeneration()
	listed("10.0.0.7")
	c.pass()
	c.after(180 * time.Second)
	if c.observed[role].GetGeneration() != generation {
		t.Fatal("a list with the Pod's address lacks nothing")
	}
	listed("10.0.0.6")
	c.pass()
	c.after(180 * time.Second)
	if c.observed[role].GetGeneration() == generation {
		t.Errorf("nobody reaches the Pod by an address of before: the sysdb is restarted, got %+v", c.condition(reason.Repaired))
	}
}

// forbidden pass: an admission policy refuses any change of a role with 403, and Crossplane ends such a pass before the
// status is written. True: the pass was such a one.
func (c *cluster) forbidden(role string) bool {
	before, status := c.observed[role], plain(c.t, c.xr["status"])
	c.pass()
	if c.observed[role].GetGeneration() == before.GetGeneration() {
		return false
	}
	c.observed[role], c.xr["status"] = before, status
	conditions := slices.DeleteFunc(status["conditions"].([]any), func(of any) bool { return of.(map[string]any)["type"] == "Synced" })
	status["conditions"] = conditions
	c.synced(fmt.Sprintf(`cannot compose resources: cannot apply composed resource %q: the policy forbids it`, role))
	return true
}

// TestRefusedRepair: while the API refuses a repair the status is written all the same, and once it is allowed the repair
// comes.
func TestRefusedRepair(t *testing.T) {
	cases := map[string]struct {
		component string
		fail      func(*cluster)
		repaired  func(*cluster) bool
	}{
		chart.WorkQueue: {
			component: chart.WorkQueue,
			fail:      func(c *cluster) { c.unready(workloadRole(chart.WorkQueue), workQueuePod) },
			repaired:  func(c *cluster) bool { return c.replicas(workloadRole(chart.WorkQueue)) == 0 },
		},
		chart.SysDB: {
			component: chart.SysDB,
			fail: func(c *cluster) {
				_ = unstructured.SetNestedSlice(c.others["MemberList/fn-consumer-memberlist"].Object, []any{}, "spec", "members")
			},
			repaired: func(c *cluster) bool {
				annotations, _, _ := unstructured.NestedStringMap(c.observed[workloadRole(chart.SysDB)].Object, "spec", "template", "metadata", "annotations")
				return annotations[chart.AnnotationRestartedAt] != ""
			},
		},
	}
	for name, tc := range cases {
		for spec, version := range map[string]string{"": "52ce844", "of a spec that is refused": "0123456"} {
			t.Run(name+" "+spec, func(t *testing.T) {
				c := running(t, "52ce844")
				role := workloadRole(tc.component)
				c.spec()["version"] = version
				tc.fail(c)
				c.pass()
				c.now = c.now.Add(180 * time.Second)
				lost, last := 0, -2
				for i := range 30 {
					if c.forbidden(role) {
						if lost++; last == i-1 {
							t.Fatal("the status is not written")
						}
						last = i
					} else if got := c.condition(reason.Repaired); got.Reason != reason.NothingRepaired {
						t.Fatalf("nothing was repaired, got %+v", got)
					} else if got := c.condition(reason.UpgradeBlocked); spec == "" && got.Reason != reason.WriteRefused {
						t.Fatalf("it is told that the API refuses it, got %+v", got)
					}
					c.now = c.now.Add(5 * time.Second)
				}
				if lost == 0 || lost > 15 {
					t.Errorf("of 30 passes %d end before the status is written", lost)
				}
				for range 30 {
					c.after(5 * time.Second)
				}
				if !tc.repaired(c) || c.condition(reason.Repaired).Reason == reason.NothingRepaired {
					t.Errorf("once it is allowed the repair comes, got %+v", c.condition(reason.Repaired))
				}
			})
		}
	}
}

// TestListOfALaterVersion: while a version runs whose fn-consumers are in no list, the newest one's list is asked for, and is
// not there. That tells nothing of the lists that are: an incident of a moment ends.
func TestListOfALaterVersion(t *testing.T) {
	for name, version := range map[string]string{"Held": "0123456", "WaitingForAJob": "52ce844"} {
		t.Run(name, func(t *testing.T) {
			c := running(t, "93652ec")
			if version == "52ce844" {
				c.spec()["postgres"].(map[string]any)["database"] = "other" // It is not checked.
				c.checks.Postgres = distributed.Result{Status: pass.False, Reason: reason.Timeout}
			}
			c.spec()["version"] = version
			for range 2 {
				c.unlist("query-service-memberlist")
				c.after(time.Hour)
				if got := c.condition(reason.Repaired); got.Reason != reason.NothingRepaired {
					t.Fatalf("a list that lacks Pods for a moment, got %+v", got)
				}
				c.listMembers()
				c.after(time.Second)
				if got := c.status().Repairs[chart.SysDB]; got.UnreadySince != nil {
					t.Fatalf("the incident is over, got %+v", got)
				}
			}
		})
	}
}

// TestWorkQueueRepairSpent: storage that goes away ends an incident, its one restart too. A restart that does not help is
// told with what a person can do.
func TestWorkQueueRepairSpent(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.WorkQueue)
	restart := func() {
		t.Helper()
		c.unready(role, workQueuePod)
		c.after(time.Second)
		if c.after(180 * time.Second); c.replicas(role) != 0 {
			t.Fatal("it is restarted")
		}
		delete(c.others, workQueuePod)
		c.observed[role].Object["status"] = map[string]any{"observedGeneration": c.observed[role].GetGeneration(), "replicas": 0}
		c.after(time.Second)
		c.rollOut(c.observed[role])
		c.unready(role, workQueuePod)
	}
	restart()
	c.checks.ObjectStorage = distributed.Result{Status: pass.False, Reason: reason.Unreachable}
	c.after(time.Second)
	c.checks.ObjectStorage = distributed.Result{Status: pass.True, Reason: reason.CheckPassed}
	restart()

	c.after(100 * time.Second)
	if got := c.condition(reason.ServerReady); got.Reason != reason.ComponentsStarting {
		t.Errorf("it loads, got %+v", got)
	}
	c.after(80 * time.Second)
	want := pass.Condition{Type: reason.ServerReady, Status: pass.False, Reason: reason.RolloutStuck,
		Message: "Pod work-queue-service-0 is not ready although the work queue was restarted, which is done once per incident. Delete it: kubectl delete pod -n vectors work-queue-service-0"}
	if diff := cmp.Diff(want, c.condition(reason.ServerReady)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
