package upgrade

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/target"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// CheckOptions of upgrade check.
type CheckOptions struct {
	factory   factory.Factory
	client    *cluster.Client
	palette   terminal.Palette
	namespace string

	name      string
	image     string
	filenames []string
	all       bool
	selector  string
	output    string
}

func newCheck(f factory.Factory) *cobra.Command {
	o := &CheckOptions{factory: f}
	command := &cobra.Command{
		Use:   "check [NAME] --image IMAGE",
		Short: "Say whether an image may run on the data, which rule decides, and what going back would take",
		Long: `Say whether an image may run on the data: the function's own answer to the objects as they are, with that image. It
names the rule, the data formats, and what going back would take. Nothing is changed.

Without a name it is a table of all in the namespace (-l, -A). With -f each Chroma of the files is judged as it would be
once its file is applied: the spec and the annotations of the file are laid over what is in the cluster, and what the file
leaves out stays. A distributed Chroma has a version instead of an image, and is left out.

` + exit.Help + `

It exits with 3 when one of them is refused, and with 1 when one of them cannot be judged: the others are printed.`,
		Example: `  # One Chroma
  kubectl chroma upgrade check demo --image docker.io/chromadb/chroma:1.5.9

  # All of the cluster
  kubectl chroma upgrade check -A --image docker.io/chromadb/chroma:1.5.9

  # What a pull request asks for, against what runs
  kubectl chroma upgrade check -f chroma.yaml`,
		Args: factory.Arguments(0, 1, "at most one name"),
		RunE: func(command *cobra.Command, args []string) error {
			if err := o.Complete(args); err != nil {
				return err
			}
			return o.Run(command.Context())
		},
	}
	flags := command.Flags()
	flags.StringVar(&o.image, "image", "", "the image to run")
	flags.StringSliceVarP(&o.filenames, "filename", "f", nil, "files and folders with the Chroma as it shall be; - reads standard input")
	flags.BoolVarP(&o.all, "all-namespaces", "A", false, "all of the cluster")
	flags.StringVarP(&o.selector, "selector", "l", "", "only those with these labels")
	flags.StringVarP(&o.output, "output", "o", "", "json or yaml")
	return command
}

// Complete the options, and check them.
func (o *CheckOptions) Complete(args []string) error {
	var err error
	if len(args) == 1 {
		if o.name, err = target.Chroma(args[0]); err != nil {
			return err
		}
	}
	_, invalid := labels.Parse(o.selector)
	switch {
	case o.name != "" && (o.all || o.selector != "" || len(o.filenames) > 0):
		return exit.Errorf(exit.Usage, "a name cannot be used with --all-namespaces, --selector or --filename")
	case len(o.filenames) == 0 && o.image == "":
		return exit.Errorf(exit.Usage, "say which image with --image")
	case invalid != nil:
		return exit.Errorf(exit.Usage, "--selector: %w", invalid)
	}
	if err := factory.Document(o.output); err != nil {
		return err
	}
	if o.palette, err = o.factory.Palette(); err != nil {
		return err
	}
	o.client, o.namespace, err = o.factory.Both()
	return err
}

// Run the command.
func (o *CheckOptions) Run(ctx context.Context) error {
	questions, notes, err := o.questions(ctx)
	if err != nil {
		return err
	}
	list := v1.UpgradeCheckList{Header: v1.HeaderOf(v1.KindUpgradeCheck), Items: make([]v1.UpgradeCheck, len(questions)), Notes: notes}
	errs := make([]error, len(questions))
	var group sync.WaitGroup
	// Each takes a dozen requests: a few at a time, for the API server's sake.
	slots := make(chan struct{}, 8)
	for i, q := range questions {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			list.Items[i], errs[i] = o.answer(ctx, q)
		})
	}
	group.Wait()
	if o.name != "" && errs[0] != nil {
		return errs[0]
	}
	if err := o.print(list); err != nil {
		return fmt.Errorf("cannot print the check: %w", err)
	}
	if err := errors.Join(errs...); err != nil {
		return exit.With(exit.Error, err)
	}
	if slices.ContainsFunc(list.Items, func(item v1.UpgradeCheck) bool { return !item.Allowed }) {
		return exit.Silent(exit.Refused)
	}
	return nil
}

// answer a question. One that has no answer keeps the others from nothing.
func (o *CheckOptions) answer(ctx context.Context, q question) (v1.UpgradeCheck, error) {
	out := v1.UpgradeCheck{Namespace: q.namespace, Name: q.name, From: live.Text(q.object, "status", "image"), To: q.image}
	object, err := q.read(ctx, o.client)
	if err == nil {
		var view *live.View
		if view, err = live.Basis(ctx, o.client, object, o.factory.Now()); err == nil {
			out, err = judge(ctx, o.client, view, q)
		}
	}
	if err != nil {
		err = fmt.Errorf("cannot check %s %s/%s: %w", chroma.Kind, q.namespace, q.name, err)
		out.Error = err.Error()
	}
	return out, err
}

func (o *CheckOptions) print(list v1.UpgradeCheckList) error {
	out := o.factory.Streams.Out
	switch {
	case o.output != "":
		return terminal.Document(out, o.output, list)
	case o.name != "":
		return printOne(out, o.palette, list.Items[0])
	}
	if err := printTable(out, o.palette, list.Items); err != nil {
		return err
	}
	for _, note := range append(list.Notes, shared(list.Items)...) {
		if _, err := fmt.Fprintln(o.factory.Streams.ErrOut, "note: "+note); err != nil {
			return err
		}
	}
	return nil
}
