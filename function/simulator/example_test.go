package simulator_test

import (
	"context"
	"fmt"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/simulator"
)

// greeter composes one ConfigMap.
type greeter struct{}

func (greeter) RunFunction(_ context.Context, request *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	name := request.GetObserved().GetComposite().GetResource().GetFields()["metadata"].GetStructValue().GetFields()["name"].GetStringValue()
	config, err := structpb.NewStruct(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}, "data": map[string]any{"greeting": "hello"},
	})
	if err != nil {
		return nil, err
	}
	return &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"config": {Resource: config, Ready: fnv1.Ready_READY_TRUE}}}}, nil
}

func Example() {
	kind := schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Greeting"}
	cluster, err := simulator.New(simulator.Config{
		Composites: []simulator.Composite{{Kind: kind, Function: greeter{}}},
		Passed: func(p *simulator.Pass) {
			for _, w := range p.Writes {
				if w.Role != "" {
					fmt.Printf("pass %d: %s %s (%s)\n", p.Number, w.Outcome, w.Key, w.Role)
				}
			}
		},
	})
	if err != nil {
		panic(err)
	}
	greeting := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.org/v1", "kind": "Greeting", "metadata": map[string]any{"name": "world", "namespace": simulator.Namespace},
	}}
	if err := cluster.Apply(greeting); err != nil {
		panic(err)
	}
	if err := cluster.Settle(100); err != nil {
		panic(err)
	}
	status, reason, _ := simulator.Condition(cluster.Get(kind, simulator.Namespace, "world"), "Ready")
	fmt.Println("Ready", status, reason)
	// Output:
	// pass 1: created ConfigMap default/world (config)
	// Ready True Available
}
