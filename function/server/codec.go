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
}

func newCodec(narrow func(out, request []byte) []byte) codec {
	return codec{CodecV2: encoding.GetCodecV2("proto"), narrow: narrow}
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
	pool := mem.DefaultBufferPool()
	buffer := data.MaterializeToBuffer(pool)
	defer buffer.Free()
	narrowed := pool.Get(buffer.Len())
	defer pool.Put(narrowed)
	return proto.Unmarshal(c.narrow((*narrowed)[:0], buffer.ReadOnlyData()), message) //nolint:wrapcheck // gRPC says what it was doing.
}
