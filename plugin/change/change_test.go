package change_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/exit"
)

func TestObjectString(t *testing.T) {
	kind := schema.GroupVersionKind{Kind: "ClusterRole"}
	cases := map[string]struct {
		reason string
		of     change.Object
		want   string
	}{
		"Namespaced": {reason: "An object is named with its namespace.", of: change.Object{Kind: kind, Namespace: "default", Name: "demo"}, want: "clusterrole default/demo"},
		"Cluster":    {reason: "One without a namespace has no slash.", of: change.Object{Kind: kind, Name: "demo"}, want: "clusterrole demo"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.of.String(); got != tc.want {
				t.Errorf("\n%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	busy, broken := error(apierrors.NewTooManyRequestsError("later")), errors.New("the connection broke")
	forbidden := error(apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "demo-1", errors.New("no")))
	cases := map[string]struct {
		reason string
		// looks are what each look finds. The last one repeats.
		looks []error
		code  exit.Code
		want  string
	}{
		"Holds":     {reason: "What holds is not waited for.", looks: []error{nil}},
		"Broken":    {reason: "A connection that breaks once is looked at again.", looks: []error{broken, nil}, want: "cannot look at the moment: the connection broke"},
		"Busy":      {reason: "So is a server that is busy.", looks: []error{busy, nil}, want: "cannot look at the moment: Too many requests: later"},
		"Forbidden": {reason: "A missing right does not come by waiting.", looks: []error{forbidden}, code: exit.Error, want: "forbidden"},
		"Refused":   {reason: "What the look itself refuses is the end.", looks: []error{exit.Errorf(exit.Unhealthy, "it is gone")}, code: exit.Unhealthy, want: "it is gone"},
		"InVain":    {reason: "What never holds is given up.", looks: []error{broken}, code: exit.TimedOut, want: "waited in vain until it is so"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			streams, _, _, errOut := genericiooptions.NewTestIOStreams()
			o := change.Options{Streams: streams}
			count := 0
			err := o.Wait(t.Context(), 1500*time.Millisecond, "it is so", func(context.Context) (bool, error) {
				look := tc.looks[min(count, len(tc.looks)-1)]
				count++
				return look == nil, look
			})
			text := errOut.String()
			if err != nil {
				text += err.Error()
			}
			if exit.CodeOf(err) != tc.code || !strings.Contains(text, tc.want) {
				t.Errorf("\n%s\nwant exit code %d and %q, got %v and:\n%s", tc.reason, tc.code, tc.want, err, text)
			}
		})
	}
	t.Run("Interrupted", func(t *testing.T) {
		streams, _, _, _ := genericiooptions.NewTestIOStreams()
		ctx, stop := context.WithCancel(t.Context())
		stop()
		err := (&change.Options{Streams: streams}).Wait(ctx, time.Minute, "it is so", func(context.Context) (bool, error) { return false, ctx.Err() })
		if exit.CodeOf(err) != exit.Error || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("an interrupt is no timeout: %v", err)
		}
	})
}
