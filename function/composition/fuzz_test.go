package composition_test

import (
	"context"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"

	"github.com/function-chroma/function-chroma/test/requests"
)

// FuzzRunFunction: whatever comes over the wire, there is an answer and no panic.
func FuzzRunFunction(f *testing.F) {
	for _, req := range requests.Captured(f) {
		encoded, err := proto.Marshal(req)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded)
	}
	fn := requests.NewFunction(f, requests.Start)
	f.Fuzz(func(t *testing.T, encoded []byte) {
		req := &fnv1.RunFunctionRequest{}
		if proto.Unmarshal(encoded, req) != nil {
			return
		}
		rsp, err := fn.RunFunction(context.Background(), req)
		if err != nil || rsp == nil {
			t.Fatalf("RunFunction(...): %v, %v", rsp, err)
		}
	})
}
