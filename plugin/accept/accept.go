// Package accept is kubectl chroma accept-claim: the way out when the claim with the data is lost.
package accept

import (
	"context"
	"fmt"
	"slices"
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
To begin anew there must be no claim of the name: one that is there is taken without --new, or deleted first.

` + exit.Help + `

It exits with 3 when the claim is not lost, when there is none to take, or one in the way of --new.`,
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
	o.Note(view.Notes)
	if err := lost(view); err != nil {
		return err
	}
	o.show(view)
	value, question, err := o.choice(view)
	if err != nil {
		return err
	}
	view, err = o.Confirmed(ctx, client, view, f.Now, question, func(v *live.View) error {
		if err := lost(v); err != nil {
			return err
		}
		if now, _, err := o.choice(v); err != nil || now != value {
			return exit.Errorf(exit.Refused, "the claim is another one than a moment ago, so nothing was changed: look again")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := o.Annotate(ctx, client, change.Of(view.Object), map[string]any{chroma.AnnotationAcceptClaim: value}); err != nil {
		return err
	}
	o.Next("status " + change.Arguments(view.Object) + " -w")
	return nil
}

// lost claims alone can be accepted. Whether one is lost is not known when it cannot be read.
func lost(v *live.View) error {
	uid := v.Chroma.Status.ClaimUID
	switch {
	case v.Distributed():
		return exit.Errorf(exit.Refused, "%s/%s is distributed: its data is in Postgres and a bucket, and in no claim of its own", v.Namespace(), v.Name())
	case uid == "":
		return exit.Errorf(exit.Refused, "%s/%s has used no claim yet: there is nothing to accept", v.Namespace(), v.Name())
	case v.ClaimError != nil:
		return fmt.Errorf("it is not known whether the claim is lost, so nothing was changed: %w", v.ClaimError)
	case v.Claim == nil || string(v.Claim.GetUID()) != uid:
		return nil
	case v.Claim.GetDeletionTimestamp() != nil:
		return exit.Errorf(exit.Refused, "the claim %s is the one with the data, and is being deleted: it is not lost yet", v.Claim.GetName())
	}
	return exit.Errorf(exit.Refused, "the claim %s is the one with the data: it is not lost", v.Claim.GetName())
}

// choice is the value of the annotation, and what to ask before. The function begins anew only where no claim is, and
// takes none that is being deleted: the annotation would stand there and count later.
func (o *options) choice(v *live.View) (value, question string, err error) {
	name := chroma.ClaimName(v.Name())
	switch {
	case v.Claim != nil && v.Claim.GetDeletionTimestamp() != nil:
		return "", "", exit.Errorf(exit.Refused, "the claim %s that is there now is being deleted: try again when it is gone", name)
	case v.Claim != nil && o.anew:
		return "", "", exit.Errorf(exit.Refused, "a claim %s is there, and to begin anew there must be none: delete it first, or take it without --new", name)
	case o.anew:
		return chroma.AcceptNewClaimPrefix + v.Chroma.Status.ClaimUID, "Begin anew with an empty claim?", nil
	case v.Claim == nil:
		return "", "", exit.Errorf(exit.Refused, "there is no claim %s to take: restore it under that name, or begin anew with --new", name)
	}
	return string(v.Claim.GetUID()), "Take the claim that is there now?", nil
}

// show both claims.
func (o *options) show(v *live.View) {
	out := o.Streams.ErrOut
	_, _ = fmt.Fprintf(out, "Lost   %s  UID %s\n       %s\n", chroma.ClaimName(v.Name()), v.Chroma.Status.ClaimUID, ran(ledger.FromStatus(v.Chroma.Status)))
	if v.Claim == nil {
		_, _ = fmt.Fprintln(out, "Now    there is none")
		return
	}
	record := ledger.FromAnnotations(string(v.Claim.GetUID()), v.Claim.GetAnnotations())
	told := ran(&record)
	if record.Unknown {
		told += ": its version will have to be declared"
	}
	_, _ = fmt.Fprintf(out, "Now    %s  UID %s  created %s\n       %s\n", v.Claim.GetName(), v.Claim.GetUID(), v.Claim.GetCreationTimestamp().UTC().Format("2006-01-02T15:04:05Z"), told)
}

// ran is what a record says of a claim.
func ran(record *ledger.Record) string {
	switch {
	case record == nil, !record.Unknown && len(record.Versions) == 0:
		return "nothing has run on it"
	case record.Unknown:
		return "what has run on it is not known"
	}
	var versions []string
	for _, version := range record.Versions {
		versions = append(versions, version.Title())
	}
	slices.Sort(versions)
	has := "has"
	if len(versions) > 1 {
		has = "have"
	}
	return strings.Join(versions, " and ") + " " + has + " run on it"
}
