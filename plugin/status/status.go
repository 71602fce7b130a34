// Package status is kubectl chroma status: what runs, on which data, what is wrong, and what to type now.
package status

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/target"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

const (
	formatWide = "wide"
	formatName = "name"
)

// Options of status.
type Options struct {
	factory factory.Factory
	client  *cluster.Client
	palette terminal.Palette

	argument  string
	target    target.Target
	namespace string
	all       bool
	selector  string
	watch     bool
	timeout   time.Duration
	verbose   bool
	output    string
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &Options{factory: f}
	command := &cobra.Command{
		Use:   "status [NAME | vor/NAME]",
		Short: "Show what runs, on which data, what is wrong, and what to type now",
		Long: `Without a name, a table of every Chroma and ValdOperatorRelease of the namespace. With a name, everything about one: what
runs, on which data, the claim, the Pod or the components, Crossplane's own trouble, what is checked all the time, the
conditions that ask for action, recent events, and the next step as a command.

The function of this plugin is asked about the objects as they are: where it would now say something else than what
stands in the cluster, both are shown.

` + exit.Help + `

With a name it exits with 4 when the server does not serve or nobody works on it. With --watch it ends when the server
serves and nothing is left to do, with 3 when a change to the spec is held back then. Where no terminal shows it, --watch
tells in lines what changes, and the whole status at the end. Without a name, --watch goes on until it is interrupted.`,
		Example: `  # Every Chroma in the namespace, and in all of them
  kubectl chroma status
  kubectl chroma status -A

  # One Chroma, and what to do about it
  kubectl chroma status demo

  # Follow an upgrade to its end
  kubectl chroma status demo --watch

  # Keep an eye on all of them
  kubectl chroma status -A --watch

  # For programs
  kubectl chroma status demo -o json`,
		Args: factory.Arguments(0, 1, "at most one name"),
		RunE: func(command *cobra.Command, args []string) error {
			if err := o.Complete(args); err != nil {
				return err
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(command.Context())
		},
	}
	flags := command.Flags()
	flags.BoolVarP(&o.all, "all-namespaces", "A", false, "the table of all namespaces")
	flags.StringVarP(&o.selector, "selector", "l", "", "only those with these labels, like team=a,tier!=test")
	flags.BoolVarP(&o.watch, "watch", "w", false, "redraw: with a name until it serves and nothing is left to do, else until it is interrupted")
	flags.DurationVar(&o.timeout, "timeout", 0, "with --watch and a name: how long to wait, like 5m; 0 waits for ever")
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "every condition, every event, and what of Crossplane is at work")
	flags.StringVarP(&o.output, "output", "o", "", "wide, json, yaml or name")
	return command
}

// Complete the options from arguments and flags.
func (o *Options) Complete(args []string) error {
	var err error
	if o.palette, err = o.factory.Palette(); err != nil {
		return err
	}
	if len(args) == 1 {
		o.argument = args[0]
		if o.target, err = target.Parse(o.argument); err != nil {
			return err
		}
	}
	o.client, o.namespace, err = o.factory.Both()
	return err
}

// Validate the options.
func (o *Options) Validate() error {
	_, invalid := labels.Parse(o.selector)
	known := []string{"", formatWide, terminal.JSON, terminal.YAML, formatName}
	switch {
	case !slices.Contains(known, o.output):
		return exit.Errorf(exit.Usage, "--output must be one of %s, not %q", strings.Join(known[1:], ", "), o.output)
	case o.argument != "" && (o.all || o.selector != ""):
		return exit.Errorf(exit.Usage, "a name cannot be used with --all-namespaces or --selector")
	case invalid != nil:
		return exit.Errorf(exit.Usage, "--selector: %w", invalid)
	case o.timeout != 0 && (!o.watch || o.argument == ""):
		return exit.Errorf(exit.Usage, "--timeout is for --watch with a name")
	case o.watch && o.output != "" && o.output != formatWide:
		return exit.Errorf(exit.Usage, "--watch is for people: leave out --output")
	}
	return nil
}

// Run the command.
func (o *Options) Run(ctx context.Context) error {
	switch {
	case o.argument == "" && o.watch:
		return o.followTable(ctx)
	case o.argument == "":
		return o.table(ctx)
	case o.watch:
		return o.follow(ctx)
	}
	status, err := o.one(ctx)
	if err != nil {
		return err
	}
	if err := o.print(o.factory.Streams.Out, status); err != nil {
		return fmt.Errorf("cannot print the status: %w", err)
	}
	if !status.Healthy {
		return exit.Silent(exit.Unhealthy)
	}
	return nil
}

// one status, read now.
func (o *Options) one(ctx context.Context) (v1.Status, error) {
	view, err := live.Glance(ctx, o.client, o.target.Kind, o.namespace, o.target.Name, o.factory.Now())
	if err != nil {
		return v1.Status{}, o.absent(ctx, err)
	}
	return modelOf(view), nil
}

// absent says of a Chroma that is not there whether a ValdOperatorRelease has its name. Where that cannot be read, there is
// nothing to add.
func (o *Options) absent(ctx context.Context, err error) error {
	if !apierrors.IsNotFound(err) || o.target.Kind != cluster.Chroma() {
		return err
	}
	release, failed := o.client.Find(ctx, cluster.ValdOperatorRelease(), o.namespace, o.target.Name)
	if failed != nil || release == nil {
		return err
	}
	return fmt.Errorf("%w\nThere is a ValdOperatorRelease of that name. Type: kubectl chroma status -n %s vor/%s", err, o.namespace, o.target.Name)
}

func (o *Options) print(to io.Writer, status v1.Status) error {
	switch o.output {
	case "", formatWide:
		printer := o.printer()
		_, err := io.WriteString(to, printer.body(status)+printer.foot(status))
		return err
	case formatName:
		_, err := fmt.Fprintf(to, "%s/%s\n", strings.ToLower(status.Of), status.Name)
		return err
	}
	return terminal.Document(to, o.output, status)
}

func (o *Options) printer() printer {
	return newPrinter(terminal.Width(o.factory.Streams.Out), o.palette, o.factory.Now(), o.verbose || o.output == formatWide)
}

// Report is a view for a bug report: for people with every detail, and as YAML.
func Report(view *live.View) (text, document []byte, err error) {
	model := modelOf(view)
	var programs bytes.Buffer
	if err := terminal.Document(&programs, terminal.YAML, model); err != nil {
		return nil, nil, err
	}
	printer := newPrinter(terminal.DefaultWidth, terminal.Palette{}, view.Now, true)
	return []byte(printer.body(model) + printer.foot(model)), programs.Bytes(), nil
}
