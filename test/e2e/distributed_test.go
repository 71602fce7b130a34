//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/test/e2e/cluster"
	"github.com/function-chroma/function-chroma/test/e2e/images"
)

// specification of a distributed Chroma that a small machine has room for.
func specification(version string) chroma.Distributed {
	small := func() *chroma.Component {
		return &chroma.Component{Resources: &chroma.Resources{
			Requests: corev1.ResourceList{"cpu": resource.MustParse("10m"), "memory": resource.MustParse("16Mi")},
			Limits:   corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("128Mi")},
		}}
	}
	return chroma.Distributed{
		Version:       version,
		Postgres:      chroma.Postgres{Host: cluster.Address, Port: postgresPort, CredentialsSecret: chroma.SecretReference{Name: "postgres"}},
		ObjectStorage: chroma.ObjectStorage{S3: chroma.S3{Endpoint: storeEndpoint, Bucket: bucket, CredentialsSecret: chroma.SecretReference{Name: "bucket"}}},
		Frontend:      small(), SysDB: small(), LogService: small(), QueryService: small(), CompactionService: small(),
		GarbageCollector: small(), WorkQueue: small(), FnConsumer: small(),
	}
}

// distributedManifest of a Chroma of a version.
func (s *scene) distributedManifest(version string) map[string]any {
	s.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": chroma.GroupVersion().String(), "kind": chroma.Kind, "metadata": map[string]any{"name": "demo"},
		"spec": map[string]any{"mode": "distributed", "distributed": specification(version)},
	})
	if err != nil {
		s.Fatalf("cannot encode a manifest: %v", err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(text, &out); err != nil {
		s.Fatalf("cannot encode a manifest: %v", err)
	}
	return out
}

// TestDistributed runs a distributed Chroma of stand-ins on a real Postgres and a real store of objects: checks, tiers, an
// update, the members that the sysdb writes, and both repairs.
func TestDistributed(t *testing.T) {
	s := newScene(t, 0)
	if s.node == nil {
		t.Skip("the stand-ins, Postgres and the store run on the node made for the tests")
	}
	s.startPostgres()
	stopStore := s.startStore()
	s.pushComponents()
	versions := distributed.Versions()
	first, second := versions[0].Commit, versions[1].Commit

	s.secret("postgres", map[string]any{"username": "chroma", "password": "wrong"})
	s.secret("bucket", map[string]any{"accessKeyId": storeKey, "secretAccessKey": storeSecret})
	s.apply(s.distributedManifest(first))
	for condition, reason := range map[string]string{"PostgresReady": "AuthenticationFailed", "ObjectStorageReady": "BucketNotFound"} {
		message := s.waitCondition("demo", condition, "False", reason)
		s.sayf("TestDistributed: %s: %s", condition, message)
		if strings.Contains(message, storeSecret) || strings.Contains(message, "wrong") {
			t.Errorf("the condition %s tells a secret: %s", condition, message)
		}
	}
	if made := s.kubectl("get", "serviceaccounts,jobs,deployments,statefulsets,memberlists", "-l", chroma.LabelChroma+"=demo", "-o", "name"); strings.TrimSpace(made) != "" {
		t.Errorf("objects are made before the checks pass:\n%s", made)
	}

	began := time.Now()
	s.makeBucket()
	s.secret("postgres", map[string]any{"username": "chroma", "password": postgresPassword})
	s.waitCondition("demo", "PostgresReady", "True", "CheckPassed")
	s.waitCondition("demo", "ObjectStorageReady", "True", "CheckPassed")
	s.waitTiers(first, 4*time.Minute)
	s.sayf("TestDistributed: from good checks to Ready %.0f s", time.Since(began).Seconds())
	s.checkOrder(began, versions[0])
	s.waitMembers(map[string]int32{chart.LogService: 1, chart.QueryService: 2, chart.CompactionService: 2, chart.GarbageCollector: 1})
	if revisions, err := s.query("sysdb", "SELECT version FROM atlas_schema_revisions.atlas_schema_revisions"); err != nil || !slices.Equal(revisions, []string{versions[0].Migration.Latest}) {
		t.Errorf("the migration wrote %v: %v", revisions, err)
	}
	s.checkNoSecrets()

	s.apply(s.distributedManifest(second))
	s.waitTiers(second, 6*time.Minute)
	s.waitMembers(map[string]int32{chart.LogService: 1, chart.QueryService: 2, chart.CompactionService: 2, chart.GarbageCollector: 1, chart.FnConsumer: 1})
	if diff := cmp.Diff([]string{first, second}, s.chroma("demo").Status.VersionHistory); diff != "" {
		t.Errorf("status.versionHistory: -want, +got:\n%s", diff)
	}
	s.wait("Job of the earlier version gone", time.Minute, func() (string, bool) {
		return "it is there", read[batchv1.Job](s, kindJob, chart.MigrationPrefix+first) == nil
	})

	s.repairBoth(second, stopStore)

	s.kubectl("delete", "chroma", "demo", "--wait=false")
	s.waitGone("demo")
	s.wait("workloads and MemberLists gone", 2*time.Minute, func() (string, bool) {
		seen := s.kubectl("get", "deployments,statefulsets,jobs,memberlists,pods", "-o", "name")
		return seen, strings.TrimSpace(seen) == ""
	})
}

// pushComponents is one program under the names of all images.
func (s *scene) pushComponents() {
	s.Helper()
	program := filepath.Join(s.TempDir(), "component")
	if err := s.goBuild(s.Context(), program, "./test/e2e/component"); err != nil {
		s.Fatal(err)
	}
	layer := images.Layer{Files: map[string]string{"component": program, "bin/sh": program, "usr/bin/chroma": program}, Folders: []string{"tmp"}}
	for _, version := range distributed.Versions() {
		for _, reference := range version.Images("chromadb") {
			name, _, _ := strings.Cut(filepath.Base(reference), ":")
			image, err := images.Image{Layers: []images.Layer{layer}, Config: v1.Config{
				Entrypoint: []string{"/component", name}, Env: []string{"PATH=/usr/bin:/bin", "REVISION=" + version.Migration.Latest},
			}}.Build()
			if err != nil {
				s.Fatal(err)
			}
			if err := images.Push(s.Context(), image, cluster.Registry+"/"+reference, s.node.Transport()); err != nil {
				s.Fatal(err)
			}
		}
	}
}

func (s *scene) secret(name string, data map[string]any) {
	s.Helper()
	s.apply(map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": name}, "stringData": data})
}

// waitTiers until all components run a version. Meanwhile no workload may be of that version before those of the tier below
// it are ready with it.
func (s *scene) waitTiers(commit string, limit time.Duration) {
	s.Helper()
	version, _ := distributed.Version(commit)
	s.waitRuns(commit, limit, func() {
		// From the last tier to the first: one that gets ready in between cannot look too early.
		for _, component := range slices.Backward(version.Components) {
			if !s.runs(component, commit) {
				continue
			}
			for _, below := range version.Components {
				if below.Tier < component.Tier && !s.ready(below, commit) {
					s.Errorf("%s runs %s before %s is ready with it", component.Workload, commit, below.Workload)
				}
			}
		}
	})
}

// waitRuns until the Chroma says that it is ready with a version, and its workloads are.
func (s *scene) waitRuns(commit string, limit time.Duration, look func()) {
	s.Helper()
	version, _ := distributed.Version(commit)
	s.wait("Ready with "+commit, limit, func() (string, bool) {
		look()
		object, err := s.get(s.Context(), kindChroma, s.namespace, "demo")
		if err != nil || object == nil {
			return fmt.Sprintf("no Chroma (%v)", err), false
		}
		ready, _, _ := conditionOf(object, "Ready")
		_, reason, message := conditionOf(object, "ServerReady")
		_, synced, trouble := conditionOf(object, "Synced")
		now := s.chroma("demo").Status
		all := !slices.ContainsFunc(version.Components, func(component chart.Component) bool { return !s.ready(component, commit) })
		return fmt.Sprintf("Ready=%s ServerReady: %s %s Synced: %s %s", ready, reason, message, synced, trouble),
			all && ready == "True" && now.Version == commit && now.Phase == chroma.PhaseReady
	})
}

// replicas of a component's workload: those wanted, those that are up to date and ready, and the image.
func (s *scene) replicas(component chart.Component) (wanted, ready int32, image string) {
	s.Helper()
	if component.Kind == chart.Deployment {
		if object := read[appsv1.Deployment](s, kindDeployment, component.Workload); object != nil {
			ready := object.Status.ReadyReplicas
			if object.Status.ObservedGeneration != object.Generation || object.Status.UpdatedReplicas != object.Status.Replicas {
				ready = 0
			}
			return *object.Spec.Replicas, ready, object.Spec.Template.Spec.Containers[0].Image
		}
		return 0, 0, ""
	}
	if object := read[appsv1.StatefulSet](s, kindStatefulSet, component.Workload); object != nil {
		ready := object.Status.ReadyReplicas
		if object.Status.ObservedGeneration != object.Generation || object.Status.CurrentRevision != object.Status.UpdateRevision {
			ready = 0
		}
		return *object.Spec.Replicas, ready, object.Spec.Template.Spec.Containers[0].Image
	}
	return 0, 0, ""
}

func (s *scene) runs(component chart.Component, commit string) bool {
	s.Helper()
	_, _, image := s.replicas(component)
	return strings.HasSuffix(image, ":"+commit)
}

func (s *scene) ready(component chart.Component, commit string) bool {
	s.Helper()
	wanted, ready, image := s.replicas(component)
	return strings.HasSuffix(image, ":"+commit) && wanted > 0 && ready == wanted
}

// checkOrder in which the audit log has the workloads being made: tier by tier, the Job first of all.
func (s *scene) checkOrder(since time.Time, version chart.Version) {
	s.Helper()
	tiers := map[string]chart.Tier{chart.MigrationPrefix + version.Commit: chart.TierMigration}
	for _, component := range version.Components {
		tiers[component.Workload] = component.Tier
	}
	var names []string
	var got []chart.Tier
	for _, w := range s.written(since) {
		tier, workload := tiers[w.Object.Name]
		made := w.Response.Code == 201 && slices.Contains([]string{"deployments", "statefulsets", "jobs"}, w.Object.Resource)
		if workload && made && !slices.Contains(names, w.Object.Name) {
			names, got = append(names, w.Object.Name), append(got, tier)
		}
	}
	s.sayf("%s: made in this order: %s", s.Name(), strings.Join(names, ", "))
	if len(got) != len(tiers) || !slices.IsSorted(got) {
		s.Errorf("workloads are not made tier by tier: %v with tiers %v, want %d", names, got, len(tiers))
	}
}

// waitMembers until the status counts as many members as given for each component that has a MemberList.
func (s *scene) waitMembers(want map[string]int32) {
	s.Helper()
	s.wait("members", patience, func() (string, bool) {
		got := map[string]int32{}
		for name, component := range s.chroma("demo").Status.Components {
			if component.Members != nil {
				got[name] = *component.Members
			}
		}
		return fmt.Sprint(got), cmp.Equal(want, got)
	})
}

// checkNoSecrets in anything that people read.
func (s *scene) checkNoSecrets() {
	s.Helper()
	logs, err := s.run(s.Context(), nil, "kubectl", "-n", crossplaneNamespace, "logs", "-l", "app.kubernetes.io/name=function-chroma", "--tail=-1")
	if err != nil {
		s.Fatal(err)
	}
	for name, text := range map[string]string{
		"the function's log": logs, "events": s.kubectl("get", "events", "-o", "yaml"),
		"the Chroma": s.kubectl("get", "chroma", "demo", "-o", "yaml"), "workloads": s.kubectl("get", "deployments,statefulsets,jobs,configmaps", "-o", "yaml"),
	} {
		for _, secret := range []string{postgresPassword, storeSecret} {
			if strings.Contains(text, secret) {
				s.Errorf("%s has the secret %s", name, secret)
			}
		}
	}
}
