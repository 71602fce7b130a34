package upgrade

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/settings"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/simulation"
	"github.com/function-chroma/function-chroma/plugin/terminal"
	"github.com/function-chroma/function-chroma/plugin/trace"
)

// planOptions of upgrade plan.
type planOptions struct {
	factory factory.Factory
	image   string
	output  string
}

func newPlan(f factory.Factory) *cobra.Command {
	o := &planOptions{factory: f}
	command := &cobra.Command{
		Use:   "plan NAME --image IMAGE",
		Short: "Play an upgrade in a simulated cluster, pass by pass",
		Long: `Copy the objects of a Chroma, as they are, into a simulated cluster, change the image there, and show every pass of the
function: what is written, what is stopped and started, and for how long there is no server. Nothing is changed in the
real cluster. Times are those of an idle cluster that has the image already; a real server also takes what the
migration of its data takes.

` + exit.Help + `

It exits with 3 when the function refuses the image, and with 4 when the server does not come back.`,
		Example: `  kubectl chroma upgrade plan demo --image docker.io/chromadb/chroma:1.5.9`,
		Args:    factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			if o.image == "" {
				return exit.Errorf(exit.Usage, "say which image with --image")
			}
			if err := factory.Document(o.output); err != nil {
				return err
			}
			return o.run(command.Context(), args[0])
		},
	}
	command.Flags().StringVar(&o.image, "image", "", "the image to run")
	command.Flags().StringVarP(&o.output, "output", "o", "", "json or yaml")
	return command
}

func (o *planOptions) run(ctx context.Context, argument string) error {
	palette, err := o.factory.Palette()
	if err != nil {
		return err
	}
	client, view, err := live.Chroma(ctx, o.factory, argument)
	if err != nil {
		return err
	}
	if view.XR == nil || !view.SingleNode() {
		return exit.Errorf(exit.Usage, "cannot plan for %s: only a single-node Chroma that Crossplane composes can be played", view.Name())
	}
	run, err := stage(ctx, client, view, o.factory.Now())
	if err != nil {
		return fmt.Errorf("cannot play the upgrade: %w", err)
	}
	start := run.Now()
	kind, space, of := view.Object.GroupVersionKind(), view.Namespace(), view.Name()
	if err := run.Edit(kind, space, of, cluster.Manager, func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, o.image, "spec", "image")
	}); err != nil {
		return fmt.Errorf("cannot play the upgrade: %w", err)
	}
	if err := run.Run(); err != nil {
		return err
	}
	plan := o.sum(run, view, start)
	if o.output != "" {
		err = terminal.Document(o.factory.Streams.Out, o.output, plan)
	} else {
		trace.Tracer{Out: o.factory.Streams.Out, Palette: palette, Start: start}.Print(run.Steps)
		err = o.print(plan)
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot print the plan: %w", err)
	case plan.Refused != "":
		return exit.Errorf(exit.Refused, "the function refuses it: %s", plan.Refused)
	case plan.Replaced && plan.Up == nil:
		return exit.Errorf(exit.Unhealthy, "the server goes %.1fs after the change and does not come back", *plan.Down)
	}
	return nil
}

// stage the objects as they are in a simulated cluster, and let it come to rest.
func stage(ctx context.Context, client *cluster.Client, v *live.View, now time.Time) (*simulation.Simulation, error) {
	claims := v.XR != v.Object
	inputs := map[schema.GroupVersionKind]map[string]any{v.XR.GroupVersionKind(): inputOf(v)}
	run, err := simulation.New(simulation.Setting{Claims: claims, Inputs: inputs, Start: now.UTC()})
	if err != nil {
		return nil, err
	}
	with, err := settings.Parse(inputOf(v), settings.Environment{})
	if err != nil {
		return nil, err
	}
	furniture := append(found(ctx, client, simulation.Furniture(v.Object)), simulation.ProviderConfig(v.Namespace(), with.Claims.ProviderConfig))
	if err := run.Place(furniture...); err != nil {
		return nil, err
	}
	objects := []*unstructured.Unstructured{v.Object}
	if claims {
		objects = append(objects, v.XR)
	}
	for _, role := range slices.Sorted(maps.Keys(v.Observed)) {
		objects = append(objects, v.Observed[role])
	}
	if v.Claim != nil {
		objects = append(objects, v.Claim)
	}
	if v.Pod != nil && v.Observed[chroma.RolePod] == nil {
		objects = append(objects, v.Pod)
	}
	if node := live.Text(v.Pod, "spec", "nodeName"); node != "" {
		if err := run.Place(simulation.Node(node)); err != nil {
			return nil, err
		}
	}
	if err := run.Place(objects...); err != nil {
		return nil, err
	}
	if err := run.Run(); err != nil {
		return nil, err
	}
	run.Steps = nil
	return run, nil
}

// found are the classes as they are in the cluster. One that is not there is not taken for granted; one that cannot be read is.
func found(ctx context.Context, client *cluster.Client, furniture []*unstructured.Unstructured) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, object := range furniture {
		if kind := object.GroupVersionKind(); kind == cluster.StorageClass() || kind == cluster.PriorityClass() {
			class, err := client.Find(ctx, kind, "", object.GetName())
			switch {
			case err == nil && class == nil:
				continue
			case err == nil:
				object = class
			}
		}
		out = append(out, object)
	}
	return out
}

// sum up what came of it.
func (o *planOptions) sum(run *simulation.Simulation, v *live.View, start time.Time) v1.UpgradePlan {
	out := v1.UpgradePlan{
		Header: v1.HeaderOf(v1.KindUpgradePlan), Namespace: v.Namespace(), Name: v.Name(), To: o.image,
		Steps: trace.Of(run.Steps, start), Notes: v.Notes,
	}
	last := run.Get(v.XR.GroupVersionKind(), v.XR.GetNamespace(), v.XR.GetName())
	if blocked := live.ConditionOf(last, string(reason.UpgradeBlocked)); blocked.Status == "True" {
		out.Refused = blocked.Reason
	}
	down, up := outage(run.Steps)
	out.Replaced = !down.IsZero()
	if out.Replaced {
		at := trace.Seconds(down, start)
		out.Down = &at
	}
	if !up.IsZero() {
		at := trace.Seconds(up, start)
		out.Up = &at
	}
	return out
}

// print what came of it below the steps.
func (o *planOptions) print(plan v1.UpgradePlan) error {
	for _, note := range plan.Notes {
		if _, err := fmt.Fprintln(o.factory.Streams.ErrOut, "note: "+note); err != nil {
			return err
		}
	}
	text := ""
	switch {
	case plan.Refused != "":
	case !plan.Replaced:
		text = "\nThe server is not replaced.\n"
	case plan.Up != nil:
		text = fmt.Sprintf("\nThere is no server for %.1fs in an idle cluster, plus what pulling the image and migrating the data take.\n", *plan.Up-*plan.Down)
	}
	_, err := fmt.Fprint(o.factory.Streams.Out, text)
	return err
}

// outage from the deletion of the Pod to the first readiness of the next.
func outage(steps []simulation.Step) (down, up time.Time) {
	for _, step := range steps {
		if step.Pass != nil {
			for _, write := range step.Pass.Writes {
				if write.Role == chroma.RolePod && write.Verb == "delete" && down.IsZero() {
					down = step.At
				}
			}
			continue
		}
		pod := step.Change.After
		if down.IsZero() || step.Change.Key.GVK != cluster.Pod() || pod == nil || pod.GetDeletionTimestamp() != nil {
			continue
		}
		if live.ConditionOf(pod, "Ready").Status == "True" {
			return down, step.At
		}
	}
	return down, up
}
