package upgrade

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/manifest"
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

Without a name it is a table of all in the namespace (-l, -A). With -f the names and images are those of files.

` + exit.Help + `

It exits with 3 when one of them is refused.`,
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
	case o.output != "" && o.output != terminal.JSON && o.output != terminal.YAML:
		return exit.Errorf(exit.Usage, "--output must be json or yaml, not %q", o.output)
	}
	if o.palette, err = o.factory.Palette(); err != nil {
		return err
	}
	o.client, o.namespace, err = o.factory.Both()
	return err
}

// question about one Chroma.
type question struct {
	object *unstructured.Unstructured
	image  string
}

// Run the command.
func (o *CheckOptions) Run(ctx context.Context) error {
	questions, err := o.questions(ctx)
	if err != nil {
		return err
	}
	list := v1.UpgradeCheckList{Header: v1.HeaderOf(v1.KindUpgradeCheck), Items: make([]v1.UpgradeCheck, len(questions))}
	errs := make([]error, len(questions))
	var group sync.WaitGroup
	// Each takes a dozen requests: a few at a time, for the API server's sake.
	slots := make(chan struct{}, 8)
	for i, q := range questions {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			view, err := live.Complete(ctx, o.client, q.object, o.factory.Now())
			if err == nil {
				list.Items[i], err = judge(ctx, o.client, view, q.image)
			}
			errs[i] = err
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	if err := o.print(list); err != nil {
		return fmt.Errorf("cannot print the check: %w", err)
	}
	for _, item := range list.Items {
		if !item.Allowed {
			return exit.Silent(exit.Refused)
		}
	}
	return nil
}

func (o *CheckOptions) questions(ctx context.Context) ([]question, error) {
	if len(o.filenames) > 0 {
		return o.fromFiles(ctx)
	}
	if o.name != "" {
		object, err := o.client.Get(ctx, cluster.Chroma(), o.namespace, o.name)
		return []question{{object: object, image: o.image}}, err
	}
	namespace := o.namespace
	if o.all {
		namespace = ""
	}
	objects, err := o.client.List(ctx, cluster.Chroma(), namespace, o.selector)
	if err != nil {
		return nil, err
	}
	var out []question
	for _, object := range objects {
		if live.Text(object, "spec", "mode") != string(chroma.ModeDistributed) {
			out = append(out, question{object: object, image: o.image})
		}
	}
	return out, nil
}

// fromFiles asks about the live objects of the files' names. One that is not there has no data to think of.
func (o *CheckOptions) fromFiles(ctx context.Context) ([]question, error) {
	objects, err := manifest.Read(o.factory.Streams.In, false, o.filenames...)
	if err != nil {
		return nil, err
	}
	var out []question
	for _, object := range objects {
		if object.GroupVersionKind().GroupKind() != cluster.Chroma().GroupKind() {
			continue
		}
		namespace := object.GetNamespace()
		if namespace == "" {
			namespace = o.namespace
		}
		image := o.image
		if image == "" {
			image = live.Text(object.Unstructured, "spec", "image")
		}
		if image == "" {
			return nil, exit.Errorf(exit.Usage, "%s: it names no image: say which with --image", object)
		}
		found, err := o.client.Find(ctx, cluster.Chroma(), namespace, object.GetName())
		if err != nil {
			return nil, err
		}
		if found == nil {
			object.SetNamespace(namespace)
			found = object.Unstructured
		}
		out = append(out, question{object: found, image: image})
	}
	if len(out) == 0 {
		return nil, exit.Errorf(exit.Usage, "the files have no %s", chroma.Kind)
	}
	return out, nil
}

func (o *CheckOptions) print(list v1.UpgradeCheckList) error {
	out := o.factory.Streams.Out
	switch {
	case o.output != "":
		return terminal.Document(out, o.output, list)
	case o.name != "":
		return printOne(out, o.palette, list.Items[0])
	}
	rows := [][]terminal.Cell{terminal.Plain("NAMESPACE", "NAME", "FROM", "ALLOWED", "REASON", "FORMAT")}
	for _, item := range list.Items {
		row := terminal.Plain(item.Namespace, item.Name, tagOf(item.From), yesNo(item.Allowed), item.Reason, item.FormatBefore+" to "+item.FormatAfter)
		row[3].Paint = o.palette.Bad
		if item.Allowed {
			row[3].Paint = o.palette.Good
		}
		rows = append(rows, row)
	}
	return terminal.Table(out, rows)
}

// printOne check for people.
func printOne(to io.Writer, palette terminal.Palette, check v1.UpgradeCheck) error {
	var text strings.Builder
	verdict := palette.Good("allowed")
	if !check.Allowed {
		verdict = palette.Bad("refused") + "  " + check.Reason
	}
	fmt.Fprintf(&text, "%s  %s\n", palette.Strong(fmt.Sprintf("%s %s/%s", chroma.Kind, check.Namespace, check.Name)), verdict)
	formats := ""
	if check.FormatBefore != "" {
		formats = check.FormatBefore + " now, " + check.FormatAfter + " with the image"
	}
	why := check.Message
	if check.Reason == string(reason.LedgerPending) {
		// What the function would do first is no reason.
		why = ""
	}
	for _, line := range []struct{ label, text string }{
		{"Runs", check.From}, {"Wanted", check.To}, {"Data format", formats}, {"Why", why}, {"Tried", check.Trial}, {"Way back", check.WayBack},
	} {
		if line.text == "" {
			continue
		}
		for i, part := range terminal.Wrap(line.text, terminal.DefaultWidth-15) {
			label := line.label
			if i > 0 {
				label = ""
			}
			fmt.Fprintf(&text, "  %s %s\n", palette.Faint(terminal.Pad(label, 12)), part)
		}
	}
	for _, note := range check.Notes {
		fmt.Fprintf(&text, "  %s %s\n", palette.Faint(terminal.Pad("Note", 12)), note)
	}
	if check.Allowed && check.From != check.To {
		fmt.Fprintf(&text, "\n%s\n  %s\n", palette.Strong("Next step"), fmt.Sprintf("kubectl chroma upgrade apply -n %s %s --image %s --wait", check.Namespace, check.Name, check.To))
	}
	_, err := io.WriteString(to, text.String())
	return err
}

func tagOf(image string) string {
	if image == "" {
		return "-"
	}
	return image[strings.LastIndex(image, "/")+1:]
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
