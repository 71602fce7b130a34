// Package report is kubectl chroma report: everything for a bug report, in one file.
package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/target"
)

type options struct {
	factory factory.Factory
	file    string
	logs    bool
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &options{factory: f}
	command := &cobra.Command{
		Use:   "report NAME | vor/NAME",
		Short: "Collect everything for a bug report in a zip file",
		Long: `Collect everything for a bug report in a zip file: the object and all that belongs to it, with its node and its storage
class, all its events, logs, what of Crossplane is at work (the CompositionRevision with its Input, the Function, its
revision and runtime), and what the function decides. What may not be read is named in notes.txt, and the rest is there.

The data of Secrets is left out, and so are the values of environment variables and, of a distributed Chroma, the
credentials of Postgres and the bucket in logs: servers log their flags. Who may not read these Secrets gets no logs.
Commands and their arguments, messages and what else is in logs stay as they are: read it before you publish it. Names and
addresses are yours.

` + exit.Help,
		Example: `  kubectl chroma report demo -f demo.zip`,
		Args:    factory.Arguments(1, 1, "a name"),
		RunE:    func(command *cobra.Command, args []string) error { return o.run(command.Context(), args[0]) },
	}
	command.Flags().StringVarP(&o.file, "filename", "f", "", "the file to write, a new one; - for standard output; by default chroma-report-<namespace>-<name>.zip")
	command.Flags().BoolVar(&o.logs, "logs", true, "with the logs of the Pods")
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
	view, err := live.Gather(ctx, client, of.Kind, namespace, of.Name, o.factory.Now())
	if err != nil {
		return err
	}
	var content bytes.Buffer
	if err := o.collect(ctx, client, view, &content); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	if o.file == "-" {
		_, err := o.factory.Streams.Out.Write(content.Bytes())
		return err
	}
	if o.file == "" {
		o.file = fmt.Sprintf("chroma-report-%s-%s.zip", namespace, of.Name)
	}
	if err := write(o.file, content.Bytes()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.factory.Streams.Out, "%s: read it before you publish it.\n", o.file)
	return err
}

// write a file that is not there yet: an earlier report, or what is a manifest to other commands, is not overwritten.
func write(name string, content []byte) error {
	const ownerOnly = 0o600
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerOnly) //nolint:gosec // A person names it.
	if err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	_, err = file.Write(content)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}
