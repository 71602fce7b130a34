// Package tree is kubectl chroma tree: what belongs to a Chroma, and how each part is.
package tree

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/target"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// interval between two looks.
const interval = time.Second

type options struct {
	factory factory.Factory
	palette terminal.Palette
	watch   bool
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &options{factory: f}
	command := &cobra.Command{
		Use:   "tree NAME | vor/NAME",
		Short: "Show what belongs to a Chroma, and how each part is",
		Long: `Show what belongs to a Chroma: the composite behind a claim, the composed objects with their roles, and the claim that
provider-kubernetes holds.

` + exit.Help,
		Example: `  kubectl chroma tree demo
  kubectl chroma tree demo --watch`,
		Args: factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			var err error
			if o.palette, err = f.Palette(); err != nil {
				return err
			}
			return o.run(command.Context(), args[0])
		},
	}
	command.Flags().BoolVarP(&o.watch, "watch", "w", false, "redraw until it is interrupted, or the object is gone")
	return command
}

func (o *options) run(ctx context.Context, argument string) error {
	of, err := target.Parse(argument)
	if err != nil {
		return err
	}
	client, namespace, err := o.factory.Both()
	if err != nil {
		return err
	}
	screen, seen := terminal.NewScreen(o.factory.Streams.Out), false
	for {
		view, err := live.Gather(ctx, client, of.Kind, namespace, of.Name, o.factory.Now())
		frame := ""
		switch {
		case err == nil:
			frame, seen = o.draw(view), true
		case ctx.Err() != nil:
			return nil
		case !seen || apierrors.IsNotFound(err):
			return err
		default:
			// The API server may be away for a moment.
			frame = o.palette.Warn("cannot look at the moment: " + err.Error())
		}
		if !o.watch {
			_, err := fmt.Fprint(o.factory.Streams.Out, frame)
			return err
		}
		screen.Draw(frame, "")
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(interval):
		}
	}
}

// line of the tree.
type line struct {
	branch string
	object *unstructured.Unstructured
	role   string
}

func (o *options) draw(v *live.View) string {
	lines := []line{{object: v.Object}}
	depth := ""
	if v.XR != nil && v.XR != v.Object {
		lines = append(lines, line{branch: "└─ ", object: v.XR})
		depth = "   "
	}
	roles := make([]string, 0, len(v.Observed))
	for role := range v.Observed {
		roles = append(roles, role)
	}
	slices.Sort(roles)
	for i, role := range roles {
		branch, below := "├─ ", "│  "
		if i == len(roles)-1 {
			branch, below = "└─ ", "   "
		}
		lines = append(lines, line{branch: depth + branch, object: v.Observed[role], role: role})
		if role == "claim" && v.Claim != nil {
			lines = append(lines, line{branch: depth + below + "└─ ", object: v.Claim})
		}
	}
	if v.Pod != nil && v.Observed["pod"] == nil {
		// It was left out, and ends.
		lines = append(lines, line{branch: depth + "·  ", object: v.Pod})
	}
	rows := [][]terminal.Cell{terminal.Plain("OBJECT", "ROLE", "STATE")}
	for _, l := range lines {
		state, paint := o.state(l.object)
		row := terminal.Plain(l.branch+l.object.GetKind()+" "+l.object.GetName(), l.role, state)
		row[2].Paint = paint
		rows = append(rows, row)
	}
	var out strings.Builder
	_ = terminal.Table(&out, rows)
	for _, note := range v.Notes {
		fmt.Fprintln(&out, "not read: "+note)
	}
	return out.String()
}

// state of an object in a word or two.
func (o *options) state(object *unstructured.Unstructured) (string, func(string) string) {
	if object.GetDeletionTimestamp() != nil {
		return "being deleted", o.palette.Warn
	}
	synced, ready := live.ConditionOf(object, "Synced"), live.ConditionOf(object, "Ready")
	switch {
	case synced.Status == "False":
		return "not synced: " + synced.Reason, o.palette.Bad
	case ready.Status == "True":
		return "ready", o.palette.Good
	case ready.Status == "" && synced.Status == "True":
		return "synced", o.palette.Good
	case ready.Status != "":
		return strings.TrimSpace("not ready " + ready.Reason), o.palette.Warn
	}
	if phase := live.Text(object, "status", "phase"); phase != "" {
		return phase, o.palette.Good
	}
	return "there", nil
}
