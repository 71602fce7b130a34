package config

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/yaml"
)

func read(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheOperatorsDocumentIsTakenUnchanged(t *testing.T) {
	all := `
version: v0.0.0
time_zone: UTC
logging: {format: raw, level: debug, logger: glg}
server_config: {servers: [{name: grpc, port: 8081}], metrics_servers: null}
observability: {enabled: false, otlp: {attribute: {namespace: _MY_POD_NAMESPACE_}}}
operator:
  name: vald-operator
  namespace: _MY_POD_NAMESPACE_
  controller: {leader_election: {enabled: true, namespace: _MY_POD_NAMESPACE_}, requeue: {on_error: 100ms}}
  vrs:
    default_vrs_path: /etc/vrs.yaml
    log_level: error
    log_format: json
    logger: zap
    managed_generation_label: example.com/generation
    agent: {max_surge: "2", max_unavailable: "3", enable_in_memory_mode: false}
    gateway: {hpa_target_cpu_utilization: 70, ingress_service_port: https, ingress_path_type: Exact}
    indexer: {auto_index_duration_limit: 2h, auto_save_index_duration_limit: 3h}
  node_pool: {require_match: true, label_prefix: example.com, agent_pods_per_node: 0}
  persistent_volume: {default_storage_class: fast, default_access_mode: ReadWriteOncePod, buffer_ratio: 2, min_size_bytes: 5}
  networking:
    enable_ingress: false
    gateway_ingress_annotations: {a/b: c}
    gateway_service_type: ClusterIP
    discoverer_daemonset_max_surge: 1%
    discoverer_daemonset_max_unavailable: 2%
`
	cases := map[string]struct {
		reason, document string
		want             func(*Config)
	}{
		"Nothing": {"The documentation's defaults.", "", func(*Config) {}},
		"Empty":   {"The documentation's defaults.", "operator: {}", func(*Config) {}},
		"EmptyMeansDefault": {"What the operator's own sample says about empty values.",
			`operator: {vrs: {log_format: "", logger: "", managed_generation_label: "", agent: {max_surge: "", max_unavailable: ""}, gateway: {hpa_target_cpu_utilization: 0, ingress_service_port: "", ingress_path_type: ""}, indexer: {auto_index_duration_limit: "", auto_save_index_duration_limit: ""}}}`,
			func(*Config) {}},
		"ZerosCount": {"Other zeros that are written count.",
			`operator: {node_pool: {agent_pods_per_node: 0}, persistent_volume: {default_storage_class: "", buffer_ratio: 0}, networking: {enable_ingress: false}}`,
			func(c *Config) {
				c.NodePool.AgentPodsPerNode, c.PersistentVolume.DefaultStorageClass, c.PersistentVolume.BufferRatio, c.Networking.EnableIngress = 0, "", 0, false
			}},
		"All": {"Every key, documented or not; what concerns the operator's process is accepted and listed.", all, func(c *Config) {
			*c = Config{
				VRS: VRS{
					DefaultPath: "/etc/vrs.yaml", LogLevel: "error", LogFormat: "json", Logger: "zap", ManagedGenerationLabel: "example.com/generation",
					Agent:   VRSAgent{MaxSurge: "2", MaxUnavailable: "3"},
					Gateway: VRSGateway{HPATargetCPUUtilization: 70, IngressServicePort: "https", IngressPathType: "Exact"},
					Indexer: VRSIndexer{AutoIndexDurationLimit: "2h", AutoSaveIndexDurationLimit: "3h"},
				},
				NodePool:         NodePool{RequireMatch: true, LabelPrefix: "example.com"},
				PersistentVolume: PersistentVolume{DefaultStorageClass: "fast", DefaultAccessMode: "ReadWriteOncePod", BufferRatio: 2, MinSizeBytes: 5},
				Networking: Networking{
					GatewayIngressAnnotations: map[string]string{"a/b": "c"}, GatewayServiceType: "ClusterIP",
					DiscovererDaemonSetMaxSurge: "1%", DiscovererDaemonSetMaxUnavailable: "2%",
				},
				WithoutMeaning: []string{
					"logging", "observability", "operator.controller", "operator.name", "operator.namespace", "server_config", "time_zone", "version",
				},
			}
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := New()
			tc.want(&want)
			got, err := Parse(read(t, tc.document), Environment{})
			if err != nil {
				t.Fatalf("\n%s\nParse(...): %v", tc.reason, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\nParse(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestTheOperatorSectionIsCheckedStrictly(t *testing.T) {
	cases := map[string]struct{ reason, document, want string }{
		"UnknownRoot":      {"No section of a Vald component.", "gateway: {}", `unknown field "gateway"`},
		"UnknownSection":   {"No section of the operator.", "operator: {nodepool: {}}", `unknown field "operator.nodepool"`},
		"UnknownKey":       {"A typo.", "operator: {vrs: {loglevel: info}}", `unknown field "operator.vrs.loglevel"`},
		"UnknownDeep":      {"A typo.", "operator: {vrs: {agent: {surge: '1'}}}", `unknown field "operator.vrs.agent.surge"`},
		"CamelCase":        {"The document is in snake case.", "operator: {vrs: {logLevel: info}}", `unknown field "operator.vrs.logLevel"`},
		"AllOfMany":        {"All of them are told.", "operator: {a: 1, b: 2}", "unknown field \"operator.a\", unknown field \"operator.b\""},
		"Type":             {"Text for a number.", "operator: {node_pool: {agent_pods_per_node: '2'}}", "operator.node_pool.agent_pods_per_node of type int64"},
		"Fraction":         {"Half a Pod.", "operator: {node_pool: {agent_pods_per_node: 2.5}}", "operator.node_pool.agent_pods_per_node of type int64"},
		"OperatorIsNoMap":  {"A list for a section.", "operator: []", "cannot unmarshal array"},
		"LogLevel":         {"The ValdRelease API would refuse it.", "operator: {vrs: {log_level: trace}}", `operator.vrs.log_level must be one of debug, info, warn, error, fatal, not "trace"`},
		"EmptyLogLevel":    {"The ValdRelease API would refuse it.", "operator: {vrs: {log_level: ''}}", "operator.vrs.log_level must be one of"},
		"LogFormat":        {"The ValdRelease API would refuse it.", "operator: {vrs: {log_format: xml}}", "operator.vrs.log_format must be one of raw, json"},
		"Logger":           {"The ValdRelease API would refuse it.", "operator: {vrs: {logger: slog}}", "operator.vrs.logger must be one of glg, zap"},
		"PathType":         {"No path type of an Ingress.", "operator: {vrs: {gateway: {ingress_path_type: Regex}}}", "operator.vrs.gateway.ingress_path_type must be one of"},
		"ServiceType":      {"No type of a Service.", "operator: {networking: {gateway_service_type: None}}", "operator.networking.gateway_service_type must be one of"},
		"NegativePods":     {"Fewer than no Pods.", "operator: {node_pool: {agent_pods_per_node: -1}}", "agent_pods_per_node must not be negative"},
		"NegativeRatio":    {"A negative volume.", "operator: {persistent_volume: {buffer_ratio: -1}}", "buffer_ratio must not be negative"},
		"NegativeSize":     {"A negative volume.", "operator: {persistent_volume: {min_size_bytes: -1}}", "min_size_bytes must not be negative"},
		"Prefix":           {"No prefix of a label.", "operator: {node_pool: {label_prefix: 'a/b'}}", "operator.node_pool.label_prefix \"a/b\""},
		"GenerationLabel":  {"No key of a label.", "operator: {vrs: {managed_generation_label: 'a b'}}", "operator.vrs.managed_generation_label \"a b\""},
		"EnvironmentName":  {"It would read our environment.", "operator: {vrs: {log_level: _LOG_LEVEL_}}", `operator.vrs.log_level: "_LOG_LEVEL_" is not expanded`},
		"Dollar":           {"It would read our environment.", "operator: {node_pool: {label_prefix: $PREFIX}}", `operator.node_pool.label_prefix: "$PREFIX" is not expanded`},
		"Braces":           {"It would read our environment.", "operator: {vrs: {default_vrs_path: '${HOME}/x'}}", `operator.vrs.default_vrs_path: "${HOME}/x" is not expanded`},
		"File":             {"It would read our files.", "operator: {vrs: {logger: 'file:///etc/passwd'}}", `operator.vrs.logger: "file:///etc/passwd" is not expanded`},
		"AnnotationKey":    {"Keys of annotations are expanded too.", "operator: {networking: {gateway_ingress_annotations: {_KEY_: a}}}", `operator.networking.gateway_ingress_annotations: "_KEY_" is not expanded`},
		"AnnotationValue":  {"Values of annotations are expanded too.", "operator: {networking: {gateway_ingress_annotations: {a: x $1}}}", `operator.networking.gateway_ingress_annotations.a: "x $1" is not expanded`},
		"ReferenceInItems": {"Wherever it stands.", "operator: {vrs: {unknown: [a, _B_]}}", `operator.vrs.unknown[1]: "_B_" is not expanded`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(read(t, tc.document), Environment{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nParse(...): want %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

func TestTheEnvironmentCountsBelowTheInput(t *testing.T) {
	environment := Environment{DefaultVRSPath: "/env/vrs.yaml", RequireNodePoolMatch: "true", NodePoolLabelPrefix: "env.example.com"}
	cases := map[string]struct {
		reason, document string
		environment      Environment
		wantPath         string
		wantPool         NodePool
		wantErr          string
	}{
		"Silent": {"The document says nothing.", "operator: {}", environment, "/env/vrs.yaml", NodePool{RequireMatch: true, LabelPrefix: "env.example.com", AgentPodsPerNode: 2}, ""},
		"Document": {"The document wins, also with zeros.", "operator: {vrs: {default_vrs_path: /doc.yaml}, node_pool: {require_match: false, label_prefix: ''}}", environment,
			"/doc.yaml", NodePool{AgentPodsPerNode: 2}, ""},
		"None":      {"No variable is set.", "", Environment{}, "/opt/valdoperatorrelease/config/vrs.yaml", NodePool{AgentPodsPerNode: 2}, ""},
		"NoBool":    {"Neither true nor false.", "", Environment{RequireNodePoolMatch: "maybe"}, "", NodePool{}, `REQUIRE_NODEPOOL_MATCH: "maybe" is neither true nor false`},
		"Reference": {"Variables do not refer to others either.", "", Environment{NodePoolLabelPrefix: "$X"}, "", NodePool{}, `NODEPOOL_LABEL_PREFIX: "$X" is not expanded`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(read(t, tc.document), tc.environment)
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Errorf("\n%s\nParse(...): want %q, got %v", tc.reason, tc.wantErr, err)
				}
				return
			}
			if err != nil {
				t.Fatalf("\n%s\nParse(...): %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.wantPath, got.VRS.DefaultPath) + cmp.Diff(tc.wantPool, got.NodePool); diff != "" {
				t.Errorf("\n%s\nParse(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestTheTemplatesFileCountsOnlyWhenItExists(t *testing.T) {
	files := fstest.MapFS{"opt/valdoperatorrelease/config/vrs.yaml": {Data: []byte("default")}, "doc.yaml": {Data: []byte("document")}, "env.yaml": {Data: []byte("environment")}, "empty.yaml": {}}
	readFile := func(path string) ([]byte, error) { return files.ReadFile(strings.TrimPrefix(path, "/")) }
	cases := map[string]struct {
		reason, document string
		environment      Environment
		want             []byte
		wantErr          bool
	}{
		"Default":     {"The path that the documentation names.", "", Environment{}, []byte("default"), false},
		"Document":    {"The path in the document.", "operator: {vrs: {default_vrs_path: /doc.yaml}}", Environment{DefaultVRSPath: "/env.yaml"}, []byte("document"), false},
		"Environment": {"The path in the environment.", "", Environment{DefaultVRSPath: "/env.yaml"}, []byte("environment"), false},
		"Absent":      {"No such file: another template counts.", "operator: {vrs: {default_vrs_path: /gone.yaml}}", Environment{}, nil, false},
		"Empty":       {"An empty file is a file.", "operator: {vrs: {default_vrs_path: /empty.yaml}}", Environment{}, []byte{}, false},
		"Unreadable":  {"A folder.", "operator: {vrs: {default_vrs_path: /opt}}", Environment{}, nil, true},
		"Invalid":     {"Parse says what is wrong.", "operator: {unknown: 1}", Environment{}, nil, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ReadTemplate(read(t, tc.document), tc.environment, readFile)
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" || (err != nil) != tc.wantErr || (got == nil) != (tc.want == nil) {
				t.Errorf("\n%s\nReadTemplate(...): %v, -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

func TestATemplateIsOneValdRelease(t *testing.T) {
	cases := map[string]struct{ reason, text, want string }{
		"Text":      {"No object.", "vald", "it must be one ValdRelease"},
		"List":      {"No object.", "[{}]", "it must be one ValdRelease"},
		"Nothing":   {"A file without content.", "# only a comment", "it must be one ValdRelease"},
		"Twice":     {"A key that is there twice.", "{spec: {}, spec: {}}", "already set"},
		"Malformed": {"No YAML.", "{", "cannot read the default template"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := ParseTemplate([]byte(tc.text))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nParseTemplate(...): want %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
	if got := ShippedTemplate()["kind"]; got != "ValdRelease" {
		t.Errorf("ShippedTemplate(): want a ValdRelease, got %v", got)
	}
}

// FuzzParse looks for a document that panics, or whose configuration holds what must be refused.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"operator: {}", "operator: {vrs: {log_level: _A_}}", "operator: {node_pool: {require_match: null}}", "[]", "operator: {networking: {gateway_ingress_annotations: {a: $b}}}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var document map[string]any
		if err := yaml.Unmarshal(text, &document); err != nil {
			t.Skip("no document")
		}
		config, err := Parse(document, Environment{})
		if err != nil {
			return
		}
		for _, value := range []string{config.VRS.DefaultPath, config.VRS.Agent.MaxSurge, config.PersistentVolume.DefaultStorageClass} {
			if isReference(value) {
				t.Errorf("Parse(...): %q was not refused", value)
			}
		}
		if config.NodePool.AgentPodsPerNode < 0 || config.PersistentVolume.BufferRatio < 0 {
			t.Errorf("Parse(...): negative: %+v", config)
		}
	})
}
