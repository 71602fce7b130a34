// Package lint is kubectl chroma lint: what is wrong with files, before a cluster sees them.
package lint

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/render"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

type options struct {
	factory      factory.Factory
	filenames    []string
	compositions []string
	recursive    bool
	claims       bool
	output       string
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &options{factory: f}
	command := &cobra.Command{
		Use:   "lint -f FILE",
		Short: "Check files with Chroma and ValdOperatorRelease, without a cluster",
		Long: `Check files, for editors and pull requests: against the schema and the rules of the API, with the API server's own
code, and against the rules of the function for images and specs, with the settings of a Composition where one is
given. Nothing is connected to. What depends on data that exists is for kubectl chroma upgrade check.

` + exit.Help + `

It exits with 3 when something is wrong.`,
		Example: `  kubectl chroma lint -f chroma.yaml
  kubectl chroma lint -R -f deploy/ --composition composition.yaml -o json`,
		Args: factory.Arguments(0, 0, "no arguments: name the files with -f"),
		RunE: func(_ *cobra.Command, _ []string) error { return o.run() },
	}
	flags := command.Flags()
	flags.StringSliceVarP(&o.filenames, "filename", "f", nil, "files and folders; - reads standard input")
	flags.BoolVarP(&o.recursive, "recursive", "R", false, "read the folders below too")
	flags.StringSliceVar(&o.compositions, "composition", nil, "files with the Compositions whose settings the function gets")
	flags.BoolVar(&o.claims, "claims", false, "a Chroma is the claim of an XChroma")
	flags.StringVarP(&o.output, "output", "o", "", "json or yaml")
	return command
}

func (o *options) run() error {
	if len(o.filenames) == 0 {
		return exit.Errorf(exit.Usage, "name the files with -f")
	}
	palette, err := o.factory.Palette()
	if err != nil {
		return err
	}
	findings, count, err := render.Lint(o.factory.Streams.In, render.Files{
		Composites: o.filenames, Compositions: o.compositions, Recursive: o.recursive, Claims: o.claims, Namespace: o.factory.NamespaceFlag(),
	})
	if err != nil {
		return err
	}
	out := o.factory.Streams.Out
	if o.output != "" {
		err = terminal.Document(out, o.output, v1.LintResult{Header: v1.HeaderOf(v1.KindLintResult), Items: findings})
	} else {
		err = show(out, palette, findings, count)
	}
	if err != nil {
		return fmt.Errorf("cannot print the findings: %w", err)
	}
	if slices.ContainsFunc(findings, func(f v1.Finding) bool { return f.Level == v1.LevelError }) {
		return exit.Silent(exit.Refused)
	}
	return nil
}

func show(to io.Writer, palette terminal.Palette, findings []v1.Finding, count int) error {
	var text strings.Builder
	for _, f := range findings {
		paint := palette.Bad
		if f.Level == v1.LevelWarning {
			paint = palette.Warn
		}
		parts := []string{f.Source, f.Object, f.Field, f.Reason}
		head := strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ": ")
		fmt.Fprintf(&text, "%s: %s: %s\n", paint(f.Level), head, f.Message)
	}
	if len(findings) == 0 {
		fmt.Fprintln(&text, palette.Good(fmt.Sprintf("In %s, nothing is wrong.", objects(count))))
	}
	_, err := io.WriteString(to, text.String())
	return err
}

func objects(count int) string {
	if count == 1 {
		return "one object"
	}
	return fmt.Sprintf("%d objects", count)
}
