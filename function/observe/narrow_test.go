package observe

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
)

func resource(t testing.TB, object map[string]any) *fnv1.Resource {
	t.Helper()
	content, err := structpb.NewStruct(object)
	if err != nil {
		t.Fatal(err)
	}
	return &fnv1.Resource{Resource: content}
}

func pod(t testing.TB, name string) *fnv1.Resource {
	return resource(t, map[string]any{
		"kind":     "Pod",
		"metadata": map[string]any{"name": name, "managedFields": []any{map[string]any{"manager": "kubelet"}}},
		"spec":     map[string]any{"volumes": []any{map[string]any{"name": "data"}}, "containers": []any{map[string]any{"image": "a"}}},
		"status":   map[string]any{"phase": "Running", "podIP": "10.0.0.1"},
	})
}

// narrowed is what is left of a Pod.
func narrowed(t testing.TB, name string) *fnv1.Resource {
	return resource(t, map[string]any{
		"kind":     "Pod",
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"volumes": []any{map[string]any{"name": "data"}}},
		"status":   map[string]any{"phase": "Running"},
	})
}

// managed is an object of a kind that a manager has applied. Without fields it is what is left of one that nobody asks.
func managed(t testing.TB, apiVersion, kind string, fields map[string]any) *fnv1.Resource {
	entry := map[string]any{"manager": "kubectl", "time": "2026-01-01T00:00:00Z"}
	if fields != nil {
		entry["fieldsV1"] = fields
	}
	metadata := map[string]any{"name": "a", "managedFields": []any{entry}}
	manifest := map[string]any{"kind": "Other", "status": map[string]any{"phase": "Bound"}}
	if fields != nil {
		manifest["metadata"], manifest["spec"] = metadata, map[string]any{"volumeName": "a"}
	}
	return resource(t, map[string]any{
		"apiVersion": apiVersion, "kind": kind, "metadata": metadata, "spec": map[string]any{"managedFields": []any{map[string]any{"fieldsV1": "of its own"}}},
		"status": map[string]any{"atProvider": map[string]any{"manifest": manifest}},
	})
}

func someFields() map[string]any {
	return map[string]any{"f:spec": map[string]any{"f:image": map[string]any{}}}
}

func reads() map[string][]string {
	return map[string][]string{"neighbours": {"kind", "metadata.name", "spec.volumes", "status.phase"}}
}

func TestNarrow(t *testing.T) {
	cases := map[string]struct {
		reason   string
		in, want *fnv1.RunFunctionRequest
	}{
		"Answers": {
			reason: "Only what is read of the answers to a question is left of them.",
			in: &fnv1.RunFunctionRequest{RequiredResources: map[string]*fnv1.Resources{
				"neighbours": {Items: []*fnv1.Resource{pod(t, "a"), pod(t, "b")}},
			}},
			want: &fnv1.RunFunctionRequest{RequiredResources: map[string]*fnv1.Resources{
				"neighbours": {Items: []*fnv1.Resource{narrowed(t, "a"), narrowed(t, "b")}},
			}},
		},
		"OlderName": {
			reason: "Crossplane before 1.20 sends the answers under another name.",
			in:     &fnv1.RunFunctionRequest{ExtraResources: map[string]*fnv1.Resources{"neighbours": {Items: []*fnv1.Resource{pod(t, "a")}}}},      //nolint:staticcheck // Older Crossplane sends it.
			want:   &fnv1.RunFunctionRequest{ExtraResources: map[string]*fnv1.Resources{"neighbours": {Items: []*fnv1.Resource{narrowed(t, "a")}}}}, //nolint:staticcheck // Older Crossplane sends it.
		},
		"OthersStay": {
			reason: "Other answers and everything else are read whole.",
			in: &fnv1.RunFunctionRequest{
				Meta:              &fnv1.RequestMeta{Tag: "x"},
				Observed:          &fnv1.State{Composite: pod(t, "xr"), Resources: map[string]*fnv1.Resource{"neighbours": pod(t, "c")}},
				RequiredResources: map[string]*fnv1.Resources{"pod": {Items: []*fnv1.Resource{pod(t, "a")}}},
			},
			want: &fnv1.RunFunctionRequest{
				Meta:              &fnv1.RequestMeta{Tag: "x"},
				Observed:          &fnv1.State{Composite: pod(t, "xr"), Resources: map[string]*fnv1.Resource{"neighbours": pod(t, "c")}},
				RequiredResources: map[string]*fnv1.Resources{"pod": {Items: []*fnv1.Resource{pod(t, "a")}}},
			},
		},
		"ManagedFields": {
			reason: "Who has set which field of an XR or of an Object is not read, and of what the Object manages only its status is.",
			in: &fnv1.RunFunctionRequest{
				Observed: &fnv1.State{
					Composite: managed(t, "chroma.chromadotnet.org/v1alpha1", "Chroma", someFields()),
					Resources: map[string]*fnv1.Resource{"claim": managed(t, "kubernetes.m.crossplane.io/v1alpha1", "Object", someFields())},
				},
				RequiredResources: map[string]*fnv1.Resources{"namespace": {Items: []*fnv1.Resource{managed(t, "v1", "Namespace", someFields())}}},
			},
			want: &fnv1.RunFunctionRequest{
				Observed: &fnv1.State{
					Composite: managed(t, "chroma.chromadotnet.org/v1alpha1", "Chroma", nil),
					Resources: map[string]*fnv1.Resource{"claim": managed(t, "kubernetes.m.crossplane.io/v1alpha1", "Object", nil)},
				},
				RequiredResources: map[string]*fnv1.Resources{"namespace": {Items: []*fnv1.Resource{managed(t, "v1", "Namespace", nil)}}},
			},
		},
		"ManagedFieldsThatAreRead": {
			reason: "What was sent of a Pod before, and who made a claim, stands nowhere else.",
			in: &fnv1.RunFunctionRequest{
				Observed:          &fnv1.State{Composite: pod(t, "xr"), Resources: map[string]*fnv1.Resource{"pod": managed(t, "v1", "Pod", someFields())}},
				RequiredResources: map[string]*fnv1.Resources{"claim": {Items: []*fnv1.Resource{managed(t, "v1", "PersistentVolumeClaim", someFields())}}},
			},
			want: &fnv1.RunFunctionRequest{
				Observed:          &fnv1.State{Composite: pod(t, "xr"), Resources: map[string]*fnv1.Resource{"pod": managed(t, "v1", "Pod", someFields())}},
				RequiredResources: map[string]*fnv1.Resources{"claim": {Items: []*fnv1.Resource{managed(t, "v1", "PersistentVolumeClaim", someFields())}}},
			},
		},
		"NoneFound": {
			reason: "An answer without objects is an answer.",
			in:     &fnv1.RunFunctionRequest{RequiredResources: map[string]*fnv1.Resources{"neighbours": {}}},
			want:   &fnv1.RunFunctionRequest{RequiredResources: map[string]*fnv1.Resources{"neighbours": {}}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			sent, err := proto.Marshal(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			got := &fnv1.RunFunctionRequest{}
			if err := proto.Unmarshal(NewNarrower(reads()).Append(nil, sent), got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nNarrow(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// objects of a request.
func objects(request *fnv1.RunFunctionRequest) []*structpb.Struct {
	out := []*structpb.Struct{request.GetObserved().GetComposite().GetResource()}
	for _, composed := range request.GetObserved().GetResources() {
		out = append(out, composed.GetResource())
	}
	for _, answers := range []map[string]*fnv1.Resources{request.GetRequiredResources(), request.GetExtraResources()} { //nolint:staticcheck // As above.
		for _, answer := range answers {
			for _, item := range answer.GetItems() {
				out = append(out, item.GetResource())
			}
		}
	}
	return out
}

// unmanage leaves out the last field of a path, on the decoded object.
func unmanage(object *structpb.Struct, path ...string) {
	if len(path) == 1 {
		delete(object.GetFields(), path[0])
		return
	}
	value := object.GetFields()[path[0]]
	if value == nil {
		return
	}
	if below := value.GetStructValue(); below != nil {
		unmanage(below, path[1:]...)
	}
	for _, item := range value.GetListValue().GetValues() {
		if below := item.GetStructValue(); below != nil {
			unmanage(below, path[1:]...)
		}
	}
}

// FuzzNarrow: whatever is sent, what can be read before can be read after, and nothing changes but the answers and what
// managedFields say.
func FuzzNarrow(f *testing.F) {
	for _, request := range []*fnv1.RunFunctionRequest{
		{RequiredResources: map[string]*fnv1.Resources{"neighbours": {Items: []*fnv1.Resource{pod(f, "a")}}, "pod": {Items: []*fnv1.Resource{pod(f, "b")}}}},
		{Observed: &fnv1.State{Composite: pod(f, "xr")}},
		{Observed: &fnv1.State{
			Composite: managed(f, "chroma.chromadotnet.org/v1alpha1", "Chroma", someFields()),
			Resources: map[string]*fnv1.Resource{"pod": managed(f, "v1", "Pod", someFields())},
		}},
	} {
		sent, err := proto.Marshal(request)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(sent)
		f.Add(sent[:len(sent)/2])
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		before, after := &fnv1.RunFunctionRequest{}, &fnv1.RunFunctionRequest{}
		if proto.Unmarshal(sent, before) != nil {
			_ = NewNarrower(reads()).Append(nil, sent)
			return
		}
		if err := proto.Unmarshal(NewNarrower(reads()).Append(nil, sent), after); err != nil {
			t.Fatalf("it could be read before: %v", err)
		}
		for _, request := range []*fnv1.RunFunctionRequest{before, after} {
			delete(request.RequiredResources, "neighbours")
			delete(request.ExtraResources, "neighbours") //nolint:staticcheck // As above.
			for _, object := range objects(request) {
				unmanage(object, "metadata", "managedFields", "fieldsV1")
				unmanage(object, "status", "atProvider", "manifest", "metadata")
				unmanage(object, "status", "atProvider", "manifest", "spec")
			}
		}
		if diff := cmp.Diff(before, after, protocmp.Transform(), protocmp.IgnoreUnknown()); diff != "" {
			t.Errorf("-before, +after:\n%s", diff)
		}
	})
}

// BenchmarkDecodeNeighbours decodes a request with 300 Pods, as it is and narrowed.
func BenchmarkDecodeNeighbours(b *testing.B) {
	request := &fnv1.RunFunctionRequest{RequiredResources: map[string]*fnv1.Resources{"neighbours": {}}}
	for i := range 300 {
		one := pod(b, fmt.Sprint("pod-", i))
		for j := range 200 {
			one.GetResource().GetFields()["status"].GetStructValue().GetFields()[fmt.Sprint("field-", j)] = structpb.NewStringValue("value")
		}
		request.RequiredResources["neighbours"].Items = append(request.RequiredResources["neighbours"].Items, one)
	}
	sent, err := proto.Marshal(request)
	if err != nil {
		b.Fatal(err)
	}
	for name, narrow := range map[string]func([]byte) []byte{
		"whole":    func(sent []byte) []byte { return sent },
		"narrowed": func(sent []byte) []byte { return NewNarrower(reads()).Append(nil, sent) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(sent)))
			for b.Loop() {
				if err := proto.Unmarshal(narrow(sent), &fnv1.RunFunctionRequest{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
