// Package allow is kubectl chroma allow: the annotations that allow what is refused by default.
package allow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/image"
	"github.com/function-chroma/function-chroma/function/ledger"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// A permission and the annotations that it may take.
type permission struct {
	name, short string
	keys        []string
}

func permissions() []permission {
	return []permission{
		{"downgrade", "Allow the wanted older version, within one data format", []string{chroma.AnnotationAllowDowngrade}},
		{"format-downgrade", "Allow the wanted older version across a border of the data format", []string{chroma.AnnotationAllowDowngrade, chroma.AnnotationAllowFormatDowngrade}},
		{"product-change", "Allow the way back from VecturaDB to Chroma", []string{chroma.AnnotationAllowProductChange, chroma.AnnotationAllowDowngrade, chroma.AnnotationAllowFormatDowngrade}},
	}
}

// New command with its subcommands.
func New(f factory.Factory) *cobra.Command {
	command := &cobra.Command{
		Use:   "allow",
		Short: "Allow a downgrade, or the way back to Chroma, after saying what that does",
		Long: `Some changes of the image are refused until a person allows them with annotations. These commands say what would happen in
this case, ask, and write exactly the annotations that the wanted image needs. --revoke takes away all that the command may write, and says which.

` + exit.Help,
		Example: `  kubectl chroma allow downgrade demo
  kubectl chroma allow downgrade demo --revoke`,
		Args: factory.Arguments(0, 0, "downgrade, format-downgrade or product-change"),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, p := range permissions() {
		command.AddCommand(newPermission(f, p))
	}
	return command
}

type options struct {
	change.Options
	permission permission
	image      string
	revoke     bool
}

func newPermission(f factory.Factory, p permission) *cobra.Command {
	o := &options{Options: change.Options{Streams: f.Streams}, permission: p}
	command := &cobra.Command{
		Use:   p.name + " NAME",
		Short: p.short,
		Long: p.short + `. The image is the one that the spec asks for, or that of --image for an upgrade that is yet to
be applied. What would happen to the data is said first.

The annotations it may write: ` + strings.Join(p.keys, ", ") + `.

` + exit.Help + `

It exits with 3 when no annotation of this command allows the image.`,
		Example: fmt.Sprintf(`  # Say what would happen, ask, and allow it
  kubectl chroma allow %[1]s demo

  # Take it back
  kubectl chroma allow %[1]s demo --revoke`, p.name),
		Args: factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(command.Context(), f, args[0])
		},
	}
	command.Flags().StringVar(&o.image, "image", "", "an image other than that of the spec")
	command.Flags().BoolVar(&o.revoke, "revoke", false, "take the annotations away")
	o.AddFlags(command.Flags())
	return command
}

func (o *options) run(ctx context.Context, f factory.Factory, argument string) error {
	client, view, err := live.Chroma(ctx, f, argument)
	if err != nil {
		return err
	}
	o.Note(view.Notes)
	if o.revoke {
		return o.takeAway(ctx, client, view)
	}
	if view.Distributed() {
		return o.version(ctx, client, view, f.Now)
	}
	needed, err := o.needed(view)
	if err != nil {
		return err
	}
	if needed.because != "" {
		return o.unneeded(view, needed.because)
	}
	o.tell(needed.risk)
	question := fmt.Sprintf("Allow %s on the data of %s/%s?", needed.wanted, view.Namespace(), view.Name())
	view, err = o.Confirmed(ctx, client, view, f.Now, question, func(v *live.View) error {
		// What was said is about the image that was wanted then.
		if now, err := o.needed(v); err != nil || !maps.Equal(now.annotations, needed.annotations) || now.wanted != needed.wanted {
			return exit.Errorf(exit.Refused, "another image is asked for than a moment ago, or other data is there, so nothing was changed: look again")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := o.Annotate(ctx, client, change.Of(view.Object), needed.annotations); err != nil {
		return err
	}
	if o.image != "" {
		o.Next("upgrade apply " + change.Arguments(view.Object) + " --image " + o.image)
		return nil
	}
	o.Next("status " + change.Arguments(view.Object) + " -w")
	return nil
}

// A need for annotations.
type need struct {
	// because of this nothing is needed.
	because string
	// wanted version.
	wanted      string
	risk        string
	annotations map[string]any
}

// needed annotations for the wanted image on the data as it is. It refuses what the command does not allow.
func (o *options) needed(v *live.View) (need, error) {
	record := ledger.FromStatus(v.Chroma.Status)
	if record == nil {
		return need{because: "nothing has run on its data yet"}, nil
	}
	verdict, wanted, err := o.judge(v, record)
	if err != nil {
		return need{}, err
	}
	if verdict.Allowed {
		return need{because: wanted + " may run on its data as it is"}, nil
	}
	annotations := map[string]any{}
	for _, needed := range verdict.Needed {
		if !slices.Contains(o.permission.keys, needed.Key) {
			return need{}, exit.Errorf(exit.Refused, "%s is refused for %s, which this command does not allow. %s Type: %s", wanted, verdict.Reason, change.Risk(verdict.Message), o.instead(v, verdict))
		}
		annotations[needed.Key] = needed.Value
	}
	if len(annotations) == 0 {
		return need{}, exit.Errorf(exit.Refused, "%s is refused, and no annotation allows it: %s", wanted, verdict.Message)
	}
	told := change.Risk(verdict.Message)
	if !strings.Contains(told, verdict.Explanation) {
		told += " " + verdict.Explanation
	}
	return need{wanted: wanted, risk: told, annotations: annotations}, nil
}

// instead of this command the one that says what the verdict takes.
func (o *options) instead(v *live.View, verdict compatibility.Verdict) string {
	name := change.Arguments(v.Object)
	for _, other := range permissions() {
		if !slices.ContainsFunc(verdict.Needed, func(a compatibility.Annotation) bool { return !slices.Contains(other.keys, a.Key) }) {
			command := "kubectl chroma allow " + other.name + " " + name
			if o.image != "" {
				command += " --image " + o.image
			}
			return command
		}
	}
	return "kubectl chroma incident show " + name
}

// tell a person something, in lines.
func (o *options) tell(text string) {
	_, _ = fmt.Fprintln(o.Streams.ErrOut, strings.Join(terminal.Wrap(text, terminal.DefaultWidth), "\n"))
}

// version of a distributed Chroma, whose Postgres a later one has migrated: the function says so in a condition.
func (o *options) version(ctx context.Context, client *cluster.Client, v *live.View, now func() time.Time) error {
	blocked := live.ConditionOf(v.XR, string(reason.UpgradeBlocked))
	older := blocked.Reason == string(reason.Downgrade) || blocked.Reason == string(reason.PostgresNewer)
	switch {
	case v.XR == nil:
		return exit.Errorf(exit.Error, "%s/%s has no composite that could be read: what holds its version back is not known", v.Namespace(), v.Name())
	case o.image != "" || !slices.Equal(o.permission.keys, []string{chroma.AnnotationAllowDowngrade}):
		return exit.Errorf(exit.Usage, "%[1]s/%[2]s is distributed: it has a version, and only its downgrade can be allowed. Type: kubectl chroma allow downgrade -n %[1]s %[2]s", v.Namespace(), v.Name())
	case !older && blocked.Status == string(metav1.ConditionTrue):
		return exit.Errorf(exit.Refused, "%s/%s is held back for %s, which this command does not allow: %s", v.Namespace(), v.Name(), blocked.Reason, blocked.Message)
	case !older:
		return o.unneeded(v, "no older version is held back")
	}
	o.tell(change.Risk(blocked.Message) + " Chroma takes no migration back, and nobody has tried whether an older version works on the migrated database.")
	question := fmt.Sprintf("Allow the older version on the database of %s/%s?", v.Namespace(), v.Name())
	v, err := o.Confirmed(ctx, client, v, now, question, func(v *live.View) error {
		if now := live.ConditionOf(v.XR, string(reason.UpgradeBlocked)); now != blocked {
			return exit.Errorf(exit.Refused, "another version is asked for than a moment ago, so nothing was changed: look again")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := o.Annotate(ctx, client, change.Of(v.Object), map[string]any{chroma.AnnotationAllowDowngrade: chroma.AnnotationTrue}); err != nil {
		return err
	}
	o.Next("status " + change.Arguments(v.Object) + " -w")
	return nil
}

// unneeded is told when the change is allowed as things are.
func (o *options) unneeded(v *live.View, because string) error {
	_, err := fmt.Fprintf(o.Streams.Out, "%s/%s: %s, so nothing needs to be allowed.\n", v.Namespace(), v.Name(), because)
	return err
}

func (o *options) judge(v *live.View, record *ledger.Record) (compatibility.Verdict, string, error) {
	wanted := o.image
	if wanted == "" {
		wanted = v.Chroma.Spec.Image
	}
	if wanted == "" {
		wanted = v.Chroma.Status.DefaultImage
	}
	var input map[string]any
	if v.Machinery.Step != nil {
		input = v.Machinery.Step.Input
	}
	with, err := settings.Parse(input, settings.Environment{})
	if err != nil {
		return compatibility.Verdict{}, "", err
	}
	release, refusal := image.Resolve(wanted, v.Chroma.Spec.Product, with.Images.Allowed)
	if refusal != nil {
		return compatibility.Verdict{}, "", exit.Errorf(exit.Refused, "%s", refusal.Message)
	}
	return compatibility.Judge(compatibility.Question{
		Data: record.Data(), Wanted: release.Version, Overrides: compatibility.OverridesOf(v.Object.GetAnnotations()),
	}), release.Version.Title(), nil
}
