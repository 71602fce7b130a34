package distributed_test

import (
	"strings"
	"testing"
	"time"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/reason"
)

// synced sets the condition by which Crossplane tells what it could not write.
func (c *cluster) synced(message string) {
	status := c.xr["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	status["conditions"] = append(conditions, map[string]any{
		"type": "Synced", "status": "False", "reason": "ReconcileError", "message": message, "lastTransitionTime": "2026-11-01T00:00:00Z",
	})
}

// TestRefusedWrite: a quota refuses the sysdb. Crossplane ends such a pass before its status is written, so the
// function leaves the sysdb out until the next try.
func TestRefusedWrite(t *testing.T) {
	c := newCluster(t, "52ce844")
	role := workloadRole(chart.SysDB)
	for range 4 { // ServiceAccount, Roles, RoleBindings, Job.
		c.pass()
	}
	c.settle()
	refuse := func() {
		delete(c.observed, role)
		c.synced(`cannot compose resources: cannot apply composed resource "deployment-sysdb": deployments.apps "sysdb" is forbidden: exceeded quota: few`)
	}
	refuse()
	c.pass()
	if c.has(role) {
		t.Fatal("what was refused is left out")
	}
	got := c.condition(reason.ServerReady)
	if got.Reason != reason.WriteRefused || !strings.Contains(got.Message, `Deployment sysdb: deployments.apps "sysdb" is forbidden: exceeded quota: few`) {
		t.Errorf("it is reported with the words of the API, got %+v", got)
	}
	waits := []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second, time.Minute, time.Minute}
	for i, wait := range waits {
		c.after(wait - time.Second)
		if c.has(role) {
			t.Fatalf("try %d comes after %s", i, wait)
		}
		c.after(time.Second)
		if !c.has(role) {
			t.Fatalf("try %d does not come after %d s: %+v", i, wait, c.status().Retries)
		}
		refuse()
		c.pass()
		if c.has(role) {
			t.Fatalf("try %d was refused as well", i)
		}
	}
	c.spec()["sysdb"] = map[string]any{"resources": map[string]any{"limits": map[string]any{"memory": "256Mi"}}}
	c.pass()
	if !c.has(role) {
		t.Errorf("other content is tried at once")
	}
	c.after(time.Minute)
	if retries := c.status().Retries; len(retries) > 0 {
		t.Errorf("what was written is refused no more, got %+v", retries)
	}
}

func TestInvalidWrite(t *testing.T) {
	c := running(t, "52ce844")
	c.spec()["frontend"] = map[string]any{"replicas": 3}
	c.synced("Unsynced resources: deployment-rust-frontend-service, somebody-elses")
	before := generationsOf(c)
	c.pass()
	if before["deployment-rust-frontend-service"] != generationsOf(c)["deployment-rust-frontend-service"] || len(c.observed) != 66 {
		t.Errorf("what is there is kept until the next try")
	}
	if got := c.condition(reason.UpgradeBlocked); got.Reason != reason.WriteRefused || !strings.Contains(got.Message, "kubectl events -n vectors --for=chroma.chroma.chromadotnet.org/demo") {
		t.Errorf("it is reported, with the place of the API's words, got %+v", got)
	}
}

// TestRefusedAccount: of two Chromas in one kubectl apply the loser's ServiceAccount is refused. Once the other one is
// seen to have the namespace, nothing is tried any more, so nothing is refused.
func TestRefusedAccount(t *testing.T) {
	c := newCluster(t, "52ce844")
	c.pass()
	delete(c.observed, "serviceaccount-sysdb-serviceaccount")
	account := c.add("v1", "ServiceAccount", "sysdb-serviceaccount", nil)
	account.SetOwnerReferences(ownedBy("Chroma", "other", "2"))
	c.synced("Unsynced resources: serviceaccount-sysdb-serviceaccount")
	for _, wait := range []time.Duration{time.Second, 20 * time.Second, time.Hour} {
		c.after(wait)
		if got := c.condition(reason.ServerReady); got.Reason != reason.DistributedNamespaceTaken {
			t.Errorf("after %s: ServerReady: got %+v", wait, got)
		}
		if got := c.condition(reason.UpgradeBlocked); got.Reason != reason.NotBlocked {
			t.Errorf("after %s nothing is written that could be refused, got %+v", wait, got)
		}
		if c.last.TTL != 10*time.Second {
			t.Errorf("after %s the next pass comes in %s", wait, c.last.TTL)
		}
	}
	if retries := c.status().Retries; len(retries) > 0 {
		t.Errorf("nothing is tried again, got %+v", retries)
	}
}

// TestRefusedWriteOfALaterTier: what waits for its tier is not tried, and is not why the system is not ready.
func TestRefusedWriteOfALaterTier(t *testing.T) {
	c := running(t, "52ce844")
	c.spec()["queryService"] = map[string]any{"replicas": 3}
	c.synced(`cannot compose resources: cannot apply composed resource "statefulset-query-service": exceeded quota: few`)
	c.pass()
	if got := c.condition(reason.UpgradeBlocked); got.Reason != reason.WriteRefused {
		t.Fatalf("its tier is reached, got %+v", got)
	}
	c.unready(workloadRole(chart.LogService), "Pod/rust-log-service-0")
	for _, wait := range []time.Duration{time.Second, time.Hour} {
		c.after(wait)
		for _, kind := range []reason.ConditionType{reason.ServerReady, reason.UpgradeBlocked} {
			if got := c.condition(kind); got.Reason == reason.WriteRefused {
				t.Errorf("after %s it waits for the log: got %+v", wait, got)
			}
		}
		if c.last.TTL != 3*time.Second {
			t.Errorf("after %s the next pass comes in %s", wait, c.last.TTL)
		}
	}
	if retries := c.status().Retries; len(retries) > 0 {
		t.Errorf("nothing is tried again, got %+v", retries)
	}
}
