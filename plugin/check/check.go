// Package check is kubectl chroma check: what a Chroma needs around it.
package check

import (
	"context"
	"fmt"
	"net"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/manifest"
	"github.com/function-chroma/function-chroma/plugin/target"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// Results of a check.
const (
	passed  = "passed"
	failed  = "failed"
	warning = "warning"
	skipped = "skipped"
)

type options struct {
	resolver       *net.Resolver
	factory        factory.Factory
	filenames      []string
	system         string
	serviceAccount string
	probe          bool
	postgres       bool
	bucket         bool
	output         string
}

// New command.
func New(f factory.Factory) *cobra.Command { return NewWith(f, net.DefaultResolver) }

// NewWith a resolver of the names of Postgres and the bucket.
func NewWith(f factory.Factory, resolver *net.Resolver) *cobra.Command {
	o := &options{factory: f, resolver: resolver}
	command := &cobra.Command{
		Use:   "check [NAME] [-f FILE]",
		Short: "Check what a Chroma needs around it, and that its server can write",
		Long: `Check what a Chroma needs around it: the rights of Crossplane, whose lack hangs a Chroma without a word, the function, the
storage class, and for a distributed one Postgres, the bucket, and the CPUs of the nodes. For a running single-node
server a collection is created, written to and removed again, since its heartbeat says 200 when it cannot write.

Postgres and the bucket are asked by the function, from inside the cluster, and by this command, from this machine: with
the function's own code and the Secrets' credentials, and nothing is written. What only does not answer here is a
warning, since a Service of the cluster need not be reachable from outside.

Each check that hangs is cut off, and is one line of a report that is otherwise complete.

` + exit.Help + `

It exits with 4 when a check fails.`,
		Example: `  kubectl chroma check demo

  # Before it is created
  kubectl chroma check -f chroma.yaml`,
		Args: factory.Arguments(0, 1, "a name, or -f"),
		RunE: func(command *cobra.Command, args []string) error {
			if (len(args) == 1) == (len(o.filenames) > 0) {
				return exit.Errorf(exit.Usage, "say which Chroma: a name, or -f with a file")
			}
			if err := factory.Document(o.output); err != nil {
				return err
			}
			return o.run(command.Context(), args)
		},
	}
	flags := command.Flags()
	flags.StringSliceVarP(&o.filenames, "filename", "f", nil, "files with Chroma that are yet to be created; - reads standard input")
	flags.StringVar(&o.system, "crossplane-namespace", "crossplane-system", "the namespace that Crossplane runs in")
	flags.StringVar(&o.serviceAccount, "crossplane-account", "crossplane", "the ServiceAccount that Crossplane runs as")
	flags.BoolVar(&o.probe, "probe", true, "write to a running single-node server, through the API server's proxy")
	flags.BoolVar(&o.postgres, "postgres", true, "ask the Postgres of a distributed Chroma from this machine")
	flags.BoolVar(&o.bucket, "bucket", true, "ask the bucket of a distributed Chroma from this machine")
	flags.StringVarP(&o.output, "output", "o", "", "json or yaml")
	return command
}

func (o *options) run(ctx context.Context, args []string) error {
	client, namespace, err := o.factory.Both()
	if err != nil {
		return err
	}
	c := checker{client: client, options: o}
	if len(args) == 1 {
		name, err := target.Chroma(args[0])
		if err != nil {
			return err
		}
		view, err := live.Glance(ctx, client, cluster.Chroma(), namespace, name, o.factory.Now())
		if err != nil {
			return err
		}
		c.running(ctx, view)
		return o.report(c.checks)
	}
	objects, err := manifest.Read(o.factory.Streams.In, false, o.filenames...)
	if err != nil {
		return err
	}
	count := 0
	for _, object := range objects {
		if object.GroupVersionKind().GroupKind() == cluster.Chroma().GroupKind() {
			count++
			if object.GetNamespace() == "" {
				object.SetNamespace(namespace)
			}
			c.planned(ctx, object.Unstructured)
		}
	}
	if count == 0 {
		return exit.Errorf(exit.Usage, "the files have no Chroma")
	}
	return o.report(c.checks)
}

func (o *options) report(checks []v1.Check) error {
	out := o.factory.Streams.Out
	palette, err := o.factory.Palette()
	if err != nil {
		return err
	}
	if o.output != "" {
		err = terminal.Document(out, o.output, v1.CheckList{Header: v1.HeaderOf(v1.KindCheckList), Items: checks})
	} else {
		err = show(out, palette, checks)
	}
	if err != nil {
		return fmt.Errorf("cannot print the checks: %w", err)
	}
	if slices.ContainsFunc(checks, func(c v1.Check) bool { return c.Result == failed }) {
		return exit.Silent(exit.Unhealthy)
	}
	return nil
}

// checker collects what it finds.
type checker struct {
	*options
	client *cluster.Client
	checks []v1.Check
}

func (c *checker) addf(name, result, format string, args ...any) {
	c.checks = append(c.checks, v1.Check{Name: name, Result: result, Message: fmt.Sprintf(format, args...)})
}

// running checks a Chroma that is there.
func (c *checker) running(ctx context.Context, v *live.View) {
	c.function(v)
	c.rights(ctx, v.Distributed())
	if v.Distributed() {
		c.conditions(v)
		var input map[string]any
		if v.Machinery.Step != nil {
			input = v.Machinery.Step.Input
		}
		if v.XR != nil {
			c.outside(ctx, v.XR, input)
		}
		c.nodes(ctx)
		return
	}
	c.storageClass(ctx, live.Text(v.Object, "spec", "storage", "storageClass"))
	if !c.probe {
		c.addf("Write", skipped, "not asked for")
		return
	}
	c.write(ctx, v)
}

// planned checks a Chroma that is yet to be created.
func (c *checker) planned(ctx context.Context, object *unstructured.Unstructured) {
	distributed := live.Text(object, "spec", "mode") == string(chroma.ModeDistributed)
	c.rights(ctx, distributed)
	if distributed {
		c.outside(ctx, object, nil)
		c.nodes(ctx)
		return
	}
	c.storageClass(ctx, live.Text(object, "spec", "storage", "storageClass"))
}
