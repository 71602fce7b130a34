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
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/simulation"
	"github.com/function-chroma/function-chroma/plugin/trace"
)

func newPlan(f factory.Factory) *cobra.Command {
	var image string
	command := &cobra.Command{
		Use:   "plan NAME --image IMAGE",
		Short: "Play an upgrade in a simulated cluster, pass by pass",
		Long: `Copy the objects of a Chroma, as they are, into a simulated cluster, change the image there, and show every pass of the
function: what is written, what is stopped and started, and for how long there is no server. Nothing is changed in the
real cluster. Times are those of an idle cluster that has the image already; a real server also takes what the
migration of its data takes.

` + exit.Help + `

It exits with 3 when the function refuses the image.`,
		Example: `  kubectl chroma upgrade plan demo --image docker.io/chromadb/chroma:1.5.9`,
		Args:    factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			if image == "" {
				return exit.Errorf(exit.Usage, "say which image with --image")
			}
			return plan(command.Context(), f, args[0], image)
		},
	}
	command.Flags().StringVar(&image, "image", "", "the image to run")
	return command
}

func plan(ctx context.Context, f factory.Factory, argument, image string) error {
	palette, err := f.Palette()
	if err != nil {
		return err
	}
	_, view, err := live.Chroma(ctx, f, argument)
	if err != nil {
		return err
	}
	if view.XR == nil || !view.SingleNode() {
		return exit.Errorf(exit.Usage, "cannot plan for %s: only a single-node Chroma that Crossplane composes can be played", view.Name())
	}
	run, err := stage(view, f.Now())
	if err != nil {
		return fmt.Errorf("cannot play the upgrade: %w", err)
	}
	start := run.Now()
	kind, space, of := view.Object.GroupVersionKind(), view.Namespace(), view.Name()
	if err := run.Edit(kind, space, of, cluster.Manager, func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, image, "spec", "image")
	}); err != nil {
		return fmt.Errorf("cannot play the upgrade: %w", err)
	}
	if err := run.Run(); err != nil {
		return err
	}
	trace.Tracer{Out: f.Streams.Out, Palette: palette, Start: start}.Print(run.Steps)
	for _, note := range view.Notes {
		_, _ = fmt.Fprintln(f.Streams.ErrOut, "not read: "+note)
	}
	return sum(f, run, view, start)
}

// stage the objects as they are in a simulated cluster, and let it come to rest.
func stage(v *live.View, now time.Time) (*simulation.Simulation, error) {
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
	furniture := append(simulation.Furniture(v.Object), simulation.ProviderConfig(v.Namespace(), with.Claims.ProviderConfig))
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

// sum up: what came of it, and how long there was no server.
func sum(f factory.Factory, run *simulation.Simulation, v *live.View, start time.Time) error {
	last := run.Get(v.XR.GroupVersionKind(), v.XR.GetNamespace(), v.XR.GetName())
	blocked := live.ConditionOf(last, "UpgradeBlocked")
	if blocked.Status == "True" {
		return exit.Errorf(exit.Refused, "the function refuses it: %s", blocked.Reason)
	}
	down, up := outage(run.Steps)
	switch {
	case down.IsZero():
		_, _ = fmt.Fprintln(f.Streams.Out, "\nThe server is not replaced.")
	case up.IsZero():
		return exit.Errorf(exit.Unhealthy, "the server goes %.1fs after the change and does not come back", down.Sub(start).Seconds())
	default:
		_, _ = fmt.Fprintf(f.Streams.Out, "\nThere is no server for %.1fs in an idle cluster, plus what pulling the image and migrating the data take.\n", up.Sub(down).Seconds())
	}
	return nil
}

// outage from the deletion of the Pod to the readiness of the next.
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
		if step.Change.Key.GVK == cluster.Pod() && step.Change.After != nil && live.ConditionOf(step.Change.After, "Ready").Status == "True" && !down.IsZero() {
			up = step.At
		}
	}
	return down, up
}
