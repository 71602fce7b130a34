package distributed_test

import (
	"testing"

	"github.com/function-chroma/function-chroma/function/distributed"
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
