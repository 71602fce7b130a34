package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/function-chroma/function-chroma/plugin/exit"
)

// silent is why a stream ended that gave nothing for too long.
type silent struct{}

func (silent) Error() string { return "it gives nothing" }

// Raw reads a path of the API server as it is: logs. However long it is, it is given up when nothing comes for as long as
// a request may take. One that is followed may be silent for ever.
func (c *Client) Raw(ctx context.Context, path string, follow bool) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	out := &stream{ctx: ctx, cancel: cancel, patience: c.patience}
	if !follow {
		out.alarm = time.AfterFunc(c.patience, func() { cancel(silent{}) })
	}
	response, err := c.send(ctx, http.MethodGet, path, nil) //nolint:bodyclose // Who reads it closes it.
	if err != nil {
		defer out.end()
		return nil, out.explain(err)
	}
	out.body = response.Body
	return out, nil
}

// stream of a body whose time begins anew with each piece.
type stream struct {
	body     io.ReadCloser
	ctx      context.Context //nolint:containedctx // It ends what is read.
	cancel   context.CancelCauseFunc
	alarm    *time.Timer
	patience time.Duration
}

func (s *stream) Read(into []byte) (int, error) {
	count, err := s.body.Read(into)
	if s.alarm != nil && count > 0 {
		s.alarm.Reset(s.patience)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = s.explain(err)
	}
	return count, err
}

// explain an error by why the request was ended.
func (s *stream) explain(err error) error {
	if errors.Is(context.Cause(s.ctx), silent{}) {
		return exit.Errorf(exit.TimedOut, "no answer within %s", s.patience)
	}
	return err
}

func (s *stream) end() {
	if s.alarm != nil {
		s.alarm.Stop()
	}
	s.cancel(nil)
}

func (s *stream) Close() error {
	defer s.end()
	if err := s.body.Close(); err != nil {
		return fmt.Errorf("cannot close the answer: %w", err)
	}
	return nil
}
