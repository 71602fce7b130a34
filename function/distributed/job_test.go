package distributed_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

const job = "job-sysdb-migration-52ce844"

// url of the database that the Job migrates.
func url(c *cluster) string {
	if !c.has(job) {
		return ""
	}
	containers, _, _ := unstructured.NestedSlice(c.observed[job].Object, "spec", "template", "spec", "containers")
	args := containers[0].(map[string]any)["args"].([]any)
	return args[len(args)-1].(string)
}

func TestJobOfARunningSystem(t *testing.T) {
	postgres := func(field string, value any) func(*cluster) {
		return func(c *cluster) { c.spec()["postgres"].(map[string]any)[field] = value }
	}
	cases := map[string]struct {
		reason string
		change func(*cluster)
		anew   bool
	}{
		"SSLMode": {"a completed Job of the same version, host, port and database is frozen: its template cannot change", postgres("sslMode", "require"), false},
		"Secret":  {"as is one whose Secret has another name", postgres("credentialsSecret", map[string]any{"name": "s3"}), false},
		"Registry": {"or whose image comes from elsewhere", func(c *cluster) {
			c.allow("*")
			c.spec()["imageRegistry"] = "mirror.example.com/chroma"
		}, false},
		"Host":     {"another host is another database, which is not migrated", postgres("host", "other"), true},
		"Port":     {"another port as well", postgres("port", 6432), true},
		"Database": {"another database as well", postgres("database", "other"), true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := running(t, "52ce844")
			before, sysdb := url(c), c.observed[workloadRole(chart.SysDB)].GetGeneration()
			tc.change(c)
			c.pass()
			if gone := !c.has(job); gone != tc.anew {
				t.Fatalf("\n%s\nthe Job is deleted: want %t, got %t", tc.reason, tc.anew, gone)
			}
			if !tc.anew {
				if got := url(c); got != before {
					t.Errorf("\n%s\nthe Job migrates %s instead of %s", tc.reason, got, before)
				}
				return
			}
			c.pass()
			if got := url(c); got == before || got == "" {
				t.Errorf("\n%s\nthe Job is made anew, got %q", tc.reason, got)
			}
			if got := c.observed[workloadRole(chart.SysDB)].GetGeneration(); got != sysdb {
				t.Errorf("\n%s\nthe sysdb waits for the migration", tc.reason)
			}
			if c.status().Phase != v1alpha1.PhaseMigrating {
				t.Errorf("\n%s\nphase: got %s", tc.reason, c.status().Phase)
			}
			c.settle()
			c.pass()
			if diff := cmp.Diff([]string{"52ce844"}, c.status().VersionHistory); diff != "" {
				t.Errorf("\n%s\nthe history is that of the new database: -want, +got:\n%s", tc.reason, diff)
			}
			if got := c.observed[workloadRole(chart.SysDB)].GetGeneration(); got == sysdb {
				t.Errorf("\n%s\nthe sysdb follows the migration", tc.reason)
			}
		})
	}
}

// TestJobMadeAnew: any Job that is not completed and differs is deleted and made anew, when it is gone.
func TestJobMadeAnew(t *testing.T) {
	c := newCluster(t, "52ce844")
	c.held[job] = true
	for range 4 { // ServiceAccount, Roles, RoleBindings, Job.
		c.pass()
	}
	if !c.has(job) {
		t.Fatal("no Job")
	}
	deleted := c.observed[job]
	c.spec()["postgres"].(map[string]any)["sslMode"] = "require"
	c.pass()
	if c.has(job) {
		t.Fatal("a Job that differs is deleted: its template cannot change")
	}
	deleted.SetFinalizers([]string{"foregroundDeletion"})
	c.others["Job/terminating"] = deleted
	c.pass()
	if c.has(job) {
		t.Error("a Job that still goes would be found where the new one is applied")
	}
	delete(c.others, "Job/terminating")
	c.pass()
	if !strings.HasSuffix(url(c), "sslmode=require") {
		t.Errorf("the new Job has the new settings, got %q", url(c))
	}
}

func TestJobFailed(t *testing.T) {
	c := newCluster(t, "52ce844")
	for range 4 { // ServiceAccount, Roles, RoleBindings, Job.
		c.pass()
	}
	c.observed[job].Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Failed", "status": "True"}}}
	pod := c.pod("sysdb-migration-52ce844-abcde", map[string]string{"batch.kubernetes.io/job-name": "sysdb-migration-52ce844"}, false)
	_ = unstructured.SetNestedSlice(pod.Object, []any{map[string]any{
		"name": "migration", "state": map[string]any{"terminated": map[string]any{"exitCode": int64(1), "message": "connection refused"}},
	}}, "status", "containerStatuses")
	c.pass()
	got := c.condition(reason.ServerReady)
	if got.Reason != reason.MigrationFailed || c.status().Phase != v1alpha1.PhaseFailed ||
		!strings.Contains(got.Message, "connection refused") || !strings.Contains(got.Message, "kubectl delete job -n vectors sysdb-migration-52ce844") {
		t.Errorf("a failed Job is reported with its Pod's last words and the way on, got phase %s, %+v", c.status().Phase, got)
	}
	if !c.has(job) || c.has(workloadRole(chart.SysDB)) {
		t.Errorf("it stays for a person to look at, and nothing follows it")
	}
}

func TestHistory(t *testing.T) {
	good := distributed.Result{Status: pass.True, Reason: reason.CheckPassed}
	cases := map[string]struct {
		reason  string
		version string
		history []any
		of      string
		revised string
		allow   string
		want    reason.Reason
	}{
		"Fresh":          {reason: "an empty database has no revision", version: "93652ec", want: reason.NotBlocked},
		"Own":            {reason: "a revision that the version knows", version: "93652ec", revised: "20260619150000", want: reason.NotBlocked},
		"Newer":          {reason: "without a history the database is asked, and has a revision that this version does not know", version: "93652ec", revised: "20270101000000", want: reason.PostgresNewer},
		"NewerAllowed":   {reason: "a person knows better", version: "93652ec", revised: "20270101000000", allow: "true", want: reason.DowngradeAllowed},
		"Upgrade":        {reason: "a version after the last", version: "52ce844", history: []any{"93652ec"}, want: reason.NotBlocked},
		"Same":           {reason: "the last version itself, whatever the database says", version: "93652ec", history: []any{"93652ec"}, revised: "20270101000000", want: reason.NotBlocked},
		"Downgrade":      {reason: "going back to one before the last", version: "93652ec", history: []any{"93652ec", "52ce844"}, want: reason.Downgrade},
		"Older":          {reason: "an older version that never ran here", version: "93652ec", history: []any{"52ce844"}, want: reason.Downgrade},
		"AfterUnknown":   {reason: "a version that this function does not know is newer than all it knows", version: "52ce844", history: []any{"52ce844", "fffffff"}, want: reason.Downgrade},
		"Unknown":        {reason: "one that this function does not know may be newer, as long as the database does not say", version: "52ce844", history: []any{"fffffff"}, want: reason.Downgrade},
		"UnknownNewer":   {reason: "it is newer: a function that was rolled back must not start an older Chroma on its data", version: "52ce844", history: []any{"fffffff"}, revised: "20270101000000", want: reason.PostgresNewer},
		"UnknownOlder":   {reason: "it is older: a later function has dropped it", version: "52ce844", history: []any{"fffffff"}, revised: "20250101000000", want: reason.NotBlocked},
		"Allowed":        {reason: "the annotation allows it", version: "93652ec", history: []any{"93652ec", "52ce844"}, allow: "true", want: reason.DowngradeAllowed},
		"OnlyTrueCounts": {reason: "only the exact value true counts", version: "93652ec", history: []any{"93652ec", "52ce844"}, allow: "yes", want: reason.Downgrade},
		"OtherDatabase":  {reason: "the history of another database says nothing of this one", version: "93652ec", history: []any{"52ce844"}, of: "elsewhere:5432/sysdb", want: reason.NotBlocked},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, tc.version)
			c.xr["status"] = map[string]any{"versionHistory": tc.history}
			if tc.of != "" {
				c.xr["status"].(map[string]any)["migratedDatabase"] = tc.of
			}
			if tc.allow != "" {
				c.xr["metadata"].(map[string]any)["annotations"] = map[string]any{v1alpha1.AnnotationAllowDowngrade: tc.allow}
			}
			c.checks = distributed.Checks{Postgres: good, ObjectStorage: good, Revision: tc.revised}
			c.pass()
			got := c.condition(reason.UpgradeBlocked)
			if got.Reason != tc.want {
				t.Errorf("\n%s\nUpgradeBlocked: want %s, got %s: %s", tc.reason, tc.want, got.Reason, got.Message)
			}
			refused := tc.want == reason.Downgrade || tc.want == reason.PostgresNewer
			if (got.Status == pass.True) != refused || (len(c.observed) == 0) != refused {
				t.Errorf("\n%s\nUpgradeBlocked is %s, and %d objects are composed", tc.reason, got.Status, len(c.observed))
			}
		})
	}
}

// TestCompletedJobDeletedByHand: what was migrated is not migrated again, as long as it is the same database.
func TestCompletedJobDeletedByHand(t *testing.T) {
	c := running(t, "52ce844")
	delete(c.observed, job)
	generations := generationsOf(c)
	for range 3 {
		c.pass()
	}
	if diff := cmp.Diff(generations, generationsOf(c)); diff != "" || !c.last.Ready || c.status().Phase != v1alpha1.PhaseReady {
		t.Errorf("the system stays ready, got phase %s: -before, +after:\n%s", c.status().Phase, diff)
	}
	if diff := cmp.Diff([]string{"52ce844"}, c.status().VersionHistory); diff != "" {
		t.Errorf("versionHistory: -want, +got:\n%s", diff)
	}
	c.spec()["queryService"] = map[string]any{"replicas": 3}
	for range 6 {
		c.pass()
		c.settle()
	}
	if got := c.replicas(workloadRole(chart.QueryService)); got != 3 || c.has(job) {
		t.Errorf("and follows its spec without another Job, got %d replicas, a Job: %t", got, c.has(job))
	}
	c.checks.Revision = ""
	c.pass()
	c.pass()
	if !c.has(job) {
		t.Error("a database that was emptied since is migrated again")
	}
	c.checks.Revision = revised
	c.spec()["postgres"].(map[string]any)["database"] = "other"
	c.pass()
	c.pass()
	if !c.has(job) || c.status().Phase != v1alpha1.PhaseMigrating {
		t.Errorf("another database is migrated, got phase %s, %v", c.status().Phase, c.condition(reason.ServerReady))
	}
}

// TestRevertedWhileMigrating: a migration that runs goes on, whatever the spec says meanwhile, and what it has done counts.
func TestRevertedWhileMigrating(t *testing.T) {
	begun := func(t *testing.T) *cluster {
		c := running(t, "93652ec")
		c.spec()["version"] = "52ce844"
		c.held[job] = true
		for range 4 { // The added MemberList and Roles, their RoleBindings, and the Job.
			c.pass()
			c.settle()
		}
		if !c.has(job) {
			t.Fatal("no Job")
		}
		c.spec()["version"] = "93652ec"
		return c
	}
	refused := func(t *testing.T, c *cluster) {
		t.Helper()
		c.settle()
		c.pass()
		if got := c.condition(reason.UpgradeBlocked); got.Reason != reason.Downgrade || !c.last.Ready {
			t.Errorf("a later version has migrated the database: ready %t, %+v", c.last.Ready, got)
		}
		if diff := cmp.Diff([]string{"93652ec", "52ce844"}, c.status().VersionHistory); diff != "" {
			t.Errorf("versionHistory: -want, +got:\n%s", diff)
		}
	}
	t.Run("Running", func(t *testing.T) {
		c := begun(t)
		for range 3 {
			c.pass()
			if !c.has(job) {
				t.Fatal("a Job that runs is deleted")
			}
		}
		if got := c.condition(reason.ServerReady); !c.last.Ready || !strings.HasSuffix(got.Message, "To end it: kubectl delete job -n vectors sysdb-migration-52ce844") {
			t.Errorf("the system is ready, and the Job is told, got %+v", got)
		}
		c.held[job] = false
		refused(t, c)
	})
	t.Run("CompletedMeanwhile", func(t *testing.T) {
		c := begun(t)
		c.held[job] = false
		refused(t, c)
	})
	t.Run("CompletedMeanwhileElsewhere", func(t *testing.T) {
		c := begun(t)
		c.held[job] = false
		c.settle()
		c.spec()["postgres"].(map[string]any)["database"] = "other"
		c.pass()
		if got := c.condition(reason.UpgradeBlocked); got.Reason != reason.NotBlocked {
			t.Errorf("another database has its own history, got %+v", got)
		}
	})
	t.Run("Failed", func(t *testing.T) {
		c := begun(t)
		c.observed[job].Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Failed", "status": "True"}}}
		c.pass()
		if c.has(job) {
			t.Error("a Job of another version that failed is not needed")
		}
		if diff := cmp.Diff([]string{"93652ec"}, c.status().VersionHistory); diff != "" {
			t.Errorf("versionHistory: -want, +got:\n%s", diff)
		}
	})
}
