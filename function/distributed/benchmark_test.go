package distributed_test

import (
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/settings"
)

// BenchmarkDecide is the decision of one call with 66 observed objects of a settled system, without protobuf.
func BenchmarkDecide(b *testing.B) {
	c := running(b, "52ce844")
	request := c.request(c.last.Requirements)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := distributed.Decide(request, c.checks); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCall is the whole call of the function for the same, from the request to the response.
func BenchmarkCall(b *testing.B) {
	c := running(b, "52ce844")
	function, err := composition.New(logging.NewNopLogger(), settings.Environment{ChecksDisabled: true}, func() time.Time { return c.now })
	if err != nil {
		b.Fatal(err)
	}
	request := c.request(c.last.Requirements)
	message := &fnv1.RunFunctionRequest{
		Observed:          &fnv1.State{Composite: resource(b, request.XR), Resources: map[string]*fnv1.Resource{}},
		RequiredResources: map[string]*fnv1.Resources{},
	}
	for role, object := range request.Observed {
		message.Observed.Resources[role] = resource(b, object)
	}
	for question, found := range request.Required {
		items := &fnv1.Resources{}
		for _, object := range found.Objects {
			items.Items = append(items.Items, resource(b, object))
		}
		message.RequiredResources[question] = items
	}
	if len(message.GetObserved().GetResources()) != 66 {
		b.Fatalf("%d observed objects", len(message.GetObserved().GetResources()))
	}
	b.ReportAllocs()
	for b.Loop() {
		response, err := function.RunFunction(b.Context(), message)
		if err != nil || len(response.GetDesired().GetResources()) != 66 {
			b.Fatalf("%d desired objects: %v", len(response.GetDesired().GetResources()), err)
		}
	}
}

func resource(b *testing.B, object *unstructured.Unstructured) *fnv1.Resource {
	b.Helper()
	content, err := structpb.NewStruct(object.Object)
	if err != nil {
		b.Fatal(err)
	}
	return &fnv1.Resource{Resource: content}
}
