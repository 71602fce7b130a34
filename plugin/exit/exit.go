// Package exit has the exit codes of the plugin, which scripts rely on.
package exit

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// A Code of the process.
type Code int

// The codes. They are an interface and stay.
const (
	Fine      Code = 0
	Error     Code = 1
	Usage     Code = 2
	Refused   Code = 3
	Unhealthy Code = 4
	TimedOut  Code = 5
)

// Help is the table of the codes, for every --help.
const Help = `Exit codes:
  0  fine
  1  error: a file, a permission, the connection, the API server
  2  usage: a flag or an argument
  3  refused by a rule: the change is not allowed as things are
  4  unhealthy: it was looked at, and something is wrong with it
  5  timed out: what was waited for did not happen in time`

// coded is an error with its exit code.
type coded struct {
	code Code
	err  error
}

func (c coded) Error() string { return c.err.Error() }
func (c coded) Unwrap() error { return c.err }

// With gives an error an exit code.
func With(code Code, err error) error {
	if err == nil {
		return nil
	}
	return coded{code: code, err: err}
}

// Errorf is fmt.Errorf with an exit code.
func Errorf(code Code, format string, args ...any) error {
	return With(code, fmt.Errorf(format, args...))
}

// Silent ends the process with a code without saying more: what there is to say was printed.
func Silent(code Code) error { return With(code, errors.New("")) }

// CodeOf an error: its own, else what kind of error it is.
func CodeOf(err error) Code {
	var own coded
	switch {
	case err == nil:
		return Fine
	case errors.As(err, &own):
		return own.code
	case errors.Is(err, context.DeadlineExceeded), apierrors.IsTimeout(err), apierrors.IsServerTimeout(err):
		return TimedOut
	}
	return Error
}
