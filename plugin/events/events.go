// Package events is kubectl chroma events: what was recorded about a Chroma and its parts.
package events

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/duration"

	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/target"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// interval between two looks.
const interval = 2 * time.Second

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
		Use:   "events NAME | vor/NAME",
		Short: "Show the events of a Chroma and of all that belongs to it",
		Long: `Show the events of a Chroma, of what it composes and of its claim, oldest first and with their whole messages: the API
server's words on a refused object are found here and nowhere else.

With --watch it goes on with new ones until it is interrupted, and over reads that fail.

` + exit.Help,
		Example: `  kubectl chroma events demo
  kubectl chroma events demo --watch
  kubectl chroma events demo -o json`,
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
	command.Flags().BoolVarP(&o.watch, "watch", "w", false, "go on with new ones")
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
	list, err := live.Events(ctx, client, of.Kind, namespace, of.Name, o.factory.Now())
	if err != nil {
		return err
	}
	if o.output != "" {
		return terminal.Document(o.factory.Streams.Out, o.output, Document(list))
	}
	seen, trouble := map[live.Event]bool{}, ""
	for {
		switch {
		case terminal.Interrupted(ctx):
			// Ctrl-C is how it ends, in the middle of a request too.
			return nil
		case err == nil:
			if err := o.print(list, seen); err != nil {
				return fmt.Errorf("cannot print the events: %w", err)
			}
			trouble = ""
		case err.Error() != trouble:
			// The API server may be away for a moment. That it still is need not be said again.
			trouble = err.Error()
			_, _ = fmt.Fprintln(o.factory.Streams.ErrOut, "cannot look at the moment: "+trouble)
		}
		if !o.watch {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(interval):
		}
		list, err = live.Events(ctx, client, of.Kind, namespace, of.Name, o.factory.Now())
		if apierrors.IsNotFound(err) {
			_, _ = fmt.Fprintf(o.factory.Streams.ErrOut, "%s %s/%s is gone.\n", of.Kind.Kind, namespace, of.Name)
			return nil
		}
	}
}

// Document of events for programs.
func Document(list []live.Event) v1.EventList {
	out := v1.EventList{Header: v1.HeaderOf(v1.KindEventList), Items: []v1.Event{}}
	for _, event := range list {
		out.Items = append(out.Items, v1.Event{
			Object: event.Kind + " " + event.Name, Warning: event.Warning, Reason: event.Reason, Message: event.Message, Count: event.Count,
			Last: event.Last.UTC().Format(time.RFC3339),
		})
	}
	return out
}

// print those that were not seen before.
func (o *options) print(list []live.Event, seen map[live.Event]bool) error {
	out := o.factory.Streams.Out
	if len(list) == 0 && len(seen) == 0 && !o.watch {
		_, err := fmt.Fprintln(o.factory.Streams.ErrOut, "There are no events. The API server keeps them for an hour.")
		return err
	}
	for _, event := range list {
		key := event
		if event.Reason == live.NotRead {
			// It is of each look, and no news each time.
			key.Last = time.Time{}
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		paint := o.palette.Faint
		if event.Warning {
			paint = o.palette.Warn
		}
		times := ""
		if event.Count > 1 {
			times = fmt.Sprintf(" (%d times)", event.Count)
		}
		age := terminal.Pad(duration.HumanDuration(o.factory.Now().Sub(event.Last)), 5)
		kind := terminal.Pad(terminal.EventType(event.Warning), 7)
		if _, err := fmt.Fprintf(out, "%s  %s  %s %s  %s%s\n", age, paint(kind), event.Kind, event.Name, paint(event.Reason), times); err != nil {
			return err
		}
		if event.Message == "" {
			continue
		}
		for _, line := range terminal.Wrap(event.Message, terminal.DefaultWidth-7) {
			if _, err := fmt.Fprintf(out, "       %s\n", line); err != nil {
				return err
			}
		}
	}
	return nil
}
