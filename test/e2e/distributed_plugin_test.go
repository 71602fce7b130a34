//go:build e2e && linux

package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

// TestPluginDistributed leads a distributed Chroma of stand-ins through its life with the plugin alone.
func TestPluginDistributed(t *testing.T) {
	s := newScene(t, 0)
	s.standIns()
	version := distributed.Versions()[0]
	s.apply(s.distributedManifest(version.Commit))

	t.Log("Without a bucket")
	s.waitCondition("demo", "ObjectStorageReady", "False", "BucketNotFound")
	s.says(s.chromaCommand(unhealthy, "status", "demo"), "WaitingForChecks", "BucketNotFound", "kubectl chroma check -n "+s.namespace+" demo")
	s.says(s.chromaCommand(unhealthy, "check", "demo"), "BucketNotFound", bucket)
	s.chromaCommand(unhealthy, "endpoint", "demo")
	s.makeBucket()
	s.says(s.chromaCommand(fine, "status", "demo", "-w", "--timeout", "4m"), "demo  Ready", version.Commit)
	s.waitMembers(map[string]int32{chart.LogService: 1, chart.QueryService: 2, chart.CompactionService: 2, chart.GarbageCollector: 1})

	t.Log("Looking")
	s.says(s.chromaCommand(fine, "status", "-A"), s.namespace, version.Commit, "Ready")
	s.matches(s.chromaCommand(fine, "status", "demo"), `Mode +distributed`, `Runs +`+version.Commit, `sysdb +sysdb +1/1`,
		`log +logService +1/1 +1 member`, `workers +queryService +2/2 +2 members`, `frontend +frontend +1/1`, `Postgres +passed`, `Bucket +passed`)
	s.says(s.chromaCommand(fine, "tree", "demo"), "Deployment sysdb", "StatefulSet query-service", "Pod query-service-1", "Job "+chart.MigrationPrefix+version.Commit,
		"MemberList query-service-memberlist", "members: 2", "Service rust-frontend-service")
	s.says(s.chromaCommand(fine, "events", "demo"), "Chroma demo  WaitingForChecks", "StatefulSet query-service  SuccessfulCreate", "Pod query-service-0  Started", "ReplicaSet sysdb-")
	s.says(s.chromaCommand(fine, "explain", "demo"), "ComponentsReady", "CheckPassed")
	s.matches(s.chromaCommand(fine, "check", "demo"), `passed +Postgres`, `passed +Bucket`)
	s.says(s.chromaCommand(fine, "endpoint", "demo"), "http://rust-frontend-service."+s.namespace+".svc:8000")
	logs := s.chromaCommand(fine, "logs", "demo", "--component", chart.SysDB)
	// The password shows that the report below has to leave it out.
	s.says(logs, "query-service-memberlist has 2 members", postgresPassword)
	if strings.Contains(logs, "NOT_SERVING") {
		t.Errorf("the log of the sysdb has that of the work queue:\n%s", logs)
	}
	s.says(s.chromaCommand(misused, "upgrade", "check", "demo", "--image", image("1.5.9")), "spec.distributed.version")
	s.forward("demo", "/api/v2/healthcheck", "{}")

	t.Log("Restarting a component")
	before := s.podUID("query-service-0")
	s.says(s.chromaCommand(fine, "restart", "demo", "--component", chart.QueryService, "--wait", "--timeout", "3m", "--yes"), "demo  Ready")
	for _, name := range []string{"query-service-0", "query-service-1"} {
		if pod := read[corev1.Pod](s, kindPod, name); pod == nil || pod.UID == before || !podReady(pod) {
			t.Errorf("%s was not restarted, or is not ready: %v", name, pod)
		}
	}

	t.Log("A report")
	archive := filepath.Join(t.TempDir(), "report.zip")
	s.chromaCommand(fine, "report", "demo", "-f", archive)
	s.checkReport(archive, "chroma-demo", "statefulset-query-service", "deployment-sysdb", "memberlist-query-service-memberlist", "pod-query-service-0")

	t.Log("Deleting")
	s.says(s.chromaCommand(refused, "delete", "demo", "--delete-data", "--yes"), "never deleted")
	s.chromaCommand(fine, "delete", "demo", "--keep-data", "--wait", "--yes")
	if s.chroma("demo") != nil {
		t.Error("the Chroma is there")
	}
	s.wait("workloads and MemberLists gone", 2*time.Minute, func() (string, bool) {
		seen := s.kubectl("get", "deployments,statefulsets,jobs,memberlists,pods", "-o", "name")
		return seen, strings.TrimSpace(seen) == ""
	})
	if revisions, err := s.query("sysdb", "SELECT version FROM atlas_schema_revisions.atlas_schema_revisions"); err != nil || len(revisions) == 0 {
		t.Errorf("the database is not what it was: %v: %v", revisions, err)
	}
}

// TestPluginVersions leads a distributed Chroma to the next version and back.
func TestPluginVersions(t *testing.T) {
	s := newScene(t, 0)
	s.standIns()
	s.makeBucket()
	first, second := distributed.Versions()[0].Commit, distributed.Versions()[1].Commit
	s.apply(s.distributedManifest(first))
	s.says(s.chromaCommand(fine, "status", "demo", "-w", "--timeout", "4m"), "demo  Ready", first)

	// It is Ready with the first version at the moment, and is not waited for in vain.
	s.apply(s.distributedManifest(second))
	s.says(s.chromaCommand(fine, "status", "demo", "-w", "--timeout", "6m"), "It serves: "+second, "fnConsumer")

	s.apply(s.distributedManifest(first))
	s.waitCondition("demo", "UpgradeBlocked", "True", "Downgrade")
	s.says(s.chromaCommand(refused, "status", "demo", "-w", "--timeout", "1m"), "It serves: "+second, "held back: Downgrade")
	s.says(s.chromaCommand(fine, "status", "demo"), "kubectl chroma allow downgrade -n "+s.namespace+" demo")
	s.chromaCommand(fine, "allow", "downgrade", "demo", "--yes")
	s.says(s.chromaCommand(fine, "status", "demo", "-w", "--timeout", "6m"), "It serves: "+first)
	s.waitTiers(first, time.Minute)
	// Before its namespace: in one that ends provider-kubernetes lets no Object go that deletes what it holds.
	s.chromaCommand(fine, "delete", "demo", "--keep-data", "--wait", "--yes")
	s.wait("Objects gone", time.Minute, func() (string, bool) {
		seen := s.kubectl("get", "objects.kubernetes.m.crossplane.io", "-o", "name")
		return seen, strings.TrimSpace(seen) == ""
	})
}

// standIns of a distributed Chroma's images, what it rests on but for the bucket, and the Secrets for that.
func (s *scene) standIns() {
	s.Helper()
	if s.node == nil {
		s.Skip("the stand-ins, Postgres and the store run on the node made for the tests")
	}
	s.startPostgres()
	s.startStore()
	s.pushComponents()
	s.secret("postgres", map[string]any{"username": "chroma", "password": postgresPassword})
	s.secret("bucket", map[string]any{"accessKeyId": storeKey, "secretAccessKey": storeSecret})
}

// matches fails when a pattern is nowhere in the output.
func (s *scene) matches(output string, patterns ...string) {
	s.Helper()
	for _, pattern := range patterns {
		if !regexp.MustCompile(pattern).MatchString(output) {
			s.Errorf("the output has nothing like %q:\n%s", pattern, output)
		}
	}
}
