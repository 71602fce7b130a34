package composition_test

import (
	"context"
	"slices"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"

	"github.com/function-chroma/function-chroma/function/observe"
	"github.com/function-chroma/function-chroma/function/singlenode"
	"github.com/function-chroma/function-chroma/test/requests"
)

// BenchmarkRunFunction is one call for a settled single-node Chroma, with the decoding and encoding of its messages.
func BenchmarkRunFunction(b *testing.B) {
	fn, req, narrower := requests.NewFunction(b, requests.Start), requests.Settled(b), observe.NewNarrower(singlenode.ReadOfAnswers())
	encoded, err := proto.Marshal(req)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(encoded)))
	b.ReportAllocs()
	var took []time.Duration
	buffer := make([]byte, 0, len(encoded))
	for b.Loop() {
		start := time.Now()
		decoded := &fnv1.RunFunctionRequest{}
		if err := proto.Unmarshal(narrower.Append(buffer[:0], encoded), decoded); err != nil {
			b.Fatal(err)
		}
		rsp, err := fn.RunFunction(context.Background(), decoded)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := proto.Marshal(rsp); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns")
}
