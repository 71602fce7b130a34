package simulator

import (
	"context"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// canned answers what the fake answered once, so that a benchmark measures the simulator alone.
type canned struct {
	*fake

	first, last *fnv1.RunFunctionResponse
	frozen      bool
}

func (f *canned) RunFunction(ctx context.Context, request *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if f.frozen {
		if request.GetRequiredResources() == nil {
			return f.first, nil
		}
		return f.last, nil
	}
	response, err := f.fake.RunFunction(ctx, request)
	if request.GetRequiredResources() == nil {
		f.first = response
	} else {
		f.last = response
	}
	f.calls = nil
	return response, err
}

// BenchmarkSettledPass is one pass of a settled server, without its function.
func BenchmarkSettledPass(b *testing.B) {
	f := &canned{fake: &fake{change: withService}}
	c, err := New(Config{Composites: []Composite{{Kind: kindServer(), Function: f}}, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	applied(b, c, server("demo", "docker.io/chromadb/chroma:1.5.9"))
	f.frozen = true
	key := store.Key{GVK: kindServer(), Namespace: Namespace, Name: "demo"}
	version := c.store.Version()
	b.ReportAllocs()
	for b.Loop() {
		c.reconcileComposite(key)
	}
	if c.store.Version() != version {
		b.Error("a settled pass must write nothing")
	}
}

// BenchmarkReplacement is a server that gets another image and settles: some twenty passes and fifty writes.
func BenchmarkReplacement(b *testing.B) {
	f := &fake{}
	c := newFake(b, f, nil)
	images := []string{"docker.io/chromadb/chroma:1.5.8", "docker.io/chromadb/chroma:1.5.9"}
	applied(b, c, server("demo", images[0]))
	n, steps := 0, 0
	for b.Loop() {
		n++
		f.calls = nil
		if err := c.Apply(server("demo", images[n%2])); err != nil {
			b.Fatal(err)
		}
		for !c.Settled() {
			c.Step()
			steps++
		}
	}
	b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
}

// withService adds two objects, to have five.
func withService(_ *fnv1.RunFunctionRequest, response *fnv1.RunFunctionResponse) {
	response.Desired.Resources["service"] = &fnv1.Resource{Ready: fnv1.Ready_READY_TRUE, Resource: message(map[string]any{
		"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "demo-rw"},
		"spec": map[string]any{"ports": []any{map[string]any{"port": 8000, "name": "http"}}, "selector": map[string]any{"app": "demo"}},
	})}
	response.Desired.Resources["ledger"] = &fnv1.Resource{Ready: fnv1.Ready_READY_TRUE, Resource: message(map[string]any{
		"apiVersion": kindObject().GroupVersion().String(), "kind": kindObject().Kind, "metadata": map[string]any{"name": "demo-ledger"},
		"spec": map[string]any{
			"managementPolicies": []any{"Observe", "Update"},
			"forProvider": map[string]any{"manifest": map[string]any{
				"apiVersion": "v1", "kind": "PersistentVolumeClaim",
				"metadata": map[string]any{"name": "demo-1", "namespace": Namespace, "annotations": map[string]any{"data-version": "1.5.9"}},
			}},
		},
	})}
}

// BenchmarkNew is a cluster from nothing to one settled server.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		c := newFake(b, &fake{}, nil)
		applied(b, c, server("demo", "docker.io/chromadb/chroma:1.5.9"))
	}
}
