// Package remove is kubectl chroma delete: a Chroma, and its data or not.
package remove

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/target"
)

type options struct {
	change.Options
	factory factory.Factory

	keep, lose bool
	wait       bool
	timeout    time.Duration
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &options{factory: f, Options: change.Options{Streams: f.Streams}}
	command := &cobra.Command{
		Use:   "delete NAME --keep-data|--delete-data",
		Short: "Delete a Chroma, and say what becomes of its data",
		Long: `Delete a Chroma. The policy for its claim is set first and the deletion waits until it is in effect, so that what is said
here is what happens. With --wait the end is seen too: that the claim stayed, or went. What ends before the deletion,
also by an interrupt, says how to take the policy back. A claim that cannot be read ends it before anything is changed.

The data of a distributed Chroma is in its Postgres and its bucket, and stays. With --wait the Objects of
provider-kubernetes that hold its MemberLists are waited for too: a namespace that is deleted before they are gone stays
Terminating.

Whether the volume behind a claim that goes is deleted too is up to the reclaim policy of its StorageClass.

` + exit.Help,
		Example: `  kubectl chroma delete demo --keep-data
  kubectl chroma delete demo --delete-data --wait --yes`,
		Args: factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			if err := o.release(args[0]); err != nil {
				return err
			}
			if o.keep == o.lose {
				return exit.Errorf(exit.Usage, "say what becomes of the data: --keep-data or --delete-data")
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(command.Context(), args[0])
		},
	}
	flags := command.Flags()
	flags.BoolVar(&o.keep, "keep-data", false, "the claim stays")
	flags.BoolVar(&o.lose, "delete-data", false, "the claim goes too")
	flags.BoolVar(&o.wait, "wait", false, "wait until the Chroma is gone, and look what became of the claim; for a distributed one also until the Objects of its MemberLists are gone")
	flags.DurationVar(&o.timeout, "timeout", 2*time.Minute, "how long to wait for the policy to be in effect, and with --wait for each part of the end; 0 waits for ever")
	o.AddFlags(flags)
	return command
}

// release refuses what is no Chroma before anything else is asked for, and says how a ValdOperatorRelease is deleted.
func (o *options) release(argument string) error {
	of, err := target.Parse(argument)
	if err != nil || of.Kind != cluster.ValdOperatorRelease() {
		return err
	}
	namespace, err := o.factory.Namespace()
	if err != nil {
		return err
	}
	return exit.Errorf(exit.Usage, "%[1]q is a ValdOperatorRelease, and this command is for Chroma. Type: kubectl delete valdoperatorrelease -n %[2]s %[3]s\n"+
		"Its ValdReleases are deleted with it, those in other clusters too. To keep them: kubectl delete valdoperatorrelease -n %[2]s %[3]s --cascade=orphan",
		argument, namespace, of.Name)
}

func (o *options) run(ctx context.Context, argument string) error {
	client, view, err := live.Chroma(ctx, o.factory, argument)
	if err != nil {
		return err
	}
	if !view.SingleNode() {
		return o.distributed(ctx, client, view)
	}
	namespace, name := view.Namespace(), view.Name()
	policy, question := chroma.PVCRetain, fmt.Sprintf("Delete %s/%s, and keep its claim %s?", namespace, name, chroma.ClaimName(name))
	if o.lose {
		policy, question = chroma.PVCDelete, fmt.Sprintf("Delete %s/%s AND ALL ITS DATA (claim %s)?", namespace, name, chroma.ClaimName(name))
	}
	if view, err = o.Confirmed(ctx, client, view, o.factory.Now, question, known); err != nil {
		return err
	}
	return o.under(ctx, client, view, policy)
}

// known refuses to delete a Chroma whose claim cannot be read: it could go, or stay, against what was said.
func known(v *live.View) error {
	if v.ClaimError == nil {
		return nil
	}
	return fmt.Errorf("it is not known what would become of the data, so nothing was changed: %w", v.ClaimError)
}

// under a policy the Chroma is deleted. Whatever ends that early leaves the policy behind, and says so.
func (o *options) under(ctx context.Context, client *cluster.Client, v *live.View, policy chroma.PVCDeletionPolicy) error {
	before := v.Chroma.Spec.PVCDeletionPolicy
	if before == "" {
		before = chroma.PVCRetain
	}
	if before != policy {
		err := o.Merge(ctx, client, change.Of(v.Object), policyPatch(policy))
		if err != nil && o.DryRun == change.None && change.Passes(err) {
			return leftBehind(err, v, "may be", before, policy)
		}
		if err != nil {
			return err
		}
	}
	// Without a claim there is none that could go, or stay, under the wrong policy.
	if o.DryRun == change.None && v.Claim != nil {
		if err := o.inEffect(ctx, client, v, policy); err != nil {
			return leftBehind(err, v, "is", before, policy)
		}
	}
	if err := o.Delete(ctx, client, v.Object); err != nil {
		if o.DryRun != change.None {
			return err
		}
		return leftBehind(err, v, "is", before, policy)
	}
	return o.end(ctx, client, v, policy)
}

func policyPatch(policy chroma.PVCDeletionPolicy) map[string]any {
	return map[string]any{"spec": map[string]any{"pvcDeletionPolicy": string(policy)}}
}

// leftBehind says how to take back a policy that this command has set before it failed.
func leftBehind(err error, v *live.View, is string, before, policy chroma.PVCDeletionPolicy) error {
	if before == policy {
		return err
	}
	meaning := map[chroma.PVCDeletionPolicy]string{chroma.PVCRetain: "keeps", chroma.PVCDelete: "takes"}[policy]
	return fmt.Errorf("%w\nspec.pvcDeletionPolicy %s %s now, and whoever deletes %s/%s %s its data. Take it back: kubectl patch %s -n %s %s --type merge -p '{\"spec\":{\"pvcDeletionPolicy\":\"%s\"}}'",
		err, is, policy, v.Namespace(), v.Name(), meaning, resource, v.Namespace(), v.Name(), before)
}

// resource as kubectl names it.
const resource = "chroma." + chroma.Group

// inEffect waits until the policy is: until then the other one would count. The status says Delete a pass before the claim
// has its owner, so that the admission policy never lets one through too early; then the claim itself is looked at.
func (o *options) inEffect(ctx context.Context, client *cluster.Client, v *live.View, policy chroma.PVCDeletionPolicy) error {
	err := o.Wait(ctx, o.timeout, fmt.Sprintf("the policy %s is in effect", policy), func(ctx context.Context) (bool, error) {
		for _, part := range parts(v) {
			object, err := client.Get(ctx, part.GroupVersionKind(), part.GetNamespace(), part.GetName())
			if err != nil || !follows(object, policy) {
				return false, err
			}
		}
		claim, err := client.Find(ctx, cluster.PersistentVolumeClaim(), v.Namespace(), chroma.ClaimName(v.Name()))
		if err != nil || claim == nil {
			return err == nil, err
		}
		return slices.ContainsFunc(claim.GetOwnerReferences(), v.Owns) == (policy == chroma.PVCDelete), nil
	})
	switch {
	case apierrors.IsNotFound(err):
		return exit.Errorf(exit.Error, "somebody else has deleted it in the meantime: %w", err)
	case err != nil:
		return fmt.Errorf("%s/%s was not deleted: %w", v.Namespace(), v.Name(), err)
	}
	return nil
}

// parts of what is deleted: the object, and the composite behind a claim.
func parts(v *live.View) []*unstructured.Unstructured {
	out := []*unstructured.Unstructured{v.Object}
	if v.XR != nil && v.XR != v.Object {
		out = append(out, v.XR)
	}
	return out
}

// follows tells whether the policy has arrived in the spec and is in effect, by a status that is about that spec. The
// status of a claim is a copy of the composite's, whose generations are others.
func follows(object *unstructured.Unstructured, policy chroma.PVCDeletionPolicy) bool {
	wanted := live.Text(object, "spec", "pvcDeletionPolicy")
	if wanted == "" {
		wanted = string(chroma.PVCRetain)
	}
	if wanted != string(policy) || live.Text(object, "status", "pvcDeletionPolicy") != string(policy) {
		return false
	}
	observed, _, _ := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	return live.IsClaim(object) || observed >= object.GetGeneration()
}

// end of a Chroma that is being deleted, for those who wait for it.
func (o *options) end(ctx context.Context, client *cluster.Client, v *live.View, policy chroma.PVCDeletionPolicy) error {
	if o.DryRun != change.None {
		return nil
	}
	if !o.wait {
		return o.becomes(v, policy)
	}
	for _, part := range parts(v) {
		if err := o.Wait(ctx, o.timeout, "it is gone", func(ctx context.Context) (bool, error) {
			object, err := client.Find(ctx, part.GroupVersionKind(), part.GetNamespace(), part.GetName())
			return err == nil && (object == nil || object.GetUID() != part.GetUID()), err
		}); err != nil {
			return err
		}
	}
	switch {
	case !v.SingleNode():
		return o.lists(ctx, client, v)
	case v.Claim == nil:
		return nil
	}
	return o.claim(ctx, client, v, policy)
}

// becomes says what is to become of the data, for those who do not wait for it.
func (o *options) becomes(v *live.View, policy chroma.PVCDeletionPolicy) error {
	text := stays
	switch name := chroma.ClaimName(v.Name()); {
	case policy != "" && v.Claim == nil:
		text = fmt.Sprintf("It has no claim %s at the moment.", name)
	case policy == chroma.PVCDelete:
		text = fmt.Sprintf("Its claim %s goes with it.", name)
	case policy == chroma.PVCRetain:
		text = fmt.Sprintf("Its claim %s stays. A Chroma %s that is created again uses it.", name, v.Name())
	}
	_, err := fmt.Fprintln(o.Streams.Out, text)
	return err
}

// claim looks what became of it.
func (o *options) claim(ctx context.Context, client *cluster.Client, v *live.View, policy chroma.PVCDeletionPolicy) error {
	name, going := chroma.ClaimName(v.Name()), false
	find := func(ctx context.Context) (bool, error) {
		claim, err := client.Find(ctx, cluster.PersistentVolumeClaim(), v.Namespace(), name)
		if err != nil {
			return false, err
		}
		there := claim != nil && claim.GetUID() == v.Claim.GetUID()
		going = there && claim.GetDeletionTimestamp() != nil
		return there, nil
	}
	if policy == chroma.PVCRetain {
		there, err := find(ctx)
		switch {
		case err != nil:
			return err
		case going:
			return exit.Errorf(exit.Unhealthy, "the claim %s is being deleted, although it should have stayed", name)
		case !there:
			return exit.Errorf(exit.Unhealthy, "the claim %s is gone, although it should have stayed", name)
		}
		_, err = fmt.Fprintf(o.Streams.Out, "The claim %s stayed. A Chroma %s that is created again uses it.\n", name, v.Name())
		return err
	}
	err := o.Wait(ctx, o.timeout, "the claim "+name+" is gone", func(ctx context.Context) (bool, error) {
		there, err := find(ctx)
		return err == nil && !there, err
	})
	if err != nil && going {
		return fmt.Errorf("%w: it is being deleted, and something still holds it, a Pod for example", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.Streams.Out, "The claim %s went too.\n", name)
	return err
}
