// Package accept is kubectl chroma accept-claim: the way out when the claim with the data is lost.
package accept

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/ledger"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
)

type options struct {
	change.Options
	anew bool
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &options{Options: change.Options{Streams: f.Streams}}
	command := &cobra.Command{
		Use:   "accept-claim NAME",
		Short: "Say which claim to use after the one with the data was lost",
		Long: `When the claim with the data is gone, or another one is in its place, nothing is started. This shows both, and takes the
claim that is there now or, with --new, begins anew with an empty one. Data that was on the lost claim is not there then.

` + exit.Help + `

It exits with 3 when the claim is not lost, or when there is none to take.`,
		Example: `  # Take the claim that is there now, restored from a snapshot for example
  kubectl chroma accept-claim demo

  # Begin anew, without the data
  kubectl chroma accept-claim demo --new`,
		Args: factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(command.Context(), f, args[0])
		},
	}
	command.Flags().BoolVar(&o.anew, "new", false, "begin anew with an empty claim")
	o.AddFlags(command.Flags())
	return command
}

func (o *options) run(ctx context.Context, f factory.Factory, argument string) error {
	client, view, err := live.Chroma(ctx, f, argument)
	if err != nil {
		return err
	}
	namespace, name := view.Namespace(), view.Name()
	lost := view.Chroma.Status.ClaimUID
	switch {
	case lost == "":
		return exit.Errorf(exit.Refused, "%s/%s has used no claim yet: there is nothing to accept", namespace, name)
	case view.Claim != nil && string(view.Claim.GetUID()) == lost:
		return exit.Errorf(exit.Refused, "the claim %s is the one with the data: it is not lost", view.Claim.GetName())
	}
	o.show(view, lost)
	value := chroma.AcceptNewClaimPrefix + lost
	question := "Begin anew with an empty claim?"
	if !o.anew {
		if view.Claim == nil {
			return exit.Errorf(exit.Refused, "there is no claim %s to take: restore it under that name, or begin anew with --new", chroma.ClaimName(name))
		}
		value, question = string(view.Claim.GetUID()), "Take the claim that is there now?"
	}
	if err := o.Confirm(question); err != nil {
		return err
	}
	return o.Annotate(ctx, client, change.Of(view.Object), map[string]any{chroma.AnnotationAcceptClaim: value})
}

// show both claims.
func (o *options) show(v *live.View, lost string) {
	out := o.Streams.ErrOut
	status := v.Chroma.Status
	_, _ = fmt.Fprintf(out, "Lost   %s  UID %s\n       %s %s has run on it\n", chroma.ClaimName(v.Name()), lost, status.DataProduct, status.DataVersion)
	if v.Claim == nil {
		_, _ = fmt.Fprintln(out, "Now    there is none")
		return
	}
	record := ledger.FromAnnotations(string(v.Claim.GetUID()), v.Claim.GetAnnotations())
	ran := "nothing has run on it"
	switch {
	case record.Unknown:
		ran = "what has run on it is not known: its version will have to be declared"
	case len(record.Versions) > 0:
		var versions []string
		for _, version := range record.Versions {
			versions = append(versions, version.Title())
		}
		ran = strings.Join(versions, " and ") + " has run on it"
	}
	_, _ = fmt.Fprintf(out, "Now    %s  UID %s  created %s\n       %s\n", v.Claim.GetName(), v.Claim.GetUID(), v.Claim.GetCreationTimestamp().UTC().Format("2006-01-02T15:04:05Z"), ran)
}
