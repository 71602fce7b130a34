package upgrade

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/status"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// ApplyOptions of upgrade apply.
type ApplyOptions struct {
	change.Options
	factory factory.Factory

	argument string
	image    string
	wait     bool
	timeout  time.Duration
	registry bool
	force    bool
}

func newApply(f factory.Factory) *cobra.Command {
	o := &ApplyOptions{factory: f, Options: change.Options{Streams: f.Streams}}
	command := &cobra.Command{
		Use:   "apply NAME --image IMAGE",
		Short: "Check an image, try the Pod, ask, and change the spec",
		Long: `Change the image of a Chroma: check it with the function's own rules, try the new Pod with a server-side dry run (quota,
LimitRange, webhooks), look the tag up in its registry, ask, and apply. With --wait follow until the server serves again.

A tag that its registry does not have is refused. A registry that cannot be asked from here is a warning: the node may well
reach it.

When a controller writes spec.image, of GitOps for example, it is named: it would set the image back, so the place to
change it is its source. A person at a terminal is asked; a script needs --force-conflicts.

` + exit.Help + `

It exits with 3 when the function or the API server refuses it, the registry does not have the tag, or a controller writes
the image; nothing is changed then.`,
		Example: `  # Ask, apply, and follow
  kubectl chroma upgrade apply demo --image docker.io/chromadb/chroma:1.5.9 --wait

  # In a script
  kubectl chroma upgrade apply demo --image docker.io/chromadb/chroma:1.5.9 --wait --timeout 10m --yes`,
		Args: factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			o.argument = args[0]
			if o.image == "" {
				return exit.Errorf(exit.Usage, "say which image with --image")
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(command.Context())
		},
	}
	flags := command.Flags()
	flags.StringVar(&o.image, "image", "", "the image to run")
	flags.BoolVar(&o.wait, "wait", false, "follow until the server serves again")
	flags.DurationVar(&o.timeout, "timeout", 0, "with --wait: how long, like 10m; 0 waits for ever")
	flags.BoolVar(&o.registry, "check-registry", true, "look the tag up in its registry")
	flags.BoolVar(&o.force, "force-conflicts", false, "take the image over from whatever else writes it")
	o.AddFlags(flags)
	return command
}

// Run the command.
func (o *ApplyOptions) Run(ctx context.Context) error {
	client, view, err := live.Chroma(ctx, o.factory, o.argument)
	if err != nil {
		return err
	}
	palette, err := o.factory.Palette()
	if err != nil {
		return err
	}
	others, err := o.others(view.Object)
	if err != nil {
		return err
	}
	check, err := judge(ctx, client, view, about(view.Object, o.image))
	if err != nil {
		return fmt.Errorf("cannot check %s %s/%s: %w", chroma.Kind, view.Namespace(), view.Name(), err)
	}
	if !check.Allowed {
		if err := printOne(o.Streams.Out, palette, check); err != nil {
			return err
		}
		return exit.Errorf(exit.Refused, "the function refuses the image: %s; nothing was changed", check.Reason)
	}
	o.summary(check)
	if files := names(others, file); files != "" {
		o.Note([]string{fmt.Sprintf("the image was applied from a file (%s): change it there too, or the next apply sets it back", files)})
	}
	if err := o.tryPod(ctx, client, view); err != nil {
		return err
	}
	if o.registry {
		if err := o.lookUp(ctx); err != nil {
			return err
		}
	}
	question := fmt.Sprintf("Replace the server of %s/%s?", view.Namespace(), view.Name())
	if check.From == check.To {
		question = fmt.Sprintf("Ask for the image that %s/%s runs already?", view.Namespace(), view.Name())
	}
	if err := o.Confirm(question); err != nil {
		return err
	}
	err = o.Options.Apply(ctx, client, intent(view.Object, o.image), len(others) > 0)
	if apierrors.IsConflict(err) {
		return exit.With(exit.Refused, err)
	}
	if err != nil {
		return err
	}
	if o.DryRun != change.None {
		return nil
	}
	if !o.wait {
		o.Next("status " + change.Arguments(view.Object) + " -w")
		return nil
	}
	return status.Follow(ctx, o.factory, client, view.Object, o.timeout)
}

// others that write the image, after a word about those that would set it back. Without --force-conflicts only a person
// who reads that can go on.
func (o *ApplyOptions) others(of *unstructured.Unstructured) ([]writer, error) {
	others, err := writersOf(of)
	if err != nil {
		return nil, err
	}
	controllers := names(others, controller)
	if controllers == "" {
		return others, nil
	}
	told := fmt.Sprintf("spec.image is written by %s, which would set it back: change it where it comes from", controllers)
	if !o.force && !terminal.IsTerminal(o.Streams.In) {
		return nil, exit.Errorf(exit.Refused, "%s, or take it over with --force-conflicts; nothing was changed", told)
	}
	_, err = fmt.Fprintf(o.Streams.ErrOut, "warning: %s\n", told)
	return others, err
}

func (o *ApplyOptions) summary(check v1.UpgradeCheck) {
	_, _ = fmt.Fprintf(o.Streams.ErrOut, "From  %s\nTo    %s\n", check.From, check.To)
	if check.WayBack != "" {
		_, _ = fmt.Fprintf(o.Streams.ErrOut, "Back  %s\n", strings.Join(terminal.Wrap(check.WayBack, terminal.DefaultWidth-6), "\n      "))
	}
	for _, note := range check.Notes {
		_, _ = fmt.Fprintf(o.Streams.ErrOut, "Note  %s\n", strings.Join(terminal.Wrap(note, terminal.DefaultWidth-6), "\n      "))
	}
}

// intent is the one field that the plugin applies as its own, to that very object: one that was made anew meanwhile has
// other data, and is refused as a conflict.
func intent(of *unstructured.Unstructured, image string) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"image": image}}}
	out.SetGroupVersionKind(of.GroupVersionKind())
	out.SetNamespace(of.GetNamespace())
	out.SetName(of.GetName())
	out.SetUID(of.GetUID())
	return out
}
