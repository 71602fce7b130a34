package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// refusal is what Crossplane 2.3.4 says of a status that the API server refused.
const refusal = "cannot compose resources: cannot apply composite resource status: failed to create typed patch object " +
	"(a/demo; chroma.chromadotnet.org/v1alpha1, Kind=Chroma): .status.dataAhead: field not declared in schema"

func condition(kind, status, message string) map[string]any {
	return map[string]any{"type": kind, "status": status, "message": message}
}

func object(properties map[string]any) map[string]any { return map[string]any{"properties": properties} }

// definition of an XR with a few fields of the status.
func definition() map[string]any {
	text := map[string]any{"type": "string"}
	return object(map[string]any{"status": object(map[string]any{
		"phase":      text,
		"retries":    map[string]any{"items": object(map[string]any{"role": text})},
		"components": map[string]any{"additionalProperties": object(map[string]any{"ready": text})},
		"labels":     map[string]any{"additionalProperties": true},
		"raw":        map[string]any{"x-kubernetes-preserve-unknown-fields": true},
	})})
}

func TestFit(t *testing.T) {
	type status struct {
		Phase      string                       `json:"phase,omitempty"`
		DataAhead  bool                         `json:"dataAhead,omitempty"`
		Retries    []map[string]string          `json:"retries,omitempty"`
		Components map[string]map[string]string `json:"components,omitempty"`
		Labels     map[string]string            `json:"labels,omitempty"`
		Raw        map[string]any               `json:"raw,omitempty"`
	}
	full := &status{
		Phase: "Ready", DataAhead: true, Retries: []map[string]string{{"role": "pod", "attempts": "1"}, {"role": "claim", "attempts": "2"}},
		Components: map[string]map[string]string{"sysdb": {"ready": "1", "members": "2"}}, Labels: map[string]string{"a": "b"}, Raw: map[string]any{"any": "thing"},
	}
	fits := &status{Phase: "Ready"}
	ready := pass.Condition{Type: reason.ServerReady, Status: pass.True, Reason: reason.PodReady}

	cases := map[string]struct {
		reason     string
		conditions []any
		schema     map[string]any
		status     any
		want       pass.Answer
	}{
		"Settled": {
			reason:     "Nobody doubts the definition: its schema, which is large, is not asked for.",
			conditions: []any{condition("Synced", "True", "")},
			schema:     definition(), status: full,
			want: pass.Answer{Status: full, Conditions: []pass.Condition{ready}},
		},
		"OtherError": {
			reason:     "Another refusal says nothing about the definition.",
			conditions: []any{condition("Synced", "False", "cannot compose resources: cannot apply composed resource \"pod\": .spec.a: field not declared in schema")},
			schema:     definition(), status: full,
			want: pass.Answer{Status: full, Conditions: []pass.Condition{ready}},
		},
		"Refused": {
			reason:     "The API server refused a field: the schema is asked for.",
			conditions: []any{condition("Synced", "False", refusal)},
			status:     full,
			want:       pass.Answer{Status: full, Conditions: []pass.Condition{ready}, AskSchema: true},
		},
		"Answered": {
			reason:     "What the schema lacks is left out at every depth, once told, and open maps are left alone.",
			conditions: []any{condition("Synced", "False", refusal)},
			schema:     definition(), status: full,
			want: pass.Answer{
				AskSchema: true,
				Status: map[string]any{
					"phase": "Ready", "retries": []any{map[string]any{"role": "pod"}, map[string]any{"role": "claim"}},
					"components": map[string]any{"sysdb": map[string]any{"ready": "1"}}, "labels": map[string]any{"a": "b"}, "raw": map[string]any{"any": "thing"},
				},
				Conditions: []pass.Condition{ready, {
					Type: reason.DefinitionCurrent, Status: pass.False, Reason: reason.DefinitionOlder,
					Message: "The definition on this cluster does not declare status.components[].members, status.dataAhead, status.retries[].attempts, " +
						"which this version of the function writes: it is left out. Upgrade the Configuration to the function's version.",
				}},
			},
		},
		"Remembered": {
			reason:     "The next status is written, and the definition is still the older one.",
			conditions: []any{condition("Synced", "True", ""), condition("DefinitionCurrent", "False", "older")},
			status:     full,
			want:       pass.Answer{Status: full, Conditions: []pass.Condition{ready}, AskSchema: true},
		},
		"Upgraded": {
			reason:     "The definition has all fields now: it is said once, and not asked again.",
			conditions: []any{condition("DefinitionCurrent", "False", "older")},
			schema:     definition(), status: fits,
			want: pass.Answer{
				AskSchema: true, Status: map[string]any{"phase": "Ready"},
				Conditions: []pass.Condition{ready, {Type: reason.DefinitionCurrent, Status: pass.True, Reason: reason.StatusDeclared}},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			request := pass.Request{
				XR:     &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": tc.conditions}}},
				Schema: tc.schema,
			}
			got, err := Fit(request, pass.Answer{Status: tc.status, Conditions: []pass.Condition{ready}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nFit(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
