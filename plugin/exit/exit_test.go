package exit

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestCodeOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    error
		want   Code
	}{
		"None":     {reason: "No error is fine.", want: Fine},
		"Any":      {reason: "An error without a code is an error.", err: errors.New("x"), want: Error},
		"Coded":    {reason: "A code survives being wrapped.", err: fmt.Errorf("a: %w", With(Refused, errors.New("x"))), want: Refused},
		"Deadline": {reason: "A deadline is a timeout.", err: fmt.Errorf("a: %w", context.DeadlineExceeded), want: TimedOut},
		"Server":   {reason: "The API server's own timeout is one too.", err: apierrors.NewServerTimeout(schema.GroupResource{Resource: "pods"}, "get", 1), want: TimedOut},
		"Nil":      {reason: "A code does not make an error of none.", err: With(Refused, nil), want: Fine},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := CodeOf(tc.err); got != tc.want {
				t.Errorf("\n%s\nCodeOf(%v): want %d, got %d", tc.reason, tc.err, tc.want, got)
			}
		})
	}
}
