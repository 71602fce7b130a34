package restart

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/component"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// annotationRestarted is what kubectl rollout restart sets.
const annotationRestarted = "kubectl.kubernetes.io/restartedAt"

// roll the workload of a component.
func (o *options) roll(ctx context.Context, client *cluster.Client, v *live.View) error {
	if o.component == "" {
		return exit.Errorf(exit.Usage, "say which component with --component")
	}
	of, err := component.Find(component.All(), o.component)
	if err != nil {
		return err
	}
	kind := appsv1.SchemeGroupVersion.WithKind(string(of.Kind))
	object, err := client.Find(ctx, kind, v.Namespace(), of.Workload)
	switch {
	case err != nil:
		return err
	case object == nil:
		return exit.Errorf(exit.Unhealthy, "%s/%s has no %s %s at the moment", v.Namespace(), v.Name(), of.Kind, of.Workload)
	case object.GetLabels()[chroma.LabelChroma] != v.Name():
		return exit.Errorf(exit.Refused, "the %s %s is not one of %s/%s: nothing was changed", of.Kind, of.Workload, v.Namespace(), v.Name())
	}
	if err := o.Confirm(fmt.Sprintf("Restart the Pods of %s %s?", of.Kind, of.Workload)); err != nil {
		return err
	}
	if err := o.Merge(ctx, client, change.Of(object), map[string]any{"spec": map[string]any{"template": map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{annotationRestarted: o.factory.Now().UTC().Format(time.RFC3339)}},
	}}}); err != nil || !o.wait || o.DryRun != change.None {
		return err
	}
	return o.Wait(ctx, o.timeout, fmt.Sprintf("the Pods of %s %s are new and ready", of.Kind, of.Workload), func(ctx context.Context) (bool, error) {
		return rolled(ctx, client, kind, v.Namespace(), of.Workload)
	})
}

// rolled tells whether all Pods of a workload have its template as it is now, and are ready.
func rolled(ctx context.Context, client *cluster.Client, kind schema.GroupVersionKind, namespace, name string) (bool, error) {
	object, err := client.Get(ctx, kind, namespace, name)
	if err != nil {
		return false, err
	}
	number := func(path ...string) int64 {
		value, _, _ := unstructured.NestedInt64(object.Object, path...)
		return value
	}
	wanted, found, _ := unstructured.NestedInt64(object.Object, "spec", "replicas")
	if !found {
		wanted = 1
	}
	return number("status", "observedGeneration") >= object.GetGeneration() &&
		number("status", "updatedReplicas") == wanted && number("status", "replicas") == wanted && number("status", "readyReplicas") == wanted &&
		live.Text(object, "status", "currentRevision") == live.Text(object, "status", "updateRevision"), nil
}
