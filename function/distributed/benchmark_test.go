package distributed_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/observe"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/singlenode"
)

// A recorder keeps what Crossplane asks last.
type recorder struct {
	*composition.Function

	last *fnv1.RunFunctionRequest
}

// RunFunction answers one call.
func (r *recorder) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	r.last = req
	return r.Function.RunFunction(ctx, req)
}

// settled is the last call for a system of 66 objects that runs, as Crossplane makes it: with managed fields, Pods and
// MemberLists.
func settled(b *testing.B) (*composition.Function, *fnv1.RunFunctionRequest) {
	b.Helper()
	var cluster *simulator.Cluster
	function, err := composition.New(logging.NewNopLogger(), settings.Environment{ChecksDisabled: true}, func() time.Time { return cluster.Now() })
	if err != nil {
		b.Fatal(err)
	}
	r := &recorder{Function: function}
	if cluster, err = simulator.New(simulator.Config{Pods: true, Composites: []simulator.Composite{{Kind: v1alpha1.GroupVersionKind(), Function: r}}}); err != nil {
		b.Fatal(err)
	}
	chroma := newCluster(b, "52ce844").xr
	chroma["metadata"] = map[string]any{"name": "demo", "namespace": simulator.Namespace}
	if err := cluster.Apply(&unstructured.Unstructured{Object: chroma}); err != nil {
		b.Fatal(err)
	}
	cluster.Advance(5 * time.Minute)
	if got := len(r.last.GetObserved().GetResources()); got != 66 {
		b.Fatalf("%d observed objects", got)
	}
	return function, r.last
}

// BenchmarkDecide is the decision of one call, without protobuf.
func BenchmarkDecide(b *testing.B) {
	_, message := settled(b)
	with, err := settings.Parse(nil, settings.Environment{ChecksDisabled: true})
	if err != nil {
		b.Fatal(err)
	}
	request, err := observe.Request(message, with, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if answer, err := distributed.Decide(request, distributed.Checks{}); err != nil || !answer.Ready {
			b.Fatalf("%+v: %v", answer.Conditions, err)
		}
	}
}

// BenchmarkCall is a whole call of the function for 66 observed objects, from the request to the response.
func BenchmarkCall(b *testing.B) {
	function, message := settled(b)
	var took durations
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		response, err := function.RunFunction(b.Context(), message)
		took = append(took, time.Since(start))
		if err != nil || len(response.GetDesired().GetResources()) != 66 {
			b.Fatalf("%d desired objects: %v", len(response.GetDesired().GetResources()), err)
		}
	}
	took.report(b)
}

// BenchmarkServed is the same call with the decoding of the request and the encoding of the response, which the
// function's server does.
func BenchmarkServed(b *testing.B) {
	function, message := settled(b)
	encoded, err := proto.Marshal(message)
	if err != nil {
		b.Fatal(err)
	}
	narrower, buffer := observe.NewNarrower(singlenode.ReadOfAnswers()), make([]byte, 0, len(encoded))
	var took durations
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		request := &fnv1.RunFunctionRequest{}
		if err := proto.Unmarshal(narrower.Append(buffer[:0], encoded), request); err != nil {
			b.Fatal(err)
		}
		response, err := function.RunFunction(b.Context(), request)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := proto.Marshal(response); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	took.report(b)
}

type durations []time.Duration

// report the median: on a busy machine the mean says more about the others.
func (d durations) report(b *testing.B) {
	b.Helper()
	slices.Sort(d)
	b.ReportMetric(float64(d[len(d)/2])/float64(time.Millisecond), "median-ms")
}
