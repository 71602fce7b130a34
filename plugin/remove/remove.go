// Package remove is kubectl chroma delete: a Chroma, and its data or not.
package remove

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// interval between two looks.
const interval = time.Second

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
here is what happens. With --wait the end is seen too: that the claim stayed, or went.

Whether the volume behind a claim that goes is deleted too is up to the reclaim policy of its StorageClass.

` + exit.Help,
		Example: `  kubectl chroma delete demo --keep-data
  kubectl chroma delete demo --delete-data --wait --yes`,
		Args: factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
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
	flags.BoolVar(&o.wait, "wait", false, "wait until the Chroma is gone, and look what became of the claim")
	flags.DurationVar(&o.timeout, "timeout", 2*time.Minute, "how long to wait for the policy to be in effect, and with --wait for the end")
	o.AddFlags(flags)
	return command
}

func (o *options) run(ctx context.Context, argument string) error {
	client, view, err := live.Chroma(ctx, o.factory, argument)
	if err != nil {
		return err
	}
	namespace, name := view.Namespace(), view.Name()
	if !view.SingleNode() {
		if o.lose {
			return exit.Errorf(exit.Refused, "the data of a distributed Chroma is in its Postgres and bucket, which are never deleted: use --keep-data")
		}
		return o.end(ctx, client, view, "")
	}
	policy, question := chroma.PVCRetain, fmt.Sprintf("Delete %s/%s, and keep its claim %s?", namespace, name, chroma.ClaimName(name))
	if o.lose {
		policy, question = chroma.PVCDelete, fmt.Sprintf("Delete %s/%s AND ALL ITS DATA (claim %s)?", namespace, name, chroma.ClaimName(name))
	}
	if err := o.Confirm(question); err != nil {
		return err
	}
	if view.Chroma.Spec.PVCDeletionPolicy != policy {
		if err := o.Merge(ctx, client, change.Of(view.Object), map[string]any{"spec": map[string]any{"pvcDeletionPolicy": string(policy)}}); err != nil {
			return err
		}
	}
	if o.DryRun == change.None && view.Claim != nil {
		if err := o.inEffect(ctx, client, view, policy); err != nil {
			return err
		}
	}
	return o.end(ctx, client, view, policy)
}

// inEffect waits until the policy is: until then the other one would count. The status says Delete a pass before the claim
// has its owner, so that the admission policy never lets one through too early; then the claim itself is looked at.
func (o *options) inEffect(ctx context.Context, client *cluster.Client, v *live.View, policy chroma.PVCDeletionPolicy) error {
	return o.until(ctx, fmt.Sprintf("the policy %s is in effect", policy), func(ctx context.Context) (bool, error) {
		object, err := client.Get(ctx, cluster.Chroma(), v.Namespace(), v.Name())
		if err != nil || live.Text(object, "status", "pvcDeletionPolicy") != string(policy) {
			return false, err
		}
		claim, err := client.Find(ctx, cluster.PersistentVolumeClaim(), v.Namespace(), chroma.ClaimName(v.Name()))
		if err != nil || claim == nil || v.XR == nil {
			return err == nil, err
		}
		owned := slices.ContainsFunc(claim.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return owner.UID == v.XR.GetUID() })
		return owned == (policy == chroma.PVCDelete), nil
	})
}

func (o *options) end(ctx context.Context, client *cluster.Client, v *live.View, policy chroma.PVCDeletionPolicy) error {
	if err := o.Delete(ctx, client, v.Object); err != nil {
		return err
	}
	if !o.wait || o.DryRun != change.None {
		return nil
	}
	if err := o.until(ctx, "it is gone", func(ctx context.Context) (bool, error) {
		object, err := client.Find(ctx, v.Object.GroupVersionKind(), v.Namespace(), v.Name())
		return object == nil || object.GetUID() != v.Object.GetUID(), err
	}); err != nil {
		return err
	}
	if policy == "" || v.Claim == nil {
		return nil
	}
	return o.claim(ctx, client, v, policy)
}

// claim looks what became of it.
func (o *options) claim(ctx context.Context, client *cluster.Client, v *live.View, policy chroma.PVCDeletionPolicy) error {
	name := chroma.ClaimName(v.Name())
	find := func(ctx context.Context) (bool, error) {
		claim, err := client.Find(ctx, cluster.PersistentVolumeClaim(), v.Namespace(), name)
		return claim != nil && claim.GetUID() == v.Claim.GetUID() && claim.GetDeletionTimestamp() == nil, err
	}
	if policy == chroma.PVCRetain {
		there, err := find(ctx)
		if err != nil {
			return err
		}
		if !there {
			return exit.Errorf(exit.Unhealthy, "the claim %s is gone, although it should have stayed", name)
		}
		_, err = fmt.Fprintf(o.Streams.Out, "The claim %s stayed. A Chroma %s that is created again uses it.\n", name, v.Name())
		return err
	}
	if err := o.until(ctx, "the claim "+name+" is gone", func(ctx context.Context) (bool, error) {
		there, err := find(ctx)
		return !there, err
	}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(o.Streams.Out, "The claim %s went too.\n", name)
	return err
}

// until something is so, saying what is waited for and how long.
func (o *options) until(ctx context.Context, what string, holds func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	begun, said := time.Now(), time.Duration(0)
	for {
		ok, err := holds(ctx)
		if err != nil && ctx.Err() == nil && !apierrors.IsNotFound(err) && exit.CodeOf(err) != exit.TimedOut {
			return err
		}
		if ok {
			return nil
		}
		if waited := time.Since(begun).Round(time.Second); waited >= said+5*time.Second {
			said = waited
			_, _ = fmt.Fprintf(o.Streams.ErrOut, "waiting until %s, %s\n", what, waited)
		}
		select {
		case <-ctx.Done():
			return exit.Errorf(exit.TimedOut, "waited in vain until %s", what)
		case <-time.After(interval):
		}
	}
}
