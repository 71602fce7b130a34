package release

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// document of YAML, with whole numbers as integers.
func document(t *testing.T, text string) map[string]any {
	t.Helper()
	encoded, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(encoded, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMembersUnknownToTheSchemaVanish(t *testing.T) {
	cases := map[string]struct{ reason, document, want string }{
		"Root":     {"Only spec and metadata of a document count.", "{apiVersion: x/v9, kind: Other, status: {a: 1}, notAField: {x: 1}, spec: {}}", "{spec: {}}"},
		"Metadata": {"Only labels and annotations are a document's to choose.", "{metadata: {name: a, namespace: b, uid: c, labels: {d: e}, annotations: {f: g}}}", "{metadata: {labels: {d: e}, annotations: {f: g}}}"},
		"Spec":     {"At any depth.", "{spec: {unknown: 1, agent: {unknown: {a: b}, minReplicas: 3}}}", "{spec: {agent: {minReplicas: 3}}}"},
		"Free":     {"Objects that the schema leaves free keep everything.", "{spec: {agent: {nodeSelector: {disk: ssd}, tolerations: [{key: a, x: {y: [1]}}]}}}", "{spec: {agent: {nodeSelector: {disk: ssd}, tolerations: [{key: a, x: {y: [1]}}]}}}"},
		"Null":     {"A null stays: it removes.", "{spec: {agent: null, gateway: {lb: {ingress: null}}}}", "{spec: {agent: null, gateway: {lb: {ingress: null}}}}"},
		"NullInAnItem": {"An array is replaced whole, so a null in it removes nothing and goes.",
			"{spec: {agent: {tolerations: [{key: a, effect: null}]}}}", "{spec: {agent: {tolerations: [{key: a}]}}}"},
		"EmptyArray": {"An empty array stays: it replaces.", "{spec: {agent: {topologySpreadConstraints: []}}}", "{spec: {agent: {topologySpreadConstraints: []}}}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Conform(document(t, tc.document))
			if err != nil {
				t.Fatalf("\n%s\nConform(...): %v", tc.reason, err)
			}
			if diff := cmp.Diff(document(t, tc.want), got); diff != "" {
				t.Errorf("\n%s\nConform(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestAWrongTypeIsAnErrorWithThePath(t *testing.T) {
	cases := map[string]struct{ reason, document, want string }{
		"Spec":           {"The root of the schema.", "{spec: []}", "spec: must be an object, not an array"},
		"FractionForInt": {"3.7 is no integer.", "{spec: {agent: {minReplicas: 3.7}}}", "spec.agent.minReplicas: must be an integer, not 3.7"},
		"TextForInt":     {"Text is no integer, even of digits.", "{spec: {agent: {minReplicas: '3'}}}", `spec.agent.minReplicas: must be an integer, not "3"`},
		"IntForText":     {"A tag like 1.8 needs quotes.", "{spec: {agent: {image: {tag: 1.8}}}}", "spec.agent.image.tag: must be a string, not 1.8"},
		"TextForBool":    {"Quoted true.", "{spec: {agent: {hpa: {enabled: 'true'}}}}", `spec.agent.hpa.enabled: must be a boolean, not "true"`},
		"ObjectForArray": {"One toleration instead of a list.", "{spec: {agent: {tolerations: {key: a}}}}", "spec.agent.tolerations: must be an array, not an object"},
		"Item":           {"An item of an array.", "{spec: {agent: {tolerations: [{key: a}, b]}}}", `spec.agent.tolerations[1]: must be an object, not "b"`},
		"NullItem":       {"A null cannot be an item.", "{spec: {agent: {tolerations: [null]}}}", "spec.agent.tolerations[0]: must not be null"},
		"Enum":           {"The API would refuse it later.", "{spec: {agent: {logging: {level: loud}}}}", `spec.agent.logging.level: must be one of debug, info, warn, error, fatal, not "loud"`},
		"Minimum":        {"The API would refuse it later.", "{spec: {agent: {minReplicas: -1}}}", "spec.agent.minReplicas: must be at least 0, not -1"},
		"Quantity":       {"Requests are quantities.", "{spec: {agent: {resources: {requests: {cpu: many}}}}}", `spec.agent.resources.requests.cpu: must be a quantity, not "many"`},
		"QuantityType":   {"Requests are quantities.", "{spec: {agent: {resources: {limits: {cpu: true}}}}}", "spec.agent.resources.limits.cpu: must be a quantity, not true"},
		"QuantityBelow":  {"Below resources at any depth.", "{spec: {agent: {initContainers: [{resources: {limits: {cpu: x}}}]}}}", `spec.agent.initContainers[0].resources.limits.cpu: must be a quantity, not "x"`},
		"Metadata":       {"Of an object.", "{metadata: a}", `metadata: must be an object, not "a"`},
		"Labels":         {"Of an object.", "{metadata: {labels: [a]}}", "metadata.labels: must be an object, not an array"},
		"Label":          {"Labels are text.", "{metadata: {labels: {a: 1}}}", "metadata.labels.a: must be a string, not 1"},
		"FirstOfMany":    {"Always the same one: a condition repeats it.", "{spec: {agent: {minReplicas: a, maxReplicas: b}}}", `spec.agent.maxReplicas: must be an integer, not "b"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Conform(document(t, tc.document))
			if _, ok := errors.AsType[*PathError](err); !ok {
				t.Fatalf("\n%s\nConform(...): want a PathError, got %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
				t.Errorf("\n%s\nConform(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestWholeNumbersCountAsIntegersAndStayExact(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  any
		want   any
	}{
		"Integer":       {"As it is.", int64(3), int64(3)},
		"BeyondFloat":   {"2^53 + 1 is no float64.", int64(1<<53 + 1), int64(1<<53 + 1)},
		"Float":         {"3.0 is 3.", 3.0, int64(3)},
		"Exponent":      {"1e3 is 1000.", 1e3, int64(1000)},
		"LargestFloat":  {"The largest float64 below 2^63.", float64(1<<63 - 1024), int64(1<<63 - 1024)},
		"BeyondInteger": {"2^63 is no int64.", float64(1 << 63), nil},
		"Fraction":      {"3.7 is none.", 3.7, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Conform(map[string]any{"spec": map[string]any{"agent": map[string]any{"ngt": map[string]any{"search_edge_size": tc.value}}}})
			if tc.want == nil {
				if err == nil {
					t.Errorf("\n%s\nConform(%v): want an error, got %v", tc.reason, tc.value, got)
				}
				return
			}
			want := map[string]any{"spec": map[string]any{"agent": map[string]any{"ngt": map[string]any{"search_edge_size": tc.want}}}}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("\n%s\nConform(%v): %v, -want, +got:\n%s", tc.reason, tc.value, err, diff)
			}
		})
	}
}

func TestQuantitiesBelowResourcesComeOutCanonical(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  any
		want   string
	}{
		"Fraction": {"Half a core.", "0.5", "500m"},
		"Binary":   {"1024 Mi are a Gi.", "1024Mi", "1Gi"},
		"Number":   {"A number that was not quoted.", int64(1), "1"},
		"Float":    {"A fraction that was not quoted.", 0.25, "250m"},
		"Large":    {"An exbibyte.", "1Ei", "1Ei"},
		"Small":    {"A thousandth.", "1m", "1m"},
		"Exponent": {"Scientific notation stays.", "1e3", "1e3"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			// One place that the schema knows, and one inside a free object.
			got, err := Conform(map[string]any{"spec": map[string]any{"agent": map[string]any{
				"resources":      map[string]any{"requests": map[string]any{"cpu": tc.value}},
				"initContainers": []any{map[string]any{"resources": map[string]any{"limits": map[string]any{"cpu": tc.value}}}},
			}}})
			want := map[string]any{"spec": map[string]any{"agent": map[string]any{
				"resources":      map[string]any{"requests": map[string]any{"cpu": tc.want}},
				"initContainers": []any{map[string]any{"resources": map[string]any{"limits": map[string]any{"cpu": tc.want}}}},
			}}}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("\n%s\nConform(%v): %v, -want, +got:\n%s", tc.reason, tc.value, err, diff)
			}
		})
	}
}

func TestOverlayMergesObjectsReplacesArraysAndRemovesNulls(t *testing.T) {
	cases := map[string]struct{ reason, below, above, want string }{
		"Merge":        {"Objects merge.", "{a: {b: 1, c: 2}}", "{a: {c: 3, d: 4}}", "{a: {b: 1, c: 3, d: 4}}"},
		"Falsy":        {"Falsy values win.", "{a: true, b: 1, c: x}", "{a: false, b: 0, c: ''}", "{a: false, b: 0, c: ''}"},
		"Array":        {"Arrays are replaced whole.", "{a: [1, 2]}", "{a: [3]}", "{a: [3]}"},
		"EmptyArray":   {"Also by an empty one.", "{a: [1, 2]}", "{a: []}", "{a: []}"},
		"Null":         {"A null removes.", "{a: {b: 1}, c: 2}", "{a: null}", "{c: 2}"},
		"DeepNull":     {"At any depth.", "{a: {b: 1, c: 2}}", "{a: {b: null}}", "{a: {c: 2}}"},
		"NullOfAbsent": {"What a null would remove need not be there.", "{}", "{a: {b: null}, c: null}", "{a: {}}"},
		"Kind":         {"A scalar gives way to an object.", "{a: 1}", "{a: {b: 1}}", "{a: {b: 1}}"},
		"Empty":        {"An empty object changes nothing.", "{a: {b: 1}}", "{a: {}}", "{a: {b: 1}}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			below, above := document(t, tc.below), document(t, tc.above)
			got := Overlay(below, above)
			if diff := cmp.Diff(document(t, tc.want), got); diff != "" {
				t.Errorf("\n%s\nOverlay(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(document(t, tc.below), below) + cmp.Diff(document(t, tc.above), above); diff != "" {
				t.Errorf("\nOverlay(...) changed what it was given:\n%s", diff)
			}
		})
	}
}

// FuzzConform looks for a document that panics, and for one that does not stay as it is when it already conforms.
func FuzzConform(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"spec":null}`, `{"spec":{"agent":{"minReplicas":1e3,"resources":{"requests":{"cpu":0.5}}}}}`,
		`{"spec":{"agent":{"tolerations":[null]}},"metadata":{"labels":{"a":null}}}`, `{"spec":{"gateway":{"lb":{"env":[{"name":"A"}]}}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var value map[string]any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Skip("no document")
		}
		once, err := Conform(value)
		if err != nil {
			return
		}
		twice, err := Conform(once)
		if err != nil {
			t.Fatalf("Conform(Conform(...)): %v", err)
		}
		if diff := cmp.Diff(once, twice); diff != "" {
			t.Errorf("Conform(Conform(...)): -once, +twice:\n%s", diff)
		}
		if diff := cmp.Diff(withoutNulls(once), any(Overlay(Overlay(nil, once), once))); diff != "" {
			t.Errorf("a document over itself is not itself:\n%s", diff)
		}
	})
}
