package change

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/function-chroma/function-chroma/plugin/exit"
)

const (
	// interval between two looks.
	interval = time.Second
	// pause between two words about a wait.
	pause = 5 * time.Second
)

// Wait until something holds, saying what is waited for and how long. No timeout waits for ever. A look that fails for a
// reason that can pass is told, and tried again.
func (o *Options) Wait(ctx context.Context, timeout time.Duration, what string, holds func(context.Context) (bool, error)) error {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	begun, said, told := time.Now(), time.Duration(0), ""
	for {
		ok, err := holds(ctx)
		switch {
		case err == nil && ok:
			return nil
		case ctx.Err() != nil:
			// A request that was given up is no news.
		case err != nil && !Passes(err):
			return err
		case err != nil && err.Error() != told:
			told = err.Error()
			_, _ = fmt.Fprintf(o.Streams.ErrOut, "cannot look at the moment: %s\n", told)
		}
		if waited := time.Since(begun); waited >= said+pause {
			said = waited
			_, _ = fmt.Fprintf(o.Streams.ErrOut, "waiting until %s, %s\n", what, waited.Round(time.Second))
		}
		select {
		case <-ctx.Done():
			return ended(ctx, what)
		case <-time.After(interval):
		}
	}
}

func ended(ctx context.Context, what string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return exit.Errorf(exit.TimedOut, "waited in vain until %s", what)
	}
	return exit.Errorf(exit.Error, "interrupted while waiting until %s", what)
}

// Passes tells whether an error can be another one in a moment: the connection broke, or the API server is busy. Nobody
// knows then whether a write was done.
func Passes(err error) bool {
	code := exit.CodeOf(err)
	if code != exit.Error {
		return code == exit.TimedOut
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return true
	}
	said := status.Status().Code
	return said >= http.StatusInternalServerError || said == http.StatusTooManyRequests
}
