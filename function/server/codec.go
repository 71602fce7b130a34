package server

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // It registers the codec that this one is around.
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// codec of calls. It narrows a request while it is still bytes: decoded it takes ten times as much memory, and most of the
// time of a call.
type codec struct {
	encoding.CodecV2

	narrow func(out, request []byte) []byte
	// buffers in sizes that requests have. gRPC's own pool gives a megabyte to all that is above 32 KiB.
	buffers mem.BufferPool
}

func newCodec(narrow func(out, request []byte) []byte) codec {
	return codec{
		CodecV2: encoding.GetCodecV2("proto"), narrow: narrow,
		buffers: mem.NewTieredBufferPool(16<<10, 32<<10, 64<<10, 128<<10, 256<<10, 1<<20, 4<<20),
	}
}

// Unmarshal a message.
func (c codec) Unmarshal(data mem.BufferSlice, into any) error {
	var message proto.Message
	switch request := into.(type) {
	case *fnv1.RunFunctionRequest:
		message = request
	case *v1beta1.RunFunctionRequest:
		message = request
	}
	if message == nil || c.narrow == nil {
		return c.CodecV2.Unmarshal(data, into) //nolint:wrapcheck // It is gRPC's own, with gRPC's own words.
	}
	buffer := data.MaterializeToBuffer(c.buffers)
	defer buffer.Free()
	narrowed := c.buffers.Get(buffer.Len())
	defer c.buffers.Put(narrowed)
	return proto.Unmarshal(c.narrow((*narrowed)[:0], buffer.ReadOnlyData()), message) //nolint:wrapcheck // gRPC says what it was doing.
}
