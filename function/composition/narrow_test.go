package composition_test

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/function-chroma/function-chroma/function/singlenode"
	"github.com/function-chroma/function-chroma/test/requests"
)

// neighbour mounts the claim of the example.
func neighbour(t *testing.T) *fnv1.Resource {
	t.Helper()
	return &fnv1.Resource{Resource: requests.Struct(t, map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": "backup", "namespace": "default", "managedFields": []any{map[string]any{"manager": "kubectl"}}},
		"spec": map[string]any{
			"containers": []any{map[string]any{"name": "backup", "image": "example.org/backup"}},
			"volumes":    []any{map[string]any{"name": "data", "persistentVolumeClaim": map[string]any{"claimName": "demo-1"}}},
		},
		"status": map[string]any{"phase": "Running"},
	})}
}

// TestANarrowedRequestHasTheSameAnswer: nothing is read of the answers that is not named.
func TestANarrowedRequestHasTheSameAnswer(t *testing.T) {
	fn, narrowed := requests.NewFunction(t, requests.Start), 0
	for _, request := range requests.Captured(t) {
		for question := range singlenode.ReadOfAnswers() {
			if answer, asked := request.GetRequiredResources()[question]; asked {
				answer.Items = append(answer.Items, neighbour(t))
			}
		}
		smaller, err := requests.Served(request)
		if err != nil {
			t.Fatal(err)
		}
		if proto.Size(smaller) < proto.Size(request) {
			narrowed++
		}
		want, err := fn.RunFunction(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		got, err := fn.RunFunction(t.Context(), smaller)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Errorf("-whole, +narrowed:\n%s", diff)
		}
	}
	if narrowed == 0 {
		t.Error("no request had anything to leave out: what is tested here?")
	}
}
