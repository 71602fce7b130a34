// Package tree is kubectl chroma tree: what belongs to a Chroma, and how each part is.
package tree

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

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
	output  string
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &options{factory: f}
	command := &cobra.Command{
		Use:   "tree NAME | vor/NAME",
		Short: "Show what belongs to a Chroma, and how each part is",
		Long: `Show what belongs to a Chroma: the composite behind a claim, the composed objects with their roles, and the claim that
provider-kubernetes holds.

With --watch it goes on until it is interrupted or the object is gone, which is the end of a deletion and no error.

` + exit.Help,
		Example: `  kubectl chroma tree demo
  kubectl chroma tree demo --watch
  kubectl chroma tree demo -o json`,
		Args: factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			if err := o.validate(); err != nil {
				return err
			}
			var err error
			if o.palette, err = f.Palette(); err != nil {
				return err
			}
			return o.run(command.Context(), args[0])
		},
	}
	command.Flags().BoolVarP(&o.watch, "watch", "w", false, "redraw until it is interrupted, or the object is gone")
	command.Flags().StringVarP(&o.output, "output", "o", "", "json or yaml")
	return command
}

func (o *options) validate() error {
	if o.watch && o.output != "" {
		return exit.Errorf(exit.Usage, "--watch is for people: leave out --output")
	}
	return factory.Document(o.output)
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
		var frame string
		switch {
		case err == nil && o.output != "":
			return terminal.Document(o.factory.Streams.Out, o.output, modelOf(view))
		case err == nil:
			frame, seen = o.draw(modelOf(view)), true
		case o.watch && terminal.Interrupted(ctx):
			return nil
		case seen && apierrors.IsNotFound(err):
			screen.End(fmt.Sprintf("%s %s/%s is gone.\n", of.Kind.Kind, namespace, of.Name))
			return nil
		case !seen:
			return err
		default:
			// The API server may be away for a moment.
			frame = o.palette.Warn("cannot look at the moment: "+err.Error()) + "\n"
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
