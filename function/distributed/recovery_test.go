package distributed_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/reason"
)

// TestOrphanedJob: kubectl delete --cascade=orphan leaves the Job behind, and nobody else deletes it. It is taken as it
// is, since its template cannot change, and from then on it is judged like any other.
func TestOrphanedJob(t *testing.T) {
	before := running(t, "52ce844")
	orphan := before.observed[job]
	orphan.SetOwnerReferences(nil)

	c := newCluster(t, "52ce844")
	c.others["Job/orphan"] = orphan
	for range 4 { // ServiceAccount, Roles, RoleBindings, Job.
		c.pass()
	}
	if !c.has(job) || url(c) != url(before) {
		t.Fatalf("the orphan is taken as it is, got %v", c.condition(reason.ServerReady))
	}
	delete(c.others, "Job/orphan")
	for range 20 {
		if c.pass(); c.last.Ready {
			return
		}
		c.settle()
	}
	t.Errorf("the system gets ready, got %v", c.condition(reason.ServerReady))
}

// TestConfigMapWithAnotherKey: server-side apply leaves a key of somebody else, so it must not hold up an update.
func TestConfigMapWithAnotherKey(t *testing.T) {
	c := running(t, "93652ec")
	c.spec()["version"] = "52ce844"
	for range 20 {
		for role, object := range c.observed {
			if strings.HasPrefix(role, "configmap-") {
				_ = unstructured.SetNestedField(object.Object, "of somebody else", "data", "notes")
			}
		}
		c.pass()
		c.settle()
	}
	if got := c.status().Version; got != "52ce844" {
		t.Errorf("the update goes through, got version %q, %v", got, c.condition(reason.ServerReady))
	}
}

// TestPodsOfAVersionWithoutList: the fn-consumers of 93652ec are no members. In an update that takes long, the new list
// lacks them, and no restart of the sysdb would list them.
func TestPodsOfAVersionWithoutList(t *testing.T) {
	c := running(t, "93652ec")
	c.spec()["version"] = "52ce844"
	c.held[workloadRole(chart.LogService)] = true
	for range 4 {
		c.pass()
		c.settle()
		_ = unstructured.SetNestedSlice(c.others["MemberList/fn-consumer-memberlist"].Object, []any{}, "spec", "members")
	}
	for range 5 {
		c.after(time.Minute)
	}
	if got := c.condition(reason.Repaired); got.Reason != reason.NothingRepaired {
		t.Errorf("nothing is repaired, got %+v", got)
	}
}

// TestWorkQueueStuck: its repair has been spent on the earlier template, so that a corrected one needs a person.
func TestWorkQueueStuck(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.WorkQueue)
	c.unready(role, workQueuePod)
	_ = unstructured.SetNestedField(c.observed[role].Object, "after", "status", "updateRevision")
	labels := c.others[workQueuePod].GetLabels()
	labels["controller-revision-hash"] = "before"
	c.others[workQueuePod].SetLabels(labels)
	c.pass()
	if got := c.condition(reason.ServerReady); got.Reason == reason.RolloutStuck {
		t.Errorf("the repair comes by itself, got %+v", got)
	}
	at := c.now.Add(time.Minute).Format(time.RFC3339)
	c.xr["status"].(map[string]any)["repairs"] = map[string]any{chart.WorkQueue: map[string]any{
		"unreadySince": c.now.Format(time.RFC3339), "restarted": at, "reason": string(reason.WorkQueueRestarted),
	}}
	annotations := c.observed[role].GetAnnotations()
	annotations[v1alpha1.Group+"/restarted-at"] = at
	c.observed[role].SetAnnotations(annotations)
	c.pass()
	if got := c.condition(reason.ServerReady); got.Reason != reason.RolloutStuck || !strings.Contains(got.Message, "kubectl delete pod -n vectors work-queue-service-0") {
		t.Errorf("it names the Pod and the command, got %+v", got)
	}
}

// TestRefusedSpecIsNotPolled: nothing is checked for it, so no answer is on its way.
func TestRefusedSpecIsNotPolled(t *testing.T) {
	c := newCluster(t, "52ce844")
	c.checks.Postgres.Status, c.checks.ObjectStorage.Status = "", ""
	c.spec()["version"] = "fffffff"
	c.pass()
	if got := c.last.TTL; got != time.Minute {
		t.Errorf("a refused spec waits for a person, got %s, %+v", got, c.condition(reason.ServerReady))
	}
}

// TestClaimRequired: what a cluster-scoped XChroma composes goes to the namespace of its claim, and it has none.
func TestClaimRequired(t *testing.T) {
	c := newCluster(t, "52ce844")
	c.xr["kind"] = v1alpha1.KindXChroma
	for range 3 {
		c.pass()
	}
	if got := c.condition(reason.ServerReady); got.Reason != reason.ClaimRequired || len(c.observed) > 0 {
		t.Errorf("nothing is composed, got %v, %+v", roles(c), got)
	}
}

// TestAccountDeletedByHand: it is made again, and meanwhile the system runs and says so.
func TestAccountDeletedByHand(t *testing.T) {
	c := running(t, "52ce844")
	delete(c.observed, "serviceaccount-sysdb-serviceaccount")
	before := len(c.observed)
	c.pass()
	if len(c.observed) != before+1 || !c.last.Ready {
		t.Errorf("the account is made again beside %d objects, got %d, %+v", before, len(c.observed), c.condition(reason.ServerReady))
	}
}

// TestEventsBehindAClaim: the XR behind a claim has no namespace, so that its events are in default.
func TestEventsBehindAClaim(t *testing.T) {
	c := running(t, "52ce844")
	c.spec()["frontend"] = map[string]any{"replicas": 3}
	c.synced("Unsynced resources: deployment-rust-frontend-service")
	c.xr["kind"] = v1alpha1.KindXChroma
	request := c.request(c.last.Requirements)
	request.ClaimBacked = true
	answer, err := distributed.Decide(request, c.checks)
	if err != nil {
		t.Fatal(err)
	}
	c.last = answer
	if got := c.condition(reason.UpgradeBlocked); !strings.Contains(got.Message, "kubectl events -n default --for=xchroma.chroma.chromadotnet.org/demo") {
		t.Errorf("the command finds them, got %+v", got)
	}
}

// TestThreeInvalidWrites: Crossplane lists them with a word before the last.
func TestThreeInvalidWrites(t *testing.T) {
	c := running(t, "52ce844")
	c.synced("Unsynced resources: role-lease-watcher, role-pod-watcher, and service-sysdb")
	c.pass()
	var got []string
	for _, retry := range c.status().Retries {
		got = append(got, retry.Role)
	}
	if diff := cmp.Diff([]string{"role-lease-watcher", "role-pod-watcher", "service-sysdb"}, got); diff != "" {
		t.Errorf("each waits for its next try: -want, +got:\n%s", diff)
	}
}
