package store

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"
)

func newStore(t interface{ Fatal(args ...any) }) *Store {
	s, err := New(Config{Now: func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func configMap(data map[string]any, metadata map[string]any) *unstructured.Unstructured {
	m := map[string]any{"name": "c", "namespace": "n"}
	maps.Copy(m, metadata)
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m, "data": data}}
}

func claim(size string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": map[string]any{"name": "c", "namespace": "n"},
		"spec": map[string]any{"accessModes": []any{"ReadWriteOnce"}, "resources": map[string]any{"requests": map[string]any{"storage": size}}},
	}}
}

func pod(image string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "c", "namespace": "n"},
		"spec": map[string]any{"nodeName": "x", "containers": []any{map[string]any{"name": "main", "image": image}}},
	}}
}

func TestApply(t *testing.T) {
	first := configMap(map[string]any{"a": "1"}, nil)
	cases := map[string]struct {
		reason string
		// before are applied by the manager "one", then the intent by "two".
		before []*unstructured.Unstructured
		intent *unstructured.Unstructured
		err    string
		data   map[string]any
	}{
		"ResourceVersionDoesNotStopACreate": {
			reason: "An absent object is created, also when the intent has a resourceVersion.",
			intent: configMap(map[string]any{"a": "1"}, map[string]any{"resourceVersion": "77"}),
			data:   map[string]any{"a": "1"},
		},
		"StaleResourceVersionIsAConflict": {
			reason: "It is a compare-and-set.",
			before: []*unstructured.Unstructured{first},
			intent: configMap(map[string]any{"a": "2"}, map[string]any{"resourceVersion": "77"}),
			err:    `Operation cannot be fulfilled on configmaps "c": the object has been modified; please apply your changes to the latest version and try again`,
			data:   map[string]any{"a": "1"},
		},
		"UIDOfNothingIsAConflict": {
			reason: "With a uid an absent object is not created.",
			intent: configMap(nil, map[string]any{"uid": "u"}),
			err:    `Operation cannot be fulfilled on configmaps "c": uid mismatch: the provided object specified uid u, and no existing object was found`,
		},
		"UIDOfAnotherIsInvalid": {
			reason: "The uid of an object cannot change.",
			before: []*unstructured.Unstructured{first},
			intent: configMap(map[string]any{"a": "2"}, map[string]any{"uid": "u"}),
			err:    `ConfigMap "c" is invalid: metadata.uid: Invalid value: "u": field is immutable`,
			data:   map[string]any{"a": "1"},
		},
		"ForceTakesFieldsAndLeavesOthers": {
			reason: "A forced apply takes what it names, the fields of others stay.",
			before: []*unstructured.Unstructured{configMap(map[string]any{"a": "1", "b": "1"}, nil)},
			intent: configMap(map[string]any{"a": "2"}, nil),
			data:   map[string]any{"a": "2", "b": "1"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			for _, o := range tc.before {
				if _, err := s.Apply(o, Options{Manager: "one"}); err != nil {
					t.Fatal(err)
				}
			}
			_, err := s.Apply(tc.intent, Options{Manager: "two"})
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.err, got); diff != "" {
				t.Errorf("\n%s\nApply(...): -want error, +got:\n%s", tc.reason, diff)
			}
			var data map[string]any
			if o := s.Peek(KeyOf(first)); o != nil {
				data, _ = o.Object["data"].(map[string]any)
			}
			if diff := cmp.Diff(tc.data, data); diff != "" {
				t.Errorf("\n%s\ndata: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFieldsThatAManagerLeavesOutAreRemoved(t *testing.T) {
	s := newStore(t)
	for _, data := range []map[string]any{{"a": "1", "b": "1"}, {"a": "1"}} {
		if _, err := s.Apply(configMap(data, nil), Options{Manager: "one"}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]any{"a": "1"}, s.Peek(KeyOf(configMap(nil, nil))).Object["data"]); diff != "" {
		t.Errorf("data: -want, +got:\n%s", diff)
	}
}

func TestValidation(t *testing.T) {
	bind := func(o *unstructured.Unstructured) {
		o.Object["status"] = map[string]any{"phase": "Bound", "capacity": map[string]any{"storage": "2Gi"}}
	}
	const immutable = `PersistentVolumeClaim "c" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims`
	cases := map[string]struct {
		reason string
		first  *unstructured.Unstructured
		status func(*unstructured.Unstructured)
		second *unstructured.Unstructured
		want   string
	}{
		"SizeZero":        {reason: "A claim of no size.", first: claim("0"), want: `PersistentVolumeClaim "c" is invalid: spec.resources[storage]: Invalid value: "0": must be greater than zero`},
		"PendingGrows":    {reason: "A claim that is not bound cannot change.", first: claim("1Gi"), second: claim("2Gi"), want: immutable},
		"BoundShrinks":    {reason: "Not below its capacity.", first: claim("2Gi"), status: bind, second: claim("1Gi"), want: `PersistentVolumeClaim "c" is invalid: spec.resources.requests.storage: Forbidden: field can not be less than status.capacity`},
		"BoundGrows":      {reason: "A bound claim may grow.", first: claim("2Gi"), status: bind, second: claim("3Gi")},
		"PodImageChanges": {reason: "The image of a Pod may change.", first: pod("a:1"), second: pod("a:2")},
		"PodFieldChanges": {
			reason: "Nothing else of it.", first: pod("a:1"),
			second: func() *unstructured.Unstructured {
				p := pod("a:1")
				_ = unstructured.SetNestedField(p.Object, "Never", "spec", "restartPolicy")
				return p
			}(),
			want: "Pod \"c\" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
		},
		"UnknownField": {
			reason: "The typed merge refuses a field that the kind does not have.",
			first: func() *unstructured.Unstructured {
				p := pod("a:1")
				_ = unstructured.SetNestedField(p.Object, "x", "spec", "imageName")
				return p
			}(),
			want: `failed to create typed patch object (n/c; /v1, Kind=Pod): .spec.imageName: field not declared in schema`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			stored, err := s.Apply(tc.first, Options{Manager: "m"})
			if err == nil && tc.status != nil {
				changed := stored.DeepCopy()
				tc.status(changed)
				_, err = s.Update(changed, Options{Manager: "binder", Subresource: "status"})
			}
			if err == nil && tc.second != nil {
				_, err = s.Apply(tc.second, Options{Manager: "m"})
			}
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nApply(...): -want error, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestShortCutOfNoOps holds that an apply which is answered without a merge would have changed nothing: a store that
// always merges goes through the same versions.
func TestShortCutOfNoOps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fast, full := newStore(t), newStore(t)
		for range rapid.IntRange(1, 25).Draw(t, "writes") {
			data := map[string]any{}
			for _, key := range []string{"a", "b", "c"} {
				if value := rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, key); value != "" {
					data[key] = value
				}
			}
			intent := configMap(data, nil)
			manager := rapid.SampledFrom([]string{"one", "two"}).Draw(t, "manager")
			remove := rapid.IntRange(0, 9).Draw(t, "remove") == 0
			for _, s := range []*Store{fast, full} {
				if s == full {
					for _, r := range s.records {
						clear(r.intents)
					}
				}
				if remove {
					_ = s.Delete(KeyOf(intent), DeleteOptions{})
					continue
				}
				if _, err := s.Apply(intent, Options{Manager: manager}); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(full.All(), fast.All()); diff != "" {
				t.Fatalf("objects with short cuts: -without, +with:\n%s", diff)
			}
		}
	})
}

func TestSchemaOfCustomKinds(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "g", Version: "v1", Kind: "K"}
	s := newStore(t)
	s.config.Schemas = map[schema.GroupVersionKind]Schema{kind: {Properties: schemaProperties()}}
	for field, want := range map[string]string{"known": "", "list": "", "unknown": `failed to create typed patch object (n/c; g/v1, Kind=K): .status.unknown: field not declared in schema`} {
		u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "c", "namespace": "n"}, "status": map[string]any{field: []any{map[string]any{"inner": "x"}}}}}
		u.SetGroupVersionKind(kind)
		_, err := s.Apply(u, Options{Manager: "m"})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("\nA field that the schema does not declare is refused.\nApply(status.%s): -want error, +got:\n%s", field, diff)
		}
	}
}
