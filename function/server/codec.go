package server

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/proto/v1beta1"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // It registers the codec that this one is around.
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// large is the size in bytes from which a request is narrowed before it is decoded. Others are not worth the copy.
const large = 256 * 1024

// codec of calls. It narrows a large request while it is still bytes: decoded it takes ten times as much.
type codec struct {
	encoding.CodecV2

	narrow func(request []byte) []byte
}

func newCodec(narrow func(request []byte) []byte) codec {
	return codec{CodecV2: encoding.GetCodecV2("proto"), narrow: narrow}
}

// Unmarshal a message.
func (c codec) Unmarshal(data mem.BufferSlice, into any) error {
	if data.Len() < large || c.narrow == nil {
		return c.CodecV2.Unmarshal(data, into) //nolint:wrapcheck // It is gRPC's own, with gRPC's own words.
	}
	var message proto.Message
	switch request := into.(type) {
	case *fnv1.RunFunctionRequest:
		message = request
	case *v1beta1.RunFunctionRequest:
		message = request
	default:
		return c.CodecV2.Unmarshal(data, into) //nolint:wrapcheck // As above.
	}
	buffer := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buffer.Free()
	return proto.Unmarshal(c.narrow(buffer.ReadOnlyData()), message) //nolint:wrapcheck // gRPC says what it was doing.
}
