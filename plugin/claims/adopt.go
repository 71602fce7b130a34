package claims

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
)

type adoptOptions struct {
	change.Options
	as string
}

// NewAdopt command.
func NewAdopt(f factory.Factory) *cobra.Command {
	o := &adoptOptions{Options: change.Options{Streams: f.Streams}}
	command := &cobra.Command{
		Use:   "adopt CLAIM --as NAME",
		Short: "Give a claim to a Chroma that is yet to be created",
		Long: `Label a claim so that a new Chroma uses its data. A Chroma NAME uses the claim NAME-1 and no other: for a claim of
another name it says how to clone it into that one. A claim that a Chroma, an Object or any Pod uses is refused, since
two servers on one volume damage its index; so is one that has an owner, with which it would go.

Here --as is the name of the Chroma. To impersonate a user, as --as does elsewhere, say --impersonate.

` + exit.Help + `

It exits with 3 when the claim is in use, or has another name.`,
		Example: `  kubectl chroma adopt demo-1 --as demo`,
		Args:    factory.Arguments(1, 1, "a claim"),
		RunE: func(command *cobra.Command, args []string) error {
			if o.as == "" {
				return exit.Errorf(exit.Usage, "say which Chroma with --as")
			}
			if problems := validation.IsDNS1123Label(o.as); len(problems) > 0 {
				return exit.Errorf(exit.Usage, "%q cannot be the name of a Chroma: %s", o.as, strings.Join(problems, ", "))
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(command.Context(), f, args[0])
		},
	}
	command.Flags().StringVar(&o.as, "as", "", "the name of the Chroma")
	command.Flags().StringVar(f.Connection.Impersonate, "impersonate", "", "the user to impersonate, like --as of the other commands")
	o.AddFlags(command.Flags())
	return command
}

func (o *adoptOptions) run(ctx context.Context, f factory.Factory, name string) error {
	client, namespace, err := f.Both()
	if err != nil {
		return err
	}
	object, err := client.Get(ctx, cluster.PersistentVolumeClaim(), namespace, name)
	if err != nil {
		return err
	}
	users, err := usersIn(ctx, client, namespace)
	if err != nil {
		return err
	}
	o.Note(users.notes)
	used, wanted := users.of(namespace, name), chroma.ClaimName(o.as)
	switch {
	case object.GetDeletionTimestamp() != nil:
		return exit.Errorf(exit.Refused, "the claim %s is being deleted", name)
	case len(used) > 0:
		return exit.Errorf(exit.Refused, "the claim %s is used by %s: two servers on one volume damage its index", name, strings.Join(used, ", "))
	case name != wanted:
		return o.other(object, users.of(namespace, wanted), wanted)
	case len(object.GetOwnerReferences()) > 0:
		owner := object.GetOwnerReferences()[0]
		return exit.Errorf(exit.Refused, "the claim %s is owned by %s %s and goes with it: take metadata.ownerReferences away first", name, owner.Kind, owner.Name)
	}
	if err := o.Ask(fmt.Sprintf("Give the claim %s to a Chroma %s/%s that is yet to be created?", name, namespace, o.as)); err != nil {
		return err
	}
	if err := o.Merge(ctx, client, change.Of(object), map[string]any{"metadata": map[string]any{"labels": map[string]any{
		chroma.LabelChroma: o.as, chroma.LabelManagedBy: chroma.ManagedByOperator,
	}}}); err != nil {
		return err
	}
	uses := "uses"
	if o.DryRun != change.None {
		uses = "would use"
	}
	_, err = fmt.Fprintf(o.Streams.ErrOut, "A Chroma %s/%s that is created now %s it.\n", namespace, o.as, uses)
	return err
}

// other claims than the one that the Chroma uses can be cloned into that.
func (o *adoptOptions) other(object *unstructured.Unstructured, used []string, wanted string) error {
	name := object.GetName()
	if len(used) > 0 {
		return exit.Errorf(exit.Refused, "the claim %s that a Chroma %s uses is used by %s already: choose another name", wanted, o.as, strings.Join(used, ", "))
	}
	claim, err := describe(object)
	if err != nil {
		return err
	}
	o.howToClone(claim, object, wanted)
	clone := fmt.Sprintf("a Chroma %s uses the claim %s and no other: clone %s as shown", o.as, wanted, name)
	if before, found := strings.CutSuffix(name, "-1"); found {
		clone += ", or create a Chroma " + before
	}
	return exit.Errorf(exit.Refused, "%s", clone)
}

// howToClone prints a claim that has the data of another one, and its record.
func (o *adoptOptions) howToClone(claim v1.RetainedClaim, object *unstructured.Unstructured, wanted string) {
	class := ""
	if name := live.Text(object, "spec", "storageClassName"); name != "" {
		class = "\n  storageClassName: " + name
	}
	opened := "nothing is known to have run"
	if claim.Version != "" {
		opened = compatibility.Title(chroma.Product(claim.Product)) + " " + claim.Version + " has run"
	}
	_, _ = fmt.Fprintf(o.Streams.Out, `# A clone needs a CSI driver that can clone volumes. Its record of what has run on it is not copied: the first
# Chroma on it asks for the version (%s; it was of Chroma %s).
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: %s
  namespace: %s
  labels:
    %s: %s
    %s: %s
spec:
  accessModes: [ReadWriteOnce]%s
  dataSource:
    kind: PersistentVolumeClaim
    name: %s
  resources:
    requests:
      storage: %s
`, opened, object.GetLabels()[chroma.LabelChroma], wanted, claim.Namespace, chroma.LabelChroma, o.as, chroma.LabelManagedBy, chroma.ManagedByOperator,
		class, claim.Name, claim.Size)
}
