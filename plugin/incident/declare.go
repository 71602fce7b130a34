package incident

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/ledger"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// declareOptions of incident declare.
type declareOptions struct {
	change.Options
	version string
	force   bool
}

func newDeclare(f factory.Factory) *cobra.Command {
	o := &declareOptions{Options: change.Options{Streams: f.Streams}}
	command := &cobra.Command{
		Use:   "declare NAME --version VERSION",
		Short: "Declare the highest version that has run on the data",
		Long: `Declare the highest version that has run on the data, which ends the open incident. The code is read from the Chroma.
A version that contradicts what is known to have run is refused unless --force is given; the function ignores what it
knows to be wrong even then.

A declaration that is too low lets a server open data that a newer one has written. When in doubt, declare the higher
version.

` + exit.Help,
		Example: `  # Chroma 1.5.9 is the highest version that has run
  kubectl chroma incident declare demo --version 1.5.9

  # Data that VecturaDB has opened needs the product too
  kubectl chroma incident declare demo --version vecturadb:1.0.0-preview.3`,
		Args: factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			if o.version == "" {
				return exit.Errorf(exit.Usage, "say which version with --version")
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(command.Context(), f, args[0])
		},
	}
	command.Flags().StringVar(&o.version, "version", "", "the highest version that has run, like 1.5.9 or vecturadb:1.0.0-preview.3")
	command.Flags().BoolVar(&o.force, "force", false, "write the annotation although it contradicts what is known")
	o.AddFlags(command.Flags())
	return command
}

func (o *declareOptions) run(ctx context.Context, f factory.Factory, argument string) error {
	client, view, err := live.Chroma(ctx, f, argument)
	if err != nil {
		return err
	}
	if view.Distributed() {
		return exit.Errorf(exit.Refused, "%s/%s is distributed: its database says itself what has migrated it, and nothing is declared", view.Namespace(), view.Name())
	}
	record := ledger.FromStatus(view.Chroma.Status)
	if record == nil || !record.Unknown {
		return exit.Errorf(exit.Refused, "%s/%s has no open incident: the version of its data is known", view.Namespace(), view.Name())
	}
	value := o.version + "/" + record.Incident
	declaration := record.Declare(value)
	if !declaration.Ended {
		if !o.force {
			return exit.Errorf(exit.Refused, "%s", declaration.Message)
		}
		_, _ = fmt.Fprintln(o.Streams.ErrOut, "warning: "+declaration.Message)
	}
	_, _ = fmt.Fprintf(o.Streams.ErrOut, "%s is declared to be the highest version that has run on the data of %s/%s (incident %s).\nA version that is too low lets a server open data that a newer one has written.\n",
		o.version, view.Namespace(), view.Name(), record.Incident)
	o.Note(view.Notes)
	view, err = o.Confirmed(ctx, client, view, f.Now, "Declare it?", func(v *live.View) error {
		if now := ledger.FromStatus(v.Chroma.Status); now == nil || now.Incident != record.Incident {
			return exit.Errorf(exit.Refused, "the incident %s is not open any more, so nothing was changed: look again", record.Incident)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := o.Annotate(ctx, client, change.Of(view.Object), map[string]any{chroma.AnnotationDeclaredDataVersion: value}); err != nil {
		return err
	}
	if declaration.Ended {
		o.Next("status " + change.Arguments(view.Object) + " -w")
	}
	return nil
}
