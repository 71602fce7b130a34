// Package restart is kubectl chroma restart.
package restart

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/component"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/status"
)

type options struct {
	change.Options
	factory   factory.Factory
	component string
	wait      bool
	timeout   time.Duration
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &options{factory: f, Options: change.Options{Streams: f.Streams}}
	command := &cobra.Command{
		Use:   "restart NAME",
		Short: "Restart the server, or a component",
		Long: `Restart the server: its Pod is deleted with its grace period, and the function creates it again. There is no server
meanwhile. When the function would not create it again, because of an open incident for example, nothing is deleted.
A component of a distributed Chroma is rolled, as by kubectl rollout restart. Its name is that of the spec or of its
workload: queryService, or query-service.

` + exit.Help + `

It exits with 3 when the server would not come back.`,
		Example: `  kubectl chroma restart demo --wait
  kubectl chroma restart demo --component queryService`,
		Args: factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(command.Context(), args[0])
		},
	}
	flags := command.Flags()
	flags.StringVar(&o.component, "component", "", "the component of a distributed Chroma, like queryService")
	flags.BoolVar(&o.wait, "wait", false, "follow until the server serves again")
	flags.DurationVar(&o.timeout, "timeout", 0, "with --wait: how long, like 10m; 0 waits for ever")
	o.AddFlags(flags)
	component.Complete(command, component.All)
	return command
}

func (o *options) run(ctx context.Context, argument string) error {
	client, view, err := live.Chroma(ctx, o.factory, argument)
	if err != nil {
		return err
	}
	o.Note(view.Notes)
	left := o.timeout
	if view.SingleNode() {
		err = o.server(ctx, client, view)
	} else {
		left, err = o.roll(ctx, client, view)
	}
	if err != nil || o.DryRun != change.None {
		return err
	}
	if !o.wait {
		o.Next("status " + change.Arguments(view.Object) + " -w")
		return nil
	}
	return status.Follow(ctx, o.factory, client, view.Object, left)
}

func (o *options) server(ctx context.Context, client *cluster.Client, v *live.View) error {
	if o.component != "" {
		return exit.Errorf(exit.Usage, "%s/%s has one server and no components", v.Namespace(), v.Name())
	}
	pod, question := v.Pod, fmt.Sprintf("Restart the server of %s/%s? There is none meanwhile.", v.Namespace(), v.Name())
	_, err := o.Confirmed(ctx, client, v, o.factory.Now, question, func(v *live.View) error {
		if err := comesBack(ctx, client, v); err != nil {
			return err
		}
		if v.Pod.GetUID() != pod.GetUID() {
			return exit.Errorf(exit.Refused, "the Pod %s was replaced in the meantime: nothing was deleted", pod.GetName())
		}
		return nil
	})
	if err != nil {
		return err
	}
	return o.Delete(ctx, client, pod)
}

// comesBack refuses to delete a Pod whose server would not come back, or whose data would go with it.
func comesBack(ctx context.Context, client *cluster.Client, v *live.View) error {
	switch {
	case v.PodError != nil:
		return fmt.Errorf("it is not known whether there is a server, so nothing was deleted: %w", v.PodError)
	case v.Pod == nil:
		return exit.Errorf(exit.Unhealthy, "%s/%s has no Pod at the moment: see kubectl chroma status -n %s %s", v.Namespace(), v.Name(), v.Namespace(), v.Name())
	case v.ClaimError != nil:
		return fmt.Errorf("it is not known whether the data would stay, so nothing was deleted: %w", v.ClaimError)
	case v.Claim != nil && v.Claim.GetDeletionTimestamp() != nil:
		return exit.Errorf(exit.Refused, "the claim %s is being deleted, and only the running Pod holds it: the data would be gone with the Pod, so nothing was deleted. How to copy it out: kubectl chroma status %s", v.Claim.GetName(), change.Arguments(v.Object))
	}
	if err := classed(ctx, client, v); err != nil {
		return err
	}
	// Whether it comes back is for the function to say.
	answer, err := v.WithoutPod().Ask(ctx, client, nil)
	if err != nil {
		return err
	}
	if !slices.Contains(answer.Desired, chroma.RolePod) {
		server := answer.Condition(string(reason.ServerReady))
		return exit.Errorf(exit.Refused, "the function would not start the server again (%s), so nothing was deleted. %s Next step: kubectl chroma status %s", server.Reason, server.Message, change.Arguments(v.Object))
	}
	return nil
}

// classed refuses to delete a Pod whose next one the API would refuse: its PriorityClass can be gone. The function asks for
// the class where it stops a server itself, and starts one without.
func classed(ctx context.Context, client *cluster.Client, v *live.View) error {
	name := v.Chroma.Spec.PriorityClassName
	if name == "" {
		return nil
	}
	class, err := client.Find(ctx, cluster.PriorityClass(), "", name)
	switch {
	case err != nil:
		return fmt.Errorf("it is not known whether the server would come back, so nothing was deleted: %w", err)
	case class == nil:
		return exit.Errorf(exit.Refused, "there is no PriorityClass %s, and the API would refuse the next Pod, so nothing was deleted. Create the class, or mend spec.priorityClassName", name)
	}
	return nil
}
