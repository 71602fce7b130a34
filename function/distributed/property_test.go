package distributed_test

import (
	"encoding/json"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// order of the workloads by tier.
func order() [][]string {
	return [][]string{
		{workloadRole(chart.SysDB)},
		{workloadRole(chart.LogService)},
		{workloadRole(chart.QueryService), workloadRole(chart.CompactionService), workloadRole(chart.GarbageCollector), workloadRole(chart.WorkQueue), workloadRole(chart.FnConsumer)},
		{workloadRole(chart.Frontend)},
	}
}

// ready says that a workload runs its template on all replicas.
func (c *cluster) ready(role string) bool {
	object := c.observed[role]
	if object == nil {
		return false
	}
	status, _ := object.Object["status"].(map[string]any)
	generation, _ := json.Marshal(status["observedGeneration"])
	current, _ := json.Marshal(object.GetGeneration())
	return string(generation) == string(current) && status["readyReplicas"] == status["replicas"]
}

// TestAnyOrder drives a system with random changes of its spec, slow workloads, failing checks, passing time and passes
// that end anywhere. The order of the tiers is never violated, nothing that runs is ever dropped, and in the end it settles.
func TestAnyOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := newCluster(t, rapid.SampledFrom([]string{"93652ec", "52ce844"}).Draw(rt, "version"))
		seen := map[string]bool{}
		for range rapid.IntRange(3, 12).Draw(rt, "passes") {
			c.lost = nil
			switch rapid.IntRange(0, 10).Draw(rt, "action") {
			case 0:
				c.spec()["version"] = rapid.SampledFrom([]string{"93652ec", "52ce844", "0123456"}).Draw(rt, "version")
			case 1:
				c.spec()["postgres"].(map[string]any)["database"] = rapid.SampledFrom([]string{"sysdb", "other"}).Draw(rt, "database")
			case 2:
				c.spec()["queryService"] = map[string]any{"replicas": rapid.IntRange(1, 4).Draw(rt, "replicas")}
			case 3:
				c.secret("pg", map[string]string{"username": "chroma", "password": rapid.SampledFrom([]string{"a", "b", "c d"}).Draw(rt, "password")})
			case 4:
				result := distributed.Result{Status: pass.True, Reason: reason.CheckPassed}
				if rapid.Bool().Draw(rt, "fails") {
					result = distributed.Result{Status: pass.False, Reason: reason.Timeout}
				}
				c.checks.ObjectStorage = result
			case 5:
				c.now = c.now.Add(time.Duration(rapid.IntRange(1, 300).Draw(rt, "seconds")) * time.Second)
			case 6:
				seed := rapid.Uint32().Draw(rt, "seed")
				c.lost = func(role string) bool { return crc32.Update(seed, crc32.IEEETable, []byte(role))%2 == 0 }
			default:
				roles := slices.Sorted(maps.Keys(c.observed))
				if len(roles) > 0 {
					c.settleOne(rapid.SampledFrom(roles).Draw(rt, "role"))
				}
			}
			c.checkedPass(rt, seen)
		}
		c.lost = nil
		c.spec()["version"] = "52ce844"
		c.secret("pg", map[string]string{"username": "chroma", "password": "a"})
		c.checks.ObjectStorage = distributed.Result{Status: pass.True, Reason: reason.CheckPassed}
		for range 20 {
			c.settle()
			if c.checkedPass(rt, seen); c.last.Ready && len(c.observed) == 66 {
				break
			}
			if c.condition(reason.UpgradeBlocked).Reason == reason.Downgrade {
				// Both versions have migrated the database, this one first: a person types what the condition says.
				c.xr["metadata"].(map[string]any)["annotations"] = map[string]any{v1alpha1.AnnotationAllowDowngrade: v1alpha1.AnnotationTrue}
			}
		}
		if !c.last.Ready || len(c.observed) != 66 {
			rt.Errorf("with everything mended the system settles: %d objects, %+v", len(c.observed), c.last.Conditions)
		}
	})
}

func (c *cluster) settleOne(role string) {
	held := c.held
	c.held = map[string]bool{}
	for other := range c.observed {
		c.held[other] = other != role
	}
	c.settle()
	c.held = held
}

// checkedPass holds the invariants over one pass.
func (c *cluster) checkedPass(rt *rapid.T, seen map[string]bool) {
	ready, before := map[string]bool{}, map[string]string{}
	for _, tier := range order() {
		for _, role := range tier {
			ready[role] = c.ready(role)
			before[role] = c.template(role)
		}
	}
	c.pass()
	for i, tier := range order() {
		for _, role := range tier {
			if seen[role] && !c.has(role) {
				rt.Fatalf("%s was dropped", role)
			}
			seen[role] = seen[role] || c.has(role)
			if c.template(role) == before[role] || i == 0 {
				continue
			}
			for _, earlier := range order()[i-1] {
				if !ready[earlier] {
					rt.Fatalf("%s was changed while %s was not ready", role, earlier)
				}
			}
		}
	}
	raw, err := json.Marshal(c.last)
	if err != nil {
		rt.Fatal(err)
	}
	for _, secret := range []string{"s3cret", "c d", "a/b+c", "AKIA"} {
		if strings.Contains(string(raw), `"`+secret) || strings.Contains(string(raw), secret+`"`) {
			rt.Fatalf("a credential is in the answer")
		}
	}
}

// template of a workload as text, without the time of a repair.
func (c *cluster) template(role string) string {
	if !c.has(role) {
		return ""
	}
	spec := c.observed[role].Object["spec"].(map[string]any)
	template := plain(c.t, spec["template"])
	if metadata, ok := template["metadata"].(map[string]any); ok {
		if annotations, ok := metadata["annotations"].(map[string]any); ok {
			delete(annotations, "chroma.chromadotnet.org/restarted-at")
		}
	}
	raw, _ := json.Marshal(template)
	return string(raw)
}
