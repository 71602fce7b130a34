// Package render is kubectl chroma render: what the function composes, without a cluster.
package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/manifest"
	"github.com/function-chroma/function-chroma/plugin/terminal"
	"github.com/function-chroma/function-chroma/plugin/trace"
)

// Formats of the objects: the values of --output.
const (
	formatYAML = "yaml"
	formatJSON = "json"
	formatName = "name"
)

// Options of render.
type Options struct {
	streams genericiooptions.IOStreams
	palette terminal.Palette

	filenames    []string
	recursive    bool
	observed     []string
	required     []string
	compositions []string
	claims       bool
	trace        bool
	output       string
	namespace    string

	scene scene
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &Options{streams: f.Streams}
	command := &cobra.Command{
		Use:   "render -f FILE",
		Short: "Show what the function composes, without a cluster",
		Long: `Run the function in process, in a simulated cluster, until nothing moves any more, and print the objects: those it
composed, and what provider-kubernetes made of them. Nothing is connected to. The same files give the same output.

The cluster is a model of Crossplane, provider-kubernetes and Kubernetes. It has one node, a class whose volumes can
grow, and every image. A Chroma can be the namespaced kind, a claim (--claims, or when the file has fields that only
claims have), or the XChroma that Crossplane makes of a claim.

The function's settings come from the step of a Composition (--composition), and are the defaults without one.

` + exit.Help + `

It exits with 3 when the API or the function refuses what a file asks for, and with 4 when the server does not get ready.`,
		Example: `  # The objects of a Chroma
  kubectl chroma render -f examples/single-node.yaml

  # Every pass of the function: what it writes, what it waits for
  kubectl chroma render -f examples/single-node.yaml --trace

  # With the settings of your own Composition
  kubectl chroma render -f chroma.yaml --composition composition.yaml

  # Beginning with a claim that is there already
  kubectl chroma render -f chroma.yaml --required claim.yaml --trace`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exit.Errorf(exit.Usage, "render takes no arguments: name the files with -f")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, _ []string) error {
			if err := o.Complete(f); err != nil {
				return err
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run()
		},
	}
	flags := command.Flags()
	flags.StringSliceVarP(&o.filenames, "filename", "f", nil, "files and folders with Chroma and ValdOperatorRelease; - reads standard input")
	flags.BoolVarP(&o.recursive, "recursive", "R", false, "read the folders below too")
	flags.StringSliceVar(&o.observed, "observed", nil, "files with composed objects to begin with; each has the annotation "+annotationRole)
	flags.StringSliceVar(&o.required, "required", nil, "files with other objects to begin with, such as the claim, Nodes and StorageClasses")
	flags.StringSliceVar(&o.compositions, "composition", nil, "files with the Compositions whose settings the function gets")
	flags.BoolVar(&o.claims, "claims", false, "a Chroma is the claim of an XChroma")
	flags.BoolVar(&o.trace, "trace", false, "show every pass instead of the objects")
	flags.StringVarP(&o.output, "output", "o", formatYAML, "format of the objects: "+strings.Join(formats(), ", "))
	return command
}

func formats() []string { return []string{formatYAML, formatJSON, formatName} }

// Complete reads the files.
func (o *Options) Complete(f factory.Factory) error {
	var err error
	if o.palette, err = f.Palette(); err != nil {
		return err
	}
	o.namespace = f.NamespaceFlag()
	if len(o.filenames) == 0 {
		return exit.Errorf(exit.Usage, "name the files with -f")
	}
	for _, list := range []struct {
		names []string
		into  *[]manifest.Object
	}{
		{o.filenames, &o.scene.composites}, {o.observed, &o.scene.observed},
		{o.required, &o.scene.required}, {o.compositions, &o.scene.compositions},
	} {
		if len(list.names) == 0 {
			continue
		}
		if *list.into, err = manifest.Read(o.streams.In, o.recursive, list.names...); err != nil {
			return err
		}
	}
	o.scene.complete(o.namespace, o.claims)
	return nil
}

// Validate says what is wrong with the flags and, with the API server's own code, with the files.
func (o *Options) Validate() error {
	if !slices.Contains(formats(), o.output) {
		return exit.Errorf(exit.Usage, "--output must be one of %s, not %q", strings.Join(formats(), ", "), o.output)
	}
	return o.scene.validate()
}

// Run the function and print.
func (o *Options) Run() error {
	run, err := o.scene.simulate()
	if err != nil {
		return err
	}
	if o.trace {
		trace.Tracer{Out: o.streams.Out, Palette: o.palette, Start: run.start}.Print(run.Steps)
	} else if err := printObjects(o.streams.Out, o.output, run.objects()); err != nil {
		return fmt.Errorf("cannot print the objects: %w", err)
	}
	return run.verdict()
}
