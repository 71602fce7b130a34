package previous

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
)

// ours and earlier are two XRs that have applied the object.
const (
	ours    = ManagerPrefix + "1111"
	earlier = ManagerPrefix + "2222"
)

// observed Pod, as protobuf carries it: its numbers are float64.
func observed(t *testing.T, managed ...any) *unstructured.Unstructured {
	t.Helper()
	out := map[string]any{}
	if err := json.Unmarshal([]byte(`{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": {"name": "a", "namespace": "b", "uid": "u", "resourceVersion": "7", "labels": {"ours": "1", "theirs": "2"}},
		"spec": {
			"nodeName": "n",
			"terminationGracePeriodSeconds": 30,
			"containers": [
				{"name": "sidecar", "image": "other:1"},
				{"name": "server", "image": "chroma:1.5.9", "ports": [{"name": "http", "containerPort": 8000, "protocol": "TCP"}]}
			]
		},
		"status": {"phase": "Running"}
	}`), &out); err != nil {
		t.Fatal(err)
	}
	if len(managed) > 0 {
		out["metadata"].(map[string]any)["managedFields"] = managed
	}
	return &unstructured.Unstructured{Object: out}
}

func entry(t *testing.T, manager, operation, at, subresource, fields string) map[string]any {
	t.Helper()
	set := map[string]any{}
	if err := json.Unmarshal([]byte(fields), &set); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{"manager": manager, "operation": operation, "apiVersion": "v1", "time": at, "fieldsType": "FieldsV1", "fieldsV1": set}
	if subresource != "" {
		out["subresource"] = subresource
	}
	return out
}

const (
	labels = `{"f:metadata": {"f:labels": {"f:ours": {}}}}`
	image  = `{"f:spec": {"f:containers": {"k:{\"name\":\"server\"}": {".": {}, "f:name": {}, "f:image": {}}}}}`
	ports  = `{"f:metadata": {"f:labels": {"f:ours": {}}}, "f:spec": {"f:terminationGracePeriodSeconds": {}, "f:containers": {"k:{\"name\":\"server\"}": {
		".": {}, "f:name": {}, "f:ports": {"k:{\"containerPort\":8000,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}, "f:name": {}, "f:protocol": {}}}}}}}`
)

func TestIntent(t *testing.T) {
	identity := map[string]any{"name": "a", "namespace": "b"}
	cases := map[string]struct {
		reason  string
		managed []any
		want    map[string]any
	}{
		"Offline": {
			reason: "Without managedFields all but status and system metadata counts as ours.",
			want: map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "a", "namespace": "b", "labels": map[string]any{"ours": "1", "theirs": "2"}},
				"spec": observed(t).Object["spec"]},
		},
		"OurFields": {
			reason:  "Only what we applied, with the keys of the list items it stands in.",
			managed: []any{entry(t, "kubectl", "Update", "2026-01-02T00:00:00Z", "", labels), entry(t, ours, "Apply", "2026-01-01T00:00:00Z", "", ports)},
			want: map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "a", "namespace": "b", "labels": map[string]any{"ours": "1"}},
				"spec": map[string]any{"terminationGracePeriodSeconds": 30.0, "containers": []any{map[string]any{"name": "server", "ports": []any{map[string]any{"name": "http", "containerPort": 8000.0, "protocol": "TCP"}}}}}},
		},
		"TakenOver": {
			reason:  "Of two XRs that applied it the newer one counts.",
			managed: []any{entry(t, ours, "Apply", "2026-01-02T00:00:00Z", "", image), entry(t, earlier, "Apply", "2026-01-01T00:00:00Z", "", ports)},
			want: map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": identity,
				"spec": map[string]any{"containers": []any{map[string]any{"name": "server", "image": "chroma:1.5.9"}}}},
		},
		"NotOfASubresource": {
			reason:  "What was applied to a subresource is not our intent of the object, nor is what we updated.",
			managed: []any{entry(t, ours, "Apply", "2026-01-02T00:00:00Z", "status", image), entry(t, ours, "Update", "2026-01-03T00:00:00Z", "", image), entry(t, ours, "Apply", "2026-01-01T00:00:00Z", "", labels)},
			want:    map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "a", "namespace": "b", "labels": map[string]any{"ours": "1"}}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Intent(observed(t, tc.managed...))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nIntent(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestIntentOfWhatTheClientDoesNotKnow: a newer Kubernetes sets a field, a webhook adds a variable twice.
func TestIntentOfWhatTheClientDoesNotKnow(t *testing.T) {
	managed := entry(t, ours, "Apply", "2026-01-01T00:00:00Z", "", image)
	want, err := Intent(observed(t, managed))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		path   []string
		value  any
	}{
		"Spec":     {"A field of a newer Kubernetes.", []string{"spec", "brandNewField"}, true},
		"Metadata": {"There too.", []string{"metadata", "brandNewField"}, "a"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := observed(t, managed)
			if err := unstructured.SetNestedField(object.Object, tc.value, tc.path...); err != nil {
				t.Fatal(err)
			}
			got, err := Intent(object)
			if err != nil {
				t.Fatalf("\n%s\nIntent(...): %v", tc.reason, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\nIntent(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	t.Run("Twice", func(t *testing.T) {
		object := observed(t, managed)
		containers := object.Object["spec"].(map[string]any)["containers"].([]any)
		containers[0].(map[string]any)["env"] = []any{map[string]any{"name": "A", "value": "1"}, map[string]any{"name": "A", "value": "2"}}
		got, err := Intent(object)
		if err != nil {
			t.Fatalf("a sidecar with a variable twice: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Intent(...): -want, +got:\n%s", diff)
		}
	})
}

// TestIntentIsThatOfClientGo: client-go's own extraction of the typed Pod says the same.
func TestIntentIsThatOfClientGo(t *testing.T) {
	for name, fields := range map[string]string{"Labels": labels, "Image": image, "Ports": ports} {
		t.Run(name, func(t *testing.T) {
			object := observed(t, entry(t, ours, "Apply", "2026-01-01T00:00:00Z", "", fields))
			pod := &corev1.Pod{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, pod); err != nil {
				t.Fatal(err)
			}
			want, err := applycorev1.ExtractPod(pod, ours)
			if err != nil {
				t.Fatal(err)
			}
			content, err := Intent(object)
			if err != nil {
				t.Fatal(err)
			}
			got := &applycorev1.PodApplyConfiguration{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Intent(...): -client-go, +ours:\n%s", diff)
			}
		})
	}
}

func TestOwners(t *testing.T) {
	object := observed(t,
		entry(t, "maker", "Update", "2026-01-01T00:00:00Z", "", image), entry(t, ours, "Apply", "2026-01-02T00:00:00Z", "", ports),
		entry(t, "labeler", "Update", "2026-01-03T00:00:00Z", "", labels), entry(t, "kubelet", "Update", "2026-01-04T00:00:00Z", "status", image))
	if diff := cmp.Diff([]string{"maker", ours}, Owners(object, "spec", "containers")); diff != "" {
		t.Errorf("Owners(...) are those who have set the field, but for subresources: -want, +got:\n%s", diff)
	}
}

func TestIntentOfUnreadableFields(t *testing.T) {
	object := observed(t, entry(t, ours, "Apply", "2026-01-01T00:00:00Z", "", `{"x:": {}}`))
	if got, err := Intent(object); err == nil {
		t.Errorf("Intent(...) of fields that cannot be read: want an error, got %v", got)
	}
}

func TestMemory(t *testing.T) {
	memory := NewMemory(10)
	first := observed(t, entry(t, ours, "Apply", "2026-01-01T00:00:00Z", "", image))
	cases := map[string]struct {
		reason string
		change func(*unstructured.Unstructured)
		image  string
	}{
		"Same":  {"The same object has the same intent.", func(*unstructured.Unstructured) {}, "chroma:1.5.9"},
		"Other": {"Another content under the same UID and resourceVersion, as a restored etcd shows it, has its own.", func(o *unstructured.Unstructured) { setImage(o, "chroma:1.5.8") }, "chroma:1.5.8"},
		"Swapped": {"What stands elsewhere is something else.", func(o *unstructured.Unstructured) {
			containers, _, _ := unstructured.NestedSlice(o.Object, "spec", "containers")
			containers[0], containers[1] = containers[1], containers[0]
			_ = unstructured.SetNestedSlice(o.Object, containers, "spec", "containers")
			setImage(o, "chroma:1.5.7")
		}, "chroma:1.5.7"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := memory.Intent(first); err != nil {
				t.Fatal(err)
			}
			object := first.DeepCopy()
			tc.change(object)
			got, err := memory.Intent(object)
			if err != nil {
				t.Fatal(err)
			}
			containers, _, _ := unstructured.NestedSlice(got, "spec", "containers")
			if image := containers[0].(map[string]any)["image"]; image != tc.image {
				t.Errorf("\n%s\nIntent(...): want image %s, got %v", tc.reason, tc.image, image)
			}
		})
	}
}

func setImage(object *unstructured.Unstructured, image string) {
	containers, _, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "containers")
	for _, item := range containers.([]any) {
		if container := item.(map[string]any); container["name"] == "server" {
			container["image"] = image
		}
	}
}

// TestTrimmedOfAManagedResource: what its provider writes down of a creation is the provider's alone.
func TestTrimmedOfAManagedResource(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kubernetes.m.crossplane.io/v1alpha1", "kind": "Object", "spec": map[string]any{"a": "b"}, "status": map[string]any{},
		"metadata": map[string]any{"name": "a", "uid": "1", "annotations": map[string]any{
			"crossplane.io/external-create-pending": "2026-01-01T00:00:00Z", "crossplane.io/external-create-succeeded": "2026-01-01T00:00:01Z",
			"crossplane.io/external-name": "a",
		}},
	}}
	want := map[string]any{
		"apiVersion": "kubernetes.m.crossplane.io/v1alpha1", "kind": "Object", "spec": map[string]any{"a": "b"},
		"metadata": map[string]any{"name": "a", "annotations": map[string]any{"crossplane.io/external-name": "a"}},
	}
	if diff := cmp.Diff(want, Trimmed(object)); diff != "" {
		t.Errorf("Trimmed(...): -want, +got:\n%s", diff)
	}
	if _, there := object.GetAnnotations()["crossplane.io/external-create-pending"]; !there {
		t.Error("what was observed is changed")
	}
}
