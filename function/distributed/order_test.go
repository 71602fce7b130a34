package distributed_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// TestCreation follows a system from nothing to ready: migration, sysdb, log, workers, frontend, each after the one
// before is updated and ready.
func TestCreation(t *testing.T) {
	c := newCluster(t, "52ce844")
	tiers := [][]string{
		{"job-sysdb-migration-52ce844"},
		{workloadRole(chart.SysDB)},
		{workloadRole(chart.LogService), "configmap-rust-log-service-config"},
		{workloadRole(chart.QueryService), workloadRole(chart.CompactionService), workloadRole(chart.GarbageCollector),
			workloadRole(chart.WorkQueue), workloadRole(chart.FnConsumer), "configmap-work-queue-service-config"},
		{workloadRole(chart.Frontend), "configmap-rust-frontend-service-config"},
	}
	c.pass()
	if diff := cmp.Diff([]string{"serviceaccount-sysdb-serviceaccount"}, roles(c)); diff != "" {
		t.Fatalf("\nthe ServiceAccount that decides who has the namespace comes alone and first: -want, +got:\n%s", diff)
	}
	c.pass()
	if slices.ContainsFunc(roles(c), func(role string) bool { return strings.HasPrefix(role, "rolebinding-") }) || !c.has("role-pod-watcher") {
		t.Fatalf("the API server refuses a RoleBinding whose Role is not there: Roles come a pass before, got %v", roles(c))
	}
	c.pass()
	if len(c.observed) != 50 {
		t.Errorf("the foundation has 50 objects (5 lists, 8 Roles, 23 bindings, 6 Services, 8 accounts), got %d: %v", len(c.observed), roles(c))
	}
	for i, tier := range tiers {
		c.pass()
		for _, role := range tier {
			if !c.has(role) {
				t.Fatalf("%s is not composed, although the tiers before are ready: %v", role, c.last.Conditions[0])
			}
		}
		for _, later := range tiers[i+1:] {
			for _, role := range later {
				if c.has(role) {
					t.Fatalf("%s is composed before its tier", role)
				}
			}
		}
		if c.last.Ready || c.last.TTL != 3e9 {
			t.Errorf("while a tier rolls the system is not ready and looked at every 3 s, got ready %t and %s", c.last.Ready, c.last.TTL)
		}
		want := v1alpha1.PhaseCreating
		if i == 0 {
			want = v1alpha1.PhaseMigrating
		}
		if got := c.status().Phase; got != want {
			t.Errorf("phase at tier %d: want %s, got %s", i, want, got)
		}
		c.settle()
	}
	c.pass()
	status := c.status()
	if !c.last.Ready || status.Phase != v1alpha1.PhaseReady || status.Version != "52ce844" ||
		status.Endpoint != "http://rust-frontend-service.vectors.svc:8000" || len(c.observed) != 66 {
		t.Errorf("all runs and is told so, got ready %t, %d objects, status %+v, %v", c.last.Ready, len(c.observed), status, c.last.Conditions)
	}
	if diff := cmp.Diff([]string{"52ce844"}, status.VersionHistory); diff != "" {
		t.Errorf("versionHistory: -want, +got:\n%s", diff)
	}
	query := status.Components[chart.QueryService]
	if query.Replicas != 2 || query.Ready != 2 || query.Members == nil || *query.Members != 2 {
		t.Errorf("the query service has 2 replicas, 2 of them ready and listed, got %+v", query)
	}
}

// TestUpdate follows an update: a tier that must wait is kept as it is.
func TestUpdate(t *testing.T) {
	c := running(t, "93652ec")
	if len(c.observed) != 61 {
		t.Fatalf("version 93652ec has 61 objects, got %d", len(c.observed))
	}
	c.spec()["version"] = "52ce844"
	order := []string{chart.SysDB, chart.LogService, chart.QueryService, chart.Frontend}

	for range 3 { // The added MemberList and Roles, their RoleBindings, and the Job.
		c.pass()
	}
	if !c.has("job-sysdb-migration-52ce844") || !c.has("job-sysdb-migration-93652ec") {
		t.Fatalf("the Job of the earlier version stays until the new one is done: %v", roles(c))
	}
	if got := c.status().Phase; got != v1alpha1.PhaseMigrating {
		t.Errorf("phase: want Migrating, got %s", got)
	}
	for i, name := range order {
		c.settle()
		c.pass() // The tier's ConfigMaps.
		c.pass()
		for j, other := range order {
			want := "93652ec"
			if j <= i {
				want = "52ce844"
			}
			if got := c.commit(workloadRole(other)); got != want {
				t.Fatalf("at the tier of %s, %s runs %s instead of %s", name, other, got, want)
			}
		}
		if len(c.observed) < 61 {
			t.Fatalf("something was dropped: %v", roles(c))
		}
		if c.status().Phase != v1alpha1.PhaseUpdating || c.status().Version == "52ce844" {
			t.Errorf("at the tier of %s: phase %s, version %q", name, c.status().Phase, c.status().Version)
		}
	}
	if c.has("job-sysdb-migration-93652ec") {
		t.Errorf("the Job of the earlier version goes when the new one is done")
	}
	c.settle()
	c.pass()
	if diff := cmp.Diff([]string{"93652ec", "52ce844"}, c.status().VersionHistory); diff != "" || !c.last.Ready {
		t.Errorf("ready %t, versionHistory: -want, +got:\n%s", c.last.Ready, diff)
	}
}

// TestSettled repeats passes of a settled system: the same answer, and no events.
func TestSettled(t *testing.T) {
	c := running(t, "52ce844")
	before := c.last
	generations := generationsOf(c)
	c.pass()
	if diff := cmp.Diff(before.Conditions, c.last.Conditions); diff != "" {
		t.Errorf("conditions of a settled system stay: -before, +after:\n%s", diff)
	}
	if diff := cmp.Diff(generations, generationsOf(c)); diff != "" {
		t.Errorf("objects of a settled system stay: -before, +after:\n%s", diff)
	}
	if len(c.last.Events) > 0 || c.last.TTL != 60e9 {
		t.Errorf("a settled system has no events and is looked at every minute, got %v and %s", c.last.Events, c.last.TTL)
	}
}

func TestHeldBack(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*cluster)
		want   reason.Reason
		status pass.ConditionStatus
	}{
		"VersionNotKnown": {
			reason: "another version than the known ones changes nothing",
			change: func(c *cluster) { c.spec()["version"] = "0123456" },
			want:   reason.VersionNotKnown, status: pass.True,
		},
		"ImageNotAllowed": {
			reason: "every image that imageRegistry yields must be allowed",
			change: func(c *cluster) { c.spec()["imageRegistry"] = "evil.example.com/chroma" },
			want:   reason.ImageNotAllowed, status: pass.True,
		},
		"FieldNotInVersion": {
			reason: "the function refuses a field that this version lacks",
			change: func(c *cluster) {
				c.spec()["fnConsumer"] = map[string]any{"nodeSelector": map[string]any{"pool": "a"}}
			},
			want: reason.FieldNotInVersion, status: pass.True,
		},
		"RequestAboveLimit": {
			reason: "the API server would refuse the object",
			change: func(c *cluster) {
				c.spec()["queryService"] = map[string]any{"resources": map[string]any{"requests": map[string]any{"cpu": "1"}}}
			},
			want: reason.RequestAboveLimit, status: pass.True,
		},
		"InvalidSpec": {
			reason: "a host that a shell would act on",
			change: func(c *cluster) { c.spec()["postgres"].(map[string]any)["host"] = "a$(reboot)" },
			want:   reason.InvalidSpec, status: pass.True,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for start, c := range map[string]*cluster{"running": running(t, "93652ec"), "new": newCluster(t, "93652ec")} {
				before := generationsOf(c)
				tc.change(c)
				c.pass()
				c.pass()
				got := c.condition(reason.UpgradeBlocked)
				if got.Reason != tc.want || got.Status != tc.status {
					t.Errorf("\n%s\n%s: want UpgradeBlocked %s %s, got %+v", tc.reason, start, tc.status, tc.want, got)
				}
				if diff := cmp.Diff(before, generationsOf(c)); diff != "" {
					t.Errorf("\n%s\n%s: nothing is created or changed: -before, +after:\n%s", tc.reason, start, diff)
				}
				if c.last.Ready != (start == "running") {
					t.Errorf("\n%s\n%s: ready is %t", tc.reason, start, c.last.Ready)
				}
			}
		})
	}
}

func TestConfigChangeRolls(t *testing.T) {
	c := running(t, "52ce844")
	before := generationsOf(c)
	c.spec()["objectStorage"].(map[string]any)["s3"].(map[string]any)["bucket"] = "other"
	for range 10 {
		c.pass()
		c.settle()
	}
	after := generationsOf(c)
	for _, name := range []string{chart.SysDB, chart.LogService, chart.QueryService, chart.CompactionService, chart.GarbageCollector, chart.WorkQueue, chart.FnConsumer} {
		if role := workloadRole(name); before[role] == after[role] {
			t.Errorf("%s reads the bucket and does not roll", name)
		}
	}
	if role := workloadRole(chart.Frontend); before[role] != after[role] {
		t.Errorf("the frontend has no bucket and rolls")
	}
}

func TestSecretChangeRolls(t *testing.T) {
	c := running(t, "52ce844")
	before := generationsOf(c)
	c.secret("pg", map[string]string{"username": "chroma", "password": "other", "comment": "not read"})
	for range 10 {
		c.pass()
		c.settle()
	}
	after := generationsOf(c)
	changed := []string{}
	for role, generation := range after {
		if before[role] != generation {
			changed = append(changed, role)
		}
	}
	if diff := cmp.Diff([]string{workloadRole(chart.SysDB)}, changed); diff != "" {
		t.Errorf("only the sysdb reads the credentials of Postgres, and the completed Job is frozen: -want, +got:\n%s", diff)
	}
	before = after
	delete(c.others, "Secret/pg")
	c.pass()
	if diff := cmp.Diff(before, generationsOf(c)); diff != "" {
		t.Errorf("a Secret that is gone rolls nothing: -before, +after:\n%s", diff)
	}
	if got := c.condition(reason.PostgresReady); got.Reason != reason.SecretNotFound || !c.last.Ready {
		t.Errorf("it is told, and the system goes on running: got %+v, ready %t", got, c.last.Ready)
	}
}

func roles(c *cluster) []string { return slices.Sorted(maps.Keys(c.observed)) }

// generationsOf the objects by role: what changes and what stays.
func generationsOf(c *cluster) map[string]int64 {
	out := map[string]int64{}
	for role, object := range c.observed {
		out[role] = object.GetGeneration()
	}
	return out
}

// TestConfigBeforePods: Crossplane applies in any order, and Chroma reads its config file once, at the start of a Pod.
func TestConfigBeforePods(t *testing.T) {
	c := running(t, "52ce844")
	c.spec()["objectStorage"].(map[string]any)["s3"].(map[string]any)["bucket"] = "other"
	c.pass() // The sysdb, which has flags instead.
	c.settle()
	config, set := "configmap-rust-log-service-config", workloadRole(chart.LogService)
	before := c.template(set)
	c.pass()
	data, _, _ := unstructured.NestedString(c.observed[config].Object, "data", "config.yaml")
	if !strings.Contains(data, `bucket: "other"`) || c.template(set) != before {
		t.Errorf("first the file, while no Pod starts")
	}
	c.pass()
	if c.template(set) == before {
		t.Errorf("then the Pods")
	}
}

// TestCircuitBreakerOpen: Crossplane drops the events of the spec too, so a settled system is looked at sooner.
func TestCircuitBreakerOpen(t *testing.T) {
	c := running(t, "52ce844")
	status := c.xr["status"].(map[string]any)
	status["conditions"] = append(status["conditions"].([]any), map[string]any{
		"type": "Responsive", "status": "False", "reason": "WatchCircuitOpen", "lastTransitionTime": "2026-11-01T00:00:00Z",
	})
	c.pass()
	if c.last.TTL != 10*time.Second {
		t.Errorf("the next pass does not come by an event, got a time to live of %s", c.last.TTL)
	}
}

// TestUnlistedPods: who is not in the MemberList is not found by anybody, however ready it is. The next tier waits, and a
// system whose tiers all run is not ready.
func TestUnlistedPods(t *testing.T) {
	t.Run("Update", func(t *testing.T) {
		c := running(t, "52ce844")
		c.spec()["logService"] = map[string]any{"resources": map[string]any{"limits": map[string]any{"memory": "2Gi"}}}
		c.spec()["queryService"] = map[string]any{"replicas": 3}
		c.pass()
		c.settle()
		c.unlist("rust-log-service-memberlist")
		c.pass()
		c.pass()
		got := c.condition(reason.ServerReady)
		if got.Reason != reason.ComponentsStarting || !strings.Contains(got.Message, "MemberList rust-log-service-memberlist lacks a ready Pod") {
			t.Errorf("it says what is waited for, got %+v", got)
		}
		if got := c.replicas(workloadRole(chart.QueryService)); got != 2 || c.last.TTL != 3*time.Second {
			t.Errorf("the workers wait for the log, got %d replicas, the next pass in %s", got, c.last.TTL)
		}
		c.listMembers()
		c.pass()
		if got := c.replicas(workloadRole(chart.QueryService)); got != 3 {
			t.Errorf("the list is complete, got %d replicas", got)
		}
	})
	for component, waits := range map[string]bool{
		chart.LogService: true, chart.QueryService: true, chart.CompactionService: true, chart.GarbageCollector: true,
		// Its Pods are ready without, and so is the work queue.
		chart.FnConsumer: false,
	} {
		for spec, version := range map[string]string{"OfAnAllowedSpec": "52ce844", "OfARefusedSpec": "0123456"} {
			t.Run(component+spec, func(t *testing.T) {
				c := running(t, "52ce844")
				c.spec()["version"] = version
				of, _ := distributed.Versions()[1].Component(component)
				c.unlist(of.MemberList)
				c.pass()
				if got := c.condition(reason.ServerReady); c.last.Ready == waits || strings.Contains(got.Message, of.MemberList) != waits {
					t.Errorf("ready is %t, %+v", c.last.Ready, got)
				}
				// The repair ends the wait, once.
				c.after(180 * time.Second)
				if got := c.condition(reason.Repaired); got.Reason != reason.SysdbLeaderLost {
					t.Fatalf("the sysdb is restarted, got %+v", got)
				}
				c.rollOut(c.observed[workloadRole(chart.SysDB)])
				c.unlist(of.MemberList)
				c.after(180 * time.Second)
				if got := c.condition(reason.ServerReady); strings.HasSuffix(got.Message, "kubectl rollout restart -n vectors deployment/sysdb") != waits {
					t.Errorf("a restart that did not help is told, got %+v", got)
				}
				c.listMembers()
				if c.after(time.Second); !c.last.Ready {
					t.Errorf("the list is complete, got %+v", c.condition(reason.ServerReady))
				}
			})
		}
	}
}

// unlist all members, as they are unknown to a sysdb that leads no more.
func (c *cluster) unlist(list string) {
	_ = unstructured.SetNestedSlice(c.others["MemberList/"+list].Object, []any{}, "spec", "members")
}

// TestDigests: a webhook pins every image to its digest, and puts a container of its own before ours.
func TestDigests(t *testing.T) {
	c := newCluster(t, "93652ec")
	c.admit = func(object *unstructured.Unstructured) {
		path := []string{"spec", "template", "spec", "containers"}
		containers, found, _ := unstructured.NestedSlice(object.Object, path...)
		if !found || object.GetKind() == "Job" {
			return
		}
		ours := containers[0].(map[string]any)
		repository, tag, _ := strings.Cut(ours["image"].(string), ":")
		ours["image"] = repository + "@sha256:" + strings.Repeat(tag+"0", 8)
		mesh := map[string]any{"name": "mesh", "image": "mesh.example.com/proxy:1.2.3"}
		_ = unstructured.SetNestedSlice(object.Object, []any{mesh, ours}, path...)
	}
	for _, version := range []string{"93652ec", "52ce844"} {
		c.spec()["version"] = version
		for range 20 {
			if c.pass(); c.last.Ready && c.status().Version == version {
				break
			}
			if c.status().Version == version {
				t.Errorf("version %s does not run on all", version)
			}
			c.settle()
		}
		if !c.last.Ready || c.status().Version != version {
			t.Errorf("ready %t, version %q, %+v", c.last.Ready, c.status().Version, c.condition(reason.ServerReady))
		}
	}
}
