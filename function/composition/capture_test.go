package composition

import (
	"context"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/simulator"
)

// recorder keeps what the simulated cluster asks the function.
type recorder struct {
	fn       *Function
	requests []*fnv1.RunFunctionRequest
}

func (r *recorder) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	r.requests = append(r.requests, req)
	return r.fn.RunFunction(ctx, req)
}

func newFunction(t testing.TB, now func() time.Time) *Function {
	t.Helper()
	fn, err := New(logging.NewNopLogger(), settings.Environment{ChecksDisabled: true}, now)
	if err != nil {
		t.Fatal(err)
	}
	return fn
}

// start is the time in the simulated cluster.
func start() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

func structOf(t testing.TB, value map[string]any) *structpb.Struct {
	t.Helper()
	out, err := structpb.NewStruct(value)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func exampleChroma() map[string]any {
	return map[string]any{
		"apiVersion": "chroma.chromadotnet.org/v1alpha1", "kind": "Chroma",
		"metadata": map[string]any{"name": "demo", "namespace": "default"},
		"spec": map[string]any{
			"storage":   map[string]any{"size": "10Gi"},
			"resources": map[string]any{"requests": map[string]any{"cpu": "500m", "memory": "2Gi"}, "limits": map[string]any{"memory": "4Gi"}},
		},
	}
}

// captured requests of a Chroma from its creation until it has settled.
func captured(t testing.TB) []*fnv1.RunFunctionRequest {
	t.Helper()
	var cluster *simulator.Cluster
	r := &recorder{fn: newFunction(t, func() time.Time { return cluster.Now() })}
	input := structOf(t, map[string]any{"claims": map[string]any{"providerConfigRef": map[string]any{"kind": "ProviderConfig", "name": "default"}}})
	var err error
	cluster, err = simulator.New(simulator.Config{Start: start(), Composites: []simulator.Composite{{Kind: chroma.GroupVersionKind(), Function: r, Input: input}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.Apply(&unstructured.Unstructured{Object: exampleChroma()}); err != nil {
		t.Fatal(err)
	}
	cluster.Advance(5 * time.Minute)
	if len(r.requests) == 0 {
		t.Fatal("the function was not called")
	}
	return r.requests
}

// settled is the request of a Chroma that is Ready.
func settled(t testing.TB) *fnv1.RunFunctionRequest {
	t.Helper()
	requests := captured(t)
	return requests[len(requests)-1]
}
