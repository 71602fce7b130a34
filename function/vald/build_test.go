package vald

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/vald/config"
)

var update = flag.Bool("update", false, "write the golden files")

// TestBuildOfTheDocumentationsExample is the whole of a ValdRelease, for people to read.
func TestBuildOfTheDocumentationsExample(t *testing.T) {
	releases, err := Build(example(), config.New(), config.ShippedTemplate(), Capability{})
	if err != nil || len(releases) != 1 {
		t.Fatalf("Build(...): %d releases, %v", len(releases), err)
	}
	got, err := yaml.Marshal(releases[0].Manifest)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "documentation.yaml")
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("Build(...): -want, +got:\n%s", diff)
	}
}

// at finds a value of a document by a path like agent.resources.requests.cpu below spec, or metadata.labels.role. A value
// that is not there is nil.
func at(manifest map[string]any, path string) any {
	if !strings.HasPrefix(path, "metadata") {
		path = "spec." + path
	}
	var value any = manifest
	for key := range strings.SplitSeq(path, ".") {
		members, _ := value.(map[string]any)
		value = members[strings.ReplaceAll(key, "~", ".")]
	}
	return value
}

// overlay of YAML.
func overlay(tb testing.TB, text string) *apiextensionsv1.JSON {
	tb.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return &apiextensionsv1.JSON{Raw: encoded}
}

func TestBuildFollowsTheObjectTheConfigurationAndTheNodes(t *testing.T) {
	toleration := func(namespaceKey, typeKey, pool string) []any {
		return []any{
			map[string]any{"key": namespaceKey, "operator": "Equal", "value": "vald", "effect": "NoSchedule"},
			map[string]any{"key": typeKey, "operator": "Equal", "value": pool},
		}
	}
	cases := map[string]struct {
		reason     string
		object     func(*valdv1.ValdOperatorRelease)
		config     func(*config.Config)
		capability Capability
		// want values at paths of the first release.
		want map[string]any
	}{
		"NoAgentPool": {
			reason: "Without a pool of their own the agents share the general one, in size and in place.",
			object: func(vor *valdv1.ValdOperatorRelease) {
				delete(vor.Spec.Infrastructure[0].NodePools, "agent")
			},
			want: map[string]any{
				"agent.minReplicas": int64(6), "agent.resources.limits.cpu": "2400m", "agent.nodeSelector.type": "general",
				"agent.tolerations": toleration("namespace", "type", "general"),
			},
		},
		"NoMemoryLimit": {
			reason: "NGT maps its index into memory: a limit would kill it.",
			want:   map[string]any{"agent.resources.limits.memory": nil, "agent.resources.requests.memory": "10308M"},
		},
		"OnePodPerNode": {
			reason: "Pods per node divide the machine and multiply the replicas.",
			config: func(c *config.Config) { c.NodePool.AgentPodsPerNode = 1 },
			want: map[string]any{
				"agent.minReplicas": int64(6), "agent.maxReplicas": int64(6), "agent.resources.requests.cpu": "4800m",
				"gateway.lb.minReplicas": int64(3), "gateway.lb.maxReplicas": int64(12),
			},
		},
		"NoPodsPerNode": {
			reason: "0 is no division and no agents; the gateway keeps one replica.",
			config: func(c *config.Config) { c.NodePool.AgentPodsPerNode = 0 },
			want: map[string]any{
				"agent.minReplicas": int64(0), "agent.resources.requests.cpu": "4800m", "gateway.lb.minReplicas": int64(1), "gateway.lb.maxReplicas": int64(1),
			},
		},
		"NoVolume": {
			reason: "Without a volume the index is in memory only.",
			object: func(vor *valdv1.ValdOperatorRelease) { vor.Spec.VectorEngine.Vald.Agent.PersistentVolume = nil },
			want:   map[string]any{"agent.persistentVolume": nil, "agent.ngt.enable_in_memory_mode": true, "agent.ngt.index_path": nil},
		},
		"VolumeFromTheConfiguration": {
			reason: "What the object does not say about its volume, the configuration says.",
			object: func(vor *valdv1.ValdOperatorRelease) {
				vor.Spec.VectorEngine.Vald.Agent.PersistentVolume = &valdv1.PersistentVolume{Enabled: true}
			},
			config: func(c *config.Config) {
				c.PersistentVolume = config.PersistentVolume{DefaultStorageClass: "fast", DefaultAccessMode: "ReadWriteOncePod", BufferRatio: 0.001, MinSizeBytes: 3 << 30}
			},
			want: map[string]any{"agent.persistentVolume": map[string]any{"enabled": true, "storageClass": "fast", "accessMode": "ReadWriteOncePod", "size": "3Gi"}},
		},
		"LogLevels": {
			reason: "A component's own level, else the object's, else the configuration's.",
			object: func(vor *valdv1.ValdOperatorRelease) { vor.Spec.VectorEngine.Vald.Agent.LogLevel = "debug" },
			config: func(c *config.Config) { c.VRS.LogLevel = "error" },
			want:   map[string]any{"agent.logging.level": "debug", "discoverer.logging.level": "warn", "defaults.logging.level": "warn"},
		},
		"IngressNotAllowed": {
			reason: "The configuration can forbid ingresses. Then the template's own switch counts.",
			config: func(c *config.Config) { c.Networking.EnableIngress = false },
			want:   map[string]any{"gateway.lb.ingress.enabled": false, "gateway.lb.ingress.host": nil, "gateway.lb.ingress.pathType": "Prefix"},
		},
		"CronJobs": {
			reason: "Without an index manager two CronJobs build and save the indexes.",
			object: func(vor *valdv1.ValdOperatorRelease) { vor.Spec.VectorEngine.Vald.Indexer.Manager = false },
			want: map[string]any{
				"manager.index.enabled": false, "manager.index.indexer": nil, "manager.index.resources": nil, "manager.index.creator.schedule": "@every 1m",
				"manager.index.creator.concurrency": int64(2), "manager.index.saver.schedule": "0 */3 * * *", "manager.index.saver.concurrency": nil,
				"manager.index.saver.nodeSelector.type": "general",
			},
		},
		"DiscovererDeployment": {
			reason: "A Deployment needs no local traffic.",
			object: func(vor *valdv1.ValdOperatorRelease) { vor.Spec.VectorEngine.Vald.Discoverer.Kind = "Deployment" },
			want:   map[string]any{"discoverer.serviceType": "ClusterIP", "discoverer.externalTrafficPolicy": nil, "discoverer.rollingUpdate": nil},
		},
		"LabelPrefix": {
			reason: "The prefix goes before the keys of labels, node selectors and tolerations.",
			config: func(c *config.Config) { c.NodePool.LabelPrefix = "example.com" },
			want: map[string]any{
				"metadata.labels": map[string]any{
					"app.kubernetes.io/managed-by": "vald.vdaas.org", "vald.vdaas.org/managed-resource": "ValdRelease",
					"example.com/type": "kind", "example.com/role": "green",
				},
				"agent.nodeSelector": map[string]any{"example.com/namespace": "vald", "example.com/type": "agent"},
				"agent.tolerations":  toleration("example.com/namespace", "example.com/type", "agent"),
			},
		},
		"MatchedGeneralOnly": {
			reason:     "With matching the nodes decide where the agents go, the object how large they are.",
			config:     func(c *config.Config) { c.NodePool.RequireMatch = true },
			capability: Capability{General: true},
			want:       map[string]any{"agent.nodeSelector.type": "general", "agent.minReplicas": int64(12)},
		},
		"UndocumentedKeys": {
			reason: "The keys that the documentation does not list replace what is otherwise built in.",
			config: func(c *config.Config) {
				c.VRS.Agent.MaxSurge, c.VRS.Gateway.HPATargetCPUUtilization, c.VRS.Indexer.AutoIndexDurationLimit = "3", 60, "2h"
			},
			want: map[string]any{
				"agent.rollingUpdate.maxSurge": "3", "gateway.lb.hpa.targetCPUUtilizationPercentage": int64(60), "manager.index.indexer.auto_index_duration_limit": "2h",
			},
		},
		"OverlayWins": {
			reason: "The overlay is layered over what is computed, and that over the template.",
			object: func(vor *valdv1.ValdOperatorRelease) {
				vor.Spec.VectorEngine.Vald.Overlay = overlay(t, `
metadata: {name: hijack, labels: {team: search, role: overridden}, annotations: {note: hello}}
spec: {agent: {minReplicas: 3.0, hpa: {enabled: true}, resources: {requests: {cpu: 0.5}}, image: {pullPolicy: null}, tolerations: []}, unknown: 1}`)
			},
			want: map[string]any{
				"metadata.name": "vald-cluster-a", "metadata.labels.team": "search", "metadata.labels.role": "overridden", "metadata.labels.type": "kind",
				"metadata.annotations": map[string]any{"note": "hello"}, "agent.minReplicas": int64(3), "agent.maxReplicas": int64(12),
				"agent.hpa": map[string]any{"enabled": true}, "agent.resources.requests": map[string]any{"cpu": "500m", "memory": "10308M"},
				"agent.image": map[string]any{}, "agent.tolerations": []any{}, "unknown": nil,
				// The gateway follows the computed agents, whatever the overlay says.
				"gateway.lb.minReplicas": int64(6),
			},
		},
		"OverlayNullSpec": {
			reason: "A null removes whatever it names.",
			object: func(vor *valdv1.ValdOperatorRelease) {
				vor.Spec.VectorEngine.Vald.Overlay = overlay(t, "{spec: null, metadata: null}")
			},
			want: map[string]any{"agent": nil, "metadata": map[string]any{"name": "vald-cluster-a", "namespace": "vald"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vor, with := example(), config.New()
			if tc.object != nil {
				tc.object(vor)
			}
			if tc.config != nil {
				tc.config(&with)
			}
			releases, err := Build(vor, with, config.ShippedTemplate(), tc.capability)
			if err != nil || len(releases) != 1 {
				t.Fatalf("\n%s\nBuild(...): %d releases, %v", tc.reason, len(releases), err)
			}
			got := map[string]any{}
			for path := range tc.want {
				got[path] = at(releases[0].Manifest, path)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestBuildGivesOneReleaseForEachClusterOfEachActiveEntry(t *testing.T) {
	entry := func(role string, active bool, clusters ...string) valdv1.Infrastructure {
		out := example().Spec.Infrastructure[0]
		out.Role, out.Active, out.Clusters = role, active, nil
		for _, cluster := range clusters {
			out.Clusters = append(out.Clusters, valdv1.Cluster{ID: cluster, Name: cluster})
		}
		return out
	}
	long := strings.Repeat("a", 58)
	cases := map[string]struct {
		reason  string
		entries []valdv1.Infrastructure
		match   bool
		want    []string
		wantErr string
	}{
		"Order":             {"Entries in their order, then clusters in theirs.", []valdv1.Infrastructure{entry("green", true, "b", "a"), entry("blue", true, "c")}, false, []string{"vald-b green", "vald-a green", "vald-c blue"}, ""},
		"Inactive":          {"Inactive entries are skipped.", []valdv1.Infrastructure{entry("green", false, "a"), entry("blue", true, "b")}, false, []string{"vald-b blue"}, ""},
		"NoneActive":        {"Nothing to build is no error of the build.", []valdv1.Infrastructure{entry("green", false, "a")}, false, nil, ""},
		"NoGeneralNode":     {"With matching and no general pool nothing is built.", []valdv1.Infrastructure{entry("green", true, "a")}, true, nil, ""},
		"NoInfrastructure":  {"Nothing to build for.", nil, false, nil, "CR.Spec.Infrastructure is empty"},
		"NoClusters":        {"Also of an inactive entry, as the Vald Operator has it.", []valdv1.Infrastructure{entry("blue", true, "b"), entry("green", false)}, false, nil, "CR.Spec.Infrastructure.Clusters is empty for role green"},
		"NoName":            {"A ValdRelease needs a name.", []valdv1.Infrastructure{entry("green", true, "")}, false, nil, "CR.Spec.Infrastructure.Clusters.Name is empty for role green"},
		"LongestName":       {"63 characters.", []valdv1.Infrastructure{entry("green", true, long)}, false, []string{"vald-" + long + " green"}, ""},
		"TooLongName":       {"64 characters.", []valdv1.Infrastructure{entry("green", true, long+"a")}, false, nil, "is too long, must be 63 characters or less"},
		"SameName":          {"Two releases of one name would overwrite each other for ever.", []valdv1.Infrastructure{entry("green", true, "a"), entry("blue", true, "a")}, false, nil, "two active clusters are named a"},
		"SameNameNotActive": {"Only one of them gives a release.", []valdv1.Infrastructure{entry("green", true, "a"), entry("blue", false, "a")}, false, []string{"vald-a green"}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vor, with := example(), config.New()
			vor.Spec.Infrastructure, with.NodePool.RequireMatch = tc.entries, tc.match
			releases, err := Build(vor, with, config.ShippedTemplate(), Capability{})
			if (err == nil) != (tc.wantErr == "") || err != nil && !strings.Contains(err.Error(), tc.wantErr) {
				t.Fatalf("\n%s\nBuild(...): want error %q, got %v", tc.reason, tc.wantErr, err)
			}
			var got []string
			for _, release := range releases {
				got = append(got, release.Name+" "+at(release.Manifest, "metadata.labels.role").(string))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestAWrongOverlayOrTemplateIsAnErrorWithThePath(t *testing.T) {
	cases := map[string]struct{ reason, overlay, template, want string }{
		"Array":        {"Its root is a ValdRelease.", "[]", "{}", "failed to parse overlay: spec.vectorEngine.vald.overlay must be an object"},
		"Text":         {"Its root is a ValdRelease.", "text", "{}", "failed to parse overlay: spec.vectorEngine.vald.overlay must be an object"},
		"Number":       {"Its root is a ValdRelease.", "1", "{}", "failed to parse overlay: spec.vectorEngine.vald.overlay must be an object"},
		"Type":         {"Of a known member.", "{spec: {agent: {minReplicas: '3'}}}", "{}", `failed to merge overlay: spec.vectorEngine.vald.overlay.spec.agent.minReplicas: must be an integer, not "3"`},
		"Fraction":     {"Of a known member.", "{spec: {gateway: {lb: {maxReplicas: 3.7}}}}", "{}", "spec.vectorEngine.vald.overlay.spec.gateway.lb.maxReplicas: must be an integer, not 3.7"},
		"Template":     {"A template can be wrong too.", "{}", "{spec: {agent: []}}", "cannot read the default template: spec.agent: must be an object, not an array"},
		"TemplateKind": {"Another document in the template's place.", "{}", "{kind: ConfigMap}", "cannot read the default template: it must be a ValdRelease, not a ConfigMap"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vor := example()
			vor.Spec.VectorEngine.Vald.Overlay = overlay(t, tc.overlay)
			template, err := config.ParseTemplate([]byte(tc.template))
			if err != nil {
				t.Fatal(err)
			}
			_, err = Build(vor, config.New(), template, Capability{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nBuild(...): want %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

func TestAnOverlayOfNothingChangesNothing(t *testing.T) {
	want, err := Build(example(), config.New(), config.ShippedTemplate(), Capability{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"{}", "null", "{spec: {}}", "{metadata: {}}", "{notAField: 1}"} {
		vor := example()
		vor.Spec.VectorEngine.Vald.Overlay = overlay(t, text)
		got, err := Build(vor, config.New(), config.ShippedTemplate(), Capability{})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Build(overlay %s): %v, -want, +got:\n%s", text, err, diff)
		}
	}
}

func TestATemplateStaysWhereTheComputedPartIsSilent(t *testing.T) {
	template, err := config.ParseTemplate([]byte(`
apiVersion: vald.vdaas.org/v1
kind: ValdRelease
metadata: {name: ignored, labels: {tier: gold, role: ignored}}
spec:
  agent: {hpa: {enabled: false}, resources: {limits: {memory: 2048Mi}}, nodeSelector: {disk: ssd}, tolerations: [{key: gone}], persistentVolume: {enabled: true, size: 7Gi}}
  gateway: {lb: {ingress: {enabled: true, host: kept}, hpa: {targetCPUUtilizationPercentage: 50}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	vor := example()
	vor.Spec.VectorEngine.Vald.Agent.PersistentVolume, vor.Spec.VectorEngine.Vald.Gateway.Ingress = nil, nil
	releases, err := Build(vor, config.New(), template, Capability{})
	if err != nil || len(releases) != 1 {
		t.Fatalf("Build(...): %d releases, %v", len(releases), err)
	}
	want := map[string]any{
		"metadata.name": "vald-cluster-a", "metadata.labels.tier": "gold", "metadata.labels.role": "green",
		"agent.hpa": map[string]any{"enabled": false}, "agent.resources.limits": map[string]any{"cpu": "4800m", "memory": "2Gi"},
		"agent.nodeSelector":      map[string]any{"disk": "ssd", "namespace": "vald", "type": "agent"},
		"agent.persistentVolume":  map[string]any{"enabled": true, "size": "7Gi"},
		"gateway.lb.ingress.host": "kept",
		"gateway.lb.hpa":          map[string]any{"targetCPUUtilizationPercentage": int64(80)},
		"defaults.image":          nil,
		"gateway.lb.topologySpreadConstraints": []any{map[string]any{
			"maxSkew": int64(1), "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
			"labelSelector": map[string]any{"matchLabels": map[string]any{"app.kubernetes.io/component": "gateway-lb"}},
		}},
	}
	got := map[string]any{}
	for path := range want {
		got[path] = at(releases[0].Manifest, path)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Build(...): -want, +got:\n%s", diff)
	}
}
