package vald

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/vald/config"
	"github.com/function-chroma/function-chroma/function/vald/release"
)

// An apiServer refuses and prunes ValdReleases with the API server's own code.
type apiServer struct {
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
}

func newAPIServer(t *testing.T) apiServer {
	t.Helper()
	var crd apiextensionsv1.CustomResourceDefinition
	text, err := os.ReadFile(filepath.Join(shared(t), "valdrelease-crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, internal, nil); err != nil {
		t.Fatal(err)
	}
	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		t.Fatal(err)
	}
	return apiServer{structural: structural, validator: validator}
}

// complain about an object that would be refused, or lose members.
func (s apiServer) complain(manifest map[string]any) error {
	object := runtime.DeepCopyJSON(manifest)
	if errs := validation.ValidateCustomResource(nil, object, s.validator); len(errs) > 0 {
		return errs.ToAggregate()
	}
	options := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	if pruned := pruning.PruneWithOptions(object, s.structural, true, options); len(pruned) > 0 {
		return fmt.Errorf("would be pruned: %v", pruned)
	}
	return nil
}

// conforms is what can be said anywhere: by the embedded schema the object has no unknown member, no wrong type and no
// value outside a limit, and its quantities are canonical.
func conforms(manifest map[string]any) error {
	conformed, err := release.Conform(manifest)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(manifest["spec"], conformed["spec"]); diff != "" {
		return fmt.Errorf("does not conform: -is, +conforms:\n%s", diff)
	}
	return nil
}

func TestEveryRecordedReleasePassesTheAPIServerPruningNothing(t *testing.T) {
	server := newAPIServer(t)
	folders, err := filepath.Glob(filepath.Join(shared(t), "cases", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, folder := range folders {
		r := readRecording(t, folder)
		releases, err := Build(r.vor, r.config, r.template, r.capability)
		if err != nil {
			continue // TestBuildEqualsTheRecordings holds which ones are refused.
		}
		for _, release := range releases {
			if err := server.complain(release.Manifest); err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(folder), release.Name, err)
			}
			if err := conforms(release.Manifest); err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(folder), release.Name, err)
			}
		}
	}
}

func TestEveryReleaseOfAnAcceptedObjectPassesTheAPIServerPruningNothing(t *testing.T) {
	server := newAPIServer(t)
	rapid.Check(t, func(t *rapid.T) {
		vor, with, capability := drawObject(t), drawConfig(t), Capability{General: true, Agent: rapid.Bool().Draw(t, "agent nodes")}
		releases, err := Build(vor, with, config.ShippedTemplate(), capability)
		if err != nil {
			t.Fatalf("Build(...): %v", err)
		}
		for _, release := range releases {
			if err := server.complain(release.Manifest); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestEveryReleaseOfAnAcceptedObjectConformsToTheEmbeddedSchema(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vor, with, capability := drawObject(t), drawConfig(t), Capability{General: true, Agent: rapid.Bool().Draw(t, "agent nodes")}
		releases, err := Build(vor, with, config.ShippedTemplate(), capability)
		if err != nil {
			t.Fatalf("Build(...): %v", err)
		}
		active := 0
		for _, entry := range vor.Spec.Infrastructure {
			if entry.Active {
				active += len(entry.Clusters)
			}
		}
		if len(releases) != active {
			t.Fatalf("Build(...): %d releases for %d active clusters", len(releases), active)
		}
		for _, release := range releases {
			if err := conforms(release.Manifest); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// drawObject that the API accepts.
func drawObject(t *rapid.T) *valdv1.ValdOperatorRelease {
	level := rapid.SampledFrom([]valdv1.LogLevel{"", "debug", "info", "warn", "error", "fatal"})
	quantity := rapid.StringMatching(`[0-9]{1,4}(\.[0-9])?(m|k|M|G|Ki|Mi|Gi|Ti)?`)
	vor := example()
	vald := &vor.Spec.VectorEngine.Vald
	vald.Defaults.LogLevel, vald.Agent.LogLevel = level.Draw(t, "level"), level.Draw(t, "agent's level")
	vald.Agent.NGT.Dimension = rapid.Int64Min(2).Draw(t, "dimension")
	vald.Agent.NGT.SearchEdgeSize = rapid.Int64().Draw(t, "search edge size")
	if rapid.Bool().Draw(t, "without volume") {
		vald.Agent.PersistentVolume = nil
	}
	vald.Indexer.Manager = rapid.Bool().Draw(t, "manager")
	vald.Indexer.Concurrency = rapid.Int64Min(1).Draw(t, "concurrency")
	vald.Gateway.IndexReplica = rapid.Int64Min(1).Draw(t, "index replica")
	vald.Gateway.ServiceType = rapid.SampledFrom([]string{"", "ClusterIP", "NodePort", "LoadBalancer"}).Draw(t, "service type")
	vald.Discoverer.Kind = rapid.SampledFrom([]string{"DaemonSet", "Deployment"}).Draw(t, "discoverer")
	if rapid.Bool().Draw(t, "overlay") {
		vald.Overlay = &apiextensionsv1.JSON{Raw: []byte(rapid.SampledFrom([]string{
			`{}`, `null`, `{"spec":{"agent":{"minReplicas":3.0,"resources":{"requests":{"cpu":0.5,"x/y":"1e3"}}},"unknown":1}}`,
			`{"spec":{"agent":{"ngt":null},"gateway":{"lb":{"env":[{"name":"A","value":null}]}}},"metadata":null}`,
			`{"spec":{"defaults":{"server_config":{"tls":{"enabled":true}}},"agent":{"volumes":[{"name":"a","emptyDir":{"sizeLimit":"1Gi"}}]}}}`,
		}).Draw(t, "overlay text"))}
	}
	vor.Spec.Infrastructure = nil
	for i := range rapid.IntRange(1, 3).Draw(t, "entries") {
		entry := valdv1.Infrastructure{
			Role: rapid.StringMatching(`[a-z]{0,8}`).Draw(t, "role"), Type: "kind", Active: rapid.Bool().Draw(t, "active"),
			NodePools: map[string]valdv1.NodePool{},
		}
		for j := range rapid.IntRange(1, 3).Draw(t, "clusters") {
			entry.Clusters = append(entry.Clusters, valdv1.Cluster{ID: "id", Name: fmt.Sprintf("c-%d-%d", i, j)})
		}
		for _, pool := range []string{"general", "agent"} {
			if pool == "agent" && rapid.Bool().Draw(t, "one pool") {
				continue
			}
			entry.NodePools[pool] = valdv1.NodePool{
				Replicas:        rapid.Int64Range(0, 1<<40).Draw(t, "replicas"),
				MachineResource: valdv1.MachineResource{CPU: quantity.Draw(t, "cpu"), Memory: quantity.Draw(t, "memory")},
			}
		}
		vor.Spec.Infrastructure = append(vor.Spec.Infrastructure, entry)
	}
	return vor
}

// drawConfig that Parse accepts.
func drawConfig(t *rapid.T) config.Config {
	document := map[string]any{"operator": map[string]any{
		"vrs":               map[string]any{"log_level": rapid.SampledFrom([]string{"debug", "warn", "fatal"}).Draw(t, "log_level")},
		"node_pool":         map[string]any{"require_match": rapid.Bool().Draw(t, "require_match"), "label_prefix": rapid.SampledFrom([]string{"", "a.b"}).Draw(t, "label_prefix"), "agent_pods_per_node": rapid.Int64Range(0, 100).Draw(t, "agent_pods_per_node")},
		"persistent_volume": map[string]any{"buffer_ratio": rapid.Float64Range(0, 100).Draw(t, "buffer_ratio"), "min_size_bytes": rapid.Int64Range(0, 1<<50).Draw(t, "min_size_bytes")},
		"networking":        map[string]any{"enable_ingress": rapid.Bool().Draw(t, "enable_ingress"), "gateway_ingress_annotations": map[string]any{"a": "b"}},
	}}
	with, err := config.Parse(document, config.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	return with
}

// FuzzBuildWithOverlay looks for an overlay that panics, or that gives a release which the API would refuse or prune.
func FuzzBuildWithOverlay(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `null`, `{"spec":null}`, `{"metadata":{"labels":{"a":1}}}`, `{"spec":{"agent":{"resources":{"requests":{"cpu":"1Ei"}}}}}`,
		`{"spec":{"manager":{"index":{"enabled":false}},"agent":{"env":[{"name":"A"}]}}}`, `{"spec":{"agent":{"minReplicas":1e400}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		vor := example()
		vor.Spec.VectorEngine.Vald.Overlay = &apiextensionsv1.JSON{Raw: raw}
		releases, err := Build(vor, config.New(), config.ShippedTemplate(), Capability{})
		if err != nil {
			return
		}
		for _, release := range releases {
			if err := conforms(release.Manifest); err != nil {
				t.Error(err)
			}
			if release.Manifest["kind"] != "ValdRelease" || at(release.Manifest, "metadata.name") != "vald-cluster-a" || at(release.Manifest, "metadata.namespace") != "vald" {
				t.Errorf("the overlay changed what it cannot change: %v", release.Manifest)
			}
		}
	})
}

// FuzzBuild looks for an object that panics: below the API anything can stand in it.
func FuzzBuild(f *testing.F) {
	encoded, err := json.Marshal(example())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(encoded, int64(2), 1.5)
	f.Add([]byte(`{"spec":{"infrastructure":[{"active":true,"clusters":[{"name":"a"}],"nodePools":{"agent":{"replicas":-9223372036854775808,"machineResource":{"cpu":"1Ei","memory":"-1Ei"}}}}]}}`), int64(0), -1.0)
	f.Fuzz(func(t *testing.T, raw []byte, perNode int64, ratio float64) {
		var vor valdv1.ValdOperatorRelease
		if err := json.Unmarshal(raw, &vor); err != nil {
			t.Skip("no ValdOperatorRelease")
		}
		with := config.New()
		with.NodePool.AgentPodsPerNode, with.PersistentVolume.BufferRatio = perNode, ratio
		first, err := Build(&vor, with, config.ShippedTemplate(), Capability{})
		second, again := Build(&vor, with, config.ShippedTemplate(), Capability{})
		if diff := cmp.Diff(first, second); diff != "" || fmt.Sprint(err) != fmt.Sprint(again) {
			t.Errorf("Build(...) is not the same twice: %v, %v:\n%s", err, again, diff)
		}
	})
}
