// Package requests has what Crossplane asks the function, captured in a simulated cluster.
package requests

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/function/observe"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/singlenode"
)

// recorder keeps what the simulated cluster asks the function.
type recorder struct {
	fn       *composition.Function
	requests []*fnv1.RunFunctionRequest
}

func (r *recorder) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	r.requests = append(r.requests, req)
	return r.fn.RunFunction(ctx, req)
}

// Start is the time in the simulated cluster.
func Start() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// NewFunction that connects to nothing.
func NewFunction(tb testing.TB, now func() time.Time) *composition.Function {
	tb.Helper()
	fn, err := composition.New(logging.NewNopLogger(), settings.Environment{ChecksDisabled: true}, now)
	if err != nil {
		tb.Fatal(err)
	}
	return fn
}

// Struct of plain values.
func Struct(tb testing.TB, value map[string]any) *structpb.Struct {
	tb.Helper()
	out, err := structpb.NewStruct(value)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// Example is the Chroma of the documents.
func Example() map[string]any {
	return map[string]any{
		"apiVersion": "chroma.chromadotnet.org/v1alpha1", "kind": "Chroma",
		"metadata": map[string]any{"name": "demo", "namespace": "default"},
		"spec": map[string]any{
			"storage":   map[string]any{"size": "10Gi"},
			"resources": map[string]any{"requests": map[string]any{"cpu": "500m", "memory": "2Gi"}, "limits": map[string]any{"memory": "4Gi"}},
		},
	}
}

// Captured requests of a Chroma from its creation until it has settled.
func Captured(tb testing.TB) []*fnv1.RunFunctionRequest {
	tb.Helper()
	var cluster *simulator.Cluster
	r := &recorder{fn: NewFunction(tb, func() time.Time { return cluster.Now() })}
	input := Struct(tb, map[string]any{"claims": map[string]any{"providerConfigRef": map[string]any{"kind": "ProviderConfig", "name": "default"}}})
	var err error
	cluster, err = simulator.New(simulator.Config{Start: Start(), Composites: []simulator.Composite{{Kind: chroma.GroupVersionKind(), Function: r, Input: input}}})
	if err != nil {
		tb.Fatal(err)
	}
	if err := cluster.Apply(&unstructured.Unstructured{Object: Example()}); err != nil {
		tb.Fatal(err)
	}
	cluster.Advance(5 * time.Minute)
	if len(r.requests) == 0 {
		tb.Fatal("the function was not called")
	}
	return r.requests
}

// Settled is the request of a Chroma that is Ready.
func Settled(tb testing.TB) *fnv1.RunFunctionRequest {
	tb.Helper()
	requests := Captured(tb)
	return requests[len(requests)-1]
}

// Served is a request as the server hands it to the function: what nobody reads of it was left out on the way.
func Served(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionRequest, error) {
	sent, err := proto.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the request: %w", err)
	}
	out := &fnv1.RunFunctionRequest{}
	if err := proto.Unmarshal(observe.NewNarrower(singlenode.ReadOfAnswers()).Append(nil, sent), out); err != nil {
		return nil, fmt.Errorf("cannot decode what is left of the request: %w", err)
	}
	return out, nil
}
