package status

import (
	"context"
	"fmt"
	"slices"
	"strings"
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

// goal of following.
const goal = "it serves and nothing is left to do"

// follow the object until it serves and nothing is left to do. A read that fails is shown, and tried again. Where no
// terminal shows frames, a line tells what changes, and the whole status comes at the end.
func (o *Options) follow(ctx context.Context) error {
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	w := watch{Options: o, screen: terminal.NewScreen(o.factory.Streams.Out), begun: o.factory.Now()}
	w.progress = terminal.NewProgress(o.factory.Streams.Out, w.begun)
	for {
		view, err := live.Glance(ctx, o.client, o.target.Kind, o.namespace, o.target.Name, o.factory.Now())
		if err == nil {
			err = view.CompositeError()
		}
		switch {
		case ctx.Err() != nil:
			return w.inVain(ctx)
		case err != nil && !w.seen:
			return o.absent(ctx, err)
		case apierrors.IsNotFound(err):
			// One that is gone does not come back.
			return exit.Errorf(exit.Error, "%s %s/%s is gone: it was deleted while it was waited for", o.target.Kind.Kind, o.namespace, o.target.Name)
		case err != nil:
			w.trouble(err)
		default:
			w.seen = true
			status := modelOf(view)
			printer := o.printer()
			if settled(view, status) {
				w.screen.End(printer.body(status) + printer.foot(status))
				return verdict(status)
			}
			w.show(printer, status)
		}
		select {
		case <-ctx.Done():
			return w.inVain(ctx)
		case <-time.After(interval):
		}
	}
}

// watch is one following.
type watch struct {
	*Options
	screen   *terminal.Screen
	progress *terminal.Progress
	begun    time.Time
	// seen says that the object was read once, and last is how it was then, as text.
	seen bool
	last string
}

// show how it is now.
func (w *watch) show(printer printer, status v1.Status) {
	body, foot := printer.body(status), printer.foot(status)
	w.last = body + foot
	if !w.screen.Live() {
		w.progress.Tell(w.factory.Now(), fmt.Sprintf("%s %s/%s  %s: %s", status.Of, status.Namespace, status.Name, orDash(status.Phase), status.Headline))
		return
	}
	waited := w.factory.Now().Sub(w.begun).Round(time.Second)
	// To watch is no step for who does.
	status.NextSteps = slices.DeleteFunc(slices.Clone(status.NextSteps), func(step v1.NextStep) bool {
		return strings.HasPrefix(step.Command, "kubectl chroma status ") && strings.HasSuffix(step.Command, " -w")
	})
	w.screen.Draw(body, printer.foot(status)+w.palette.Faint(fmt.Sprintf("\nwaiting for %s, %s\n", waitsFor(status), waited)))
}

// trouble with a read, which is tried again.
func (w *watch) trouble(err error) {
	line := "cannot look at the moment: " + err.Error()
	if !w.screen.Live() {
		w.progress.Tell(w.factory.Now(), line)
		return
	}
	w.screen.Draw(w.palette.Warn(line)+"\n", "")
}

// inVain ends with how it was at last.
func (w *watch) inVain(ctx context.Context) error {
	if w.last != "" {
		w.screen.End(w.last)
	}
	if ctx.Err() == context.DeadlineExceeded {
		return exit.Errorf(exit.TimedOut, "waited in vain until %s", goal)
	}
	return exit.Errorf(exit.Error, "stopped before %s", goal)
}

// settled tells whether nothing is left to do: the function has seen the spec that a person wrote, and would change
// nothing.
func settled(v *live.View, s v1.Status) bool {
	if !s.Healthy || v.XR == nil || v.Object.GetDeletionTimestamp() != nil || !copied(v) {
		return false
	}
	if !seen(v) {
		return false
	}
	// The answer is of this moment, and the status of the last pass: who reads it next has to find the same.
	if written := live.ConditionOf(v.XR, string(reason.ServerReady)); written.Status == statusFalse {
		return false
	}
	if blocked := decided(&s, string(reason.UpgradeBlocked)); blocked.Status == statusTrue && allowedSince(v, blocked) {
		return false
	}
	return v.Answer == nil || v.Answer.Ready
}

// seen tells whether the status is about the latest spec.
func seen(v *live.View) bool {
	observed, _, _ := unstructured.NestedInt64(v.XR.Object, "status", "observedGeneration")
	return observed >= v.XR.GetGeneration()
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
