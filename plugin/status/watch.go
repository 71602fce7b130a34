package status

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/target"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// interval between two looks.
const interval = time.Second

// Follow an object until it serves and nothing is left to do, for commands that have changed it.
func Follow(ctx context.Context, f factory.Factory, client *cluster.Client, object *unstructured.Unstructured, timeout time.Duration) error {
	palette, err := f.Palette()
	if err != nil {
		return err
	}
	o := &Options{
		factory: f, client: client, palette: palette, namespace: object.GetNamespace(), timeout: timeout,
		target: target.Target{Kind: object.GroupVersionKind(), Name: object.GetName()},
	}
	return o.follow(ctx)
}

// follow the object until it serves and nothing is left to do. A read that fails is shown, and tried again.
func (o *Options) follow(ctx context.Context) error {
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	screen := terminal.NewScreen(o.factory.Streams.Out)
	begun, seen := o.factory.Now(), false
	for {
		view, err := live.Glance(ctx, o.client, o.target.Kind, o.namespace, o.target.Name, o.factory.Now())
		switch {
		case ctx.Err() != nil:
			return waitedFor(ctx, "it serves and nothing is left to do")
		case err != nil && (!seen || apierrors.IsNotFound(err)):
			// One that is gone does not come back.
			return err
		case err != nil:
			screen.Draw(o.palette.Warn("cannot look at the moment: "+err.Error()), "")
		default:
			seen = true
			status := modelOf(view)
			printer := o.printer()
			if settled(view, status) {
				screen.End(printer.body(status) + printer.foot(status))
				return verdict(status)
			}
			foot := printer.foot(status)
			if terminal.IsTerminal(o.factory.Streams.Out) {
				waited := o.factory.Now().Sub(begun).Round(time.Second)
				foot += o.palette.Faint(fmt.Sprintf("\nwaiting for %s, %s\n", waitsFor(status), waited))
			}
			screen.Draw(printer.body(status), foot)
		}
		select {
		case <-ctx.Done():
			return waitedFor(ctx, "it serves and nothing is left to do")
		case <-time.After(interval):
		}
	}
}

// settled tells whether nothing is left to do: the function has seen the spec, and would change nothing.
func settled(v *live.View, s v1.Status) bool {
	if !s.Healthy || v.Object.GetDeletionTimestamp() != nil {
		return false
	}
	if v.Chroma != nil && v.XR != nil && v.Chroma.Status.ObservedGeneration < v.XR.GetGeneration() {
		return false
	}
	return v.Answer == nil || v.Answer.Ready
}

func verdict(s v1.Status) error {
	if blocked := decided(&s, string(reason.UpgradeBlocked)); blocked.Status == statusTrue {
		return exit.Errorf(exit.Refused, "the change to the spec is held back: %s", blocked.Reason)
	}
	return nil
}

func waitsFor(s v1.Status) string {
	if server := decided(&s, string(reason.ServerReady)); server.Status == statusFalse {
		return server.Reason + " to pass"
	}
	return "Crossplane"
}

// waitedFor something in vain.
func waitedFor(ctx context.Context, what string) error {
	if ctx.Err() == context.DeadlineExceeded {
		return exit.Errorf(exit.TimedOut, "waited in vain until %s", what)
	}
	return exit.Errorf(exit.Error, "stopped before %s", what)
}
