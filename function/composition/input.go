package composition

import (
	"sync/atomic"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/function-chroma/function-chroma/function/observe"
	"github.com/function-chroma/function-chroma/function/settings"
)

// inputs remembers the Input that was read last: nearly always all calls have the same.
type inputs struct {
	last atomic.Pointer[readInput]
}

type readInput struct {
	input    *structpb.Struct
	settings settings.Settings
}

// read the Input of a call.
func (i *inputs) read(req *fnv1.RunFunctionRequest, environment settings.Environment) (settings.Settings, error) {
	if last := i.last.Load(); last != nil && proto.Equal(last.input, req.GetInput()) {
		return last.settings, nil
	}
	with, err := settings.Parse(observe.Input(req), environment)
	if err != nil {
		return settings.Settings{}, err
	}
	i.last.Store(&readInput{input: req.GetInput(), settings: with})
	return with, nil
}
