package schema

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/ledger"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

func condition(kind, status, message string) map[string]any {
	return map[string]any{"type": kind, "status": status, "message": message}
}

func object(properties map[string]any) map[string]any {
	return map[string]any{"properties": properties}
}

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
	encoded := map[string]any{
		"phase": "Ready", "dataAhead": true,
		"retries":    []any{map[string]any{"role": "pod", "attempts": "1"}, map[string]any{"role": "claim", "attempts": "2"}},
		"components": map[string]any{"sysdb": map[string]any{"ready": "1", "members": "2"}}, "labels": map[string]any{"a": "b"}, "raw": map[string]any{"any": "thing"},
	}
	ready := pass.Condition{Type: reason.ServerReady, Status: pass.True, Reason: reason.PodReady}

	older := []any{condition("DefinitionCurrent", "False", "older")}
	cases := map[string]struct {
		reason string
		// observed status of the XR.
		observed map[string]any
		// waited since the status was written. Zero: the XR is in no cluster.
		waited time.Duration
		schema map[string]any
		status any
		want   pass.Answer
	}{
		"Settled": {
			reason:   "All that is written is there, with whatever value: the schema, which is large, is not asked for.",
			observed: map[string]any{"phase": "Creating", "conditions": []any{condition("Synced", "True", "")}}, waited: time.Hour,
			schema: definition(), status: fits,
			want: pass.Answer{Status: map[string]any{"phase": "Ready"}, Conditions: []pass.Condition{ready}},
		},
		"New": {
			reason: "A field that is written for the first time is not there yet.",
			waited: time.Second, schema: definition(), status: full,
			want: pass.Answer{Status: encoded, Conditions: []pass.Condition{ready}},
		},
		"Refused": {
			reason:   "A field that does not appear was refused, and the status with it: the schema is asked for.",
			observed: map[string]any{"phase": "Ready"}, waited: 4 * time.Second, status: full,
			want: pass.Answer{Status: encoded, Conditions: []pass.Condition{ready}, AskSchema: true},
		},
		"Declared": {
			reason:   "The schema has all fields, so that something else was in the way: nothing is said.",
			observed: map[string]any{}, waited: 4 * time.Second, schema: definition(), status: fits,
			want: pass.Answer{Status: map[string]any{"phase": "Ready"}, Conditions: []pass.Condition{ready}, AskSchema: true},
		},
		"Rendered": {
			reason: "Without a cluster there is nobody to refuse anything.",
			status: full,
			want:   pass.Answer{Status: encoded, Conditions: []pass.Condition{ready}},
		},
		"Answered": {
			reason:   "What the schema lacks is left out at every depth, once told, and open maps are left alone.",
			observed: map[string]any{"phase": "Ready"}, waited: 4 * time.Second,
			schema: definition(), status: full,
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
			reason:   "The next status is written, and the definition is still the older one.",
			observed: map[string]any{"conditions": older}, status: full,
			want: pass.Answer{Status: encoded, Conditions: []pass.Condition{ready}, AskSchema: true},
		},
		"Upgraded": {
			reason:   "The definition has all fields now: it is said once, and not asked again.",
			observed: map[string]any{"conditions": older}, schema: definition(), status: fits,
			want: pass.Answer{
				AskSchema: true, Status: map[string]any{"phase": "Ready"},
				Conditions: []pass.Condition{ready, {Type: reason.DefinitionCurrent, Status: pass.True, Reason: reason.StatusDeclared}},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := &unstructured.Unstructured{Object: map[string]any{"status": tc.observed}}
			now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
			if tc.waited > 0 {
				written := metav1.NewTime(now.Add(-tc.waited))
				xr.SetCreationTimestamp(metav1.NewTime(now.Add(-24 * time.Hour)))
				xr.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "apiextensions.crossplane.io/composite", Subresource: "status", Time: &written}})
			}
			got, err := Fit(pass.Request{XR: xr, Schema: tc.schema, Now: now}, pass.Answer{Status: tc.status, Conditions: []pass.Condition{ready}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nFit(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestHas compares fields, not values.
func TestHas(t *testing.T) {
	cases := map[string]struct {
		reason           string
		observed, wanted any
		want             bool
	}{
		"Same":      {"Nothing is missing.", map[string]any{"a": "1"}, map[string]any{"a": "2"}, true},
		"Missing":   {"The field is not there.", nil, map[string]any{"a": "1"}, false},
		"Nested":    {"At any depth.", map[string]any{"a": map[string]any{}}, map[string]any{"a": map[string]any{"b": "1"}}, false},
		"List":      {"Items that are there on both sides.", map[string]any{"a": []any{map[string]any{}}}, map[string]any{"a": []any{map[string]any{"b": "1"}}}, false},
		"MoreItems": {"Another number of items is another value.", map[string]any{"a": []any{}}, map[string]any{"a": []any{map[string]any{"b": "1"}}}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := has(tc.observed, tc.wanted); got != tc.want {
				t.Errorf("\n%s\nhas(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestARecordWithAHoleIsLeftOut: half a record never agrees with its twin on the claim.
func TestARecordWithAHoleIsLeftOut(t *testing.T) {
	whole := func() map[string]any {
		out := map[string]any{"phase": "Ready", "claimUID": "a"}
		for _, field := range ledger.StatusFields() {
			out[field] = "written"
		}
		return out
	}
	for _, missing := range ledger.StatusFields() {
		t.Run(missing, func(t *testing.T) {
			properties := map[string]any{}
			for field := range whole() {
				if field != missing {
					properties[field] = map[string]any{"type": "string"}
				}
			}
			status := whole()
			told := fit(status, object(map[string]any{"status": object(properties)}))
			if diff := cmp.Diff(map[string]any{"phase": "Ready", "claimUID": "a"}, status); diff != "" {
				t.Errorf("the status: -want, +got:\n%s", diff)
			}
			if told.Reason != reason.DefinitionOlder || !strings.Contains(told.Message, "status."+missing) {
				t.Errorf("want the field named, got %s: %s", told.Reason, told.Message)
			}
		})
	}
}

// TestASchemaWithoutAStatusChangesNothing: it is of something else.
func TestASchemaWithoutAStatusChangesNothing(t *testing.T) {
	for name, schema := range map[string]map[string]any{"Empty": {}, "NoProperties": {"type": "object"}, "NoStatus": object(map[string]any{"spec": object(nil)})} {
		t.Run(name, func(t *testing.T) {
			status := map[string]any{"claimUID": "a"}
			if told := fit(status, schema); told.Status != pass.True || status["claimUID"] != "a" {
				t.Errorf("want the status as it is, got %v and %+v", status, told)
			}
		})
	}
}
