package restart

import (
	"context"
	"fmt"
	"strings"
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

// roll the workload of a component, and wait for it where that is asked for. It returns what is left of the time.
func (o *options) roll(ctx context.Context, client *cluster.Client, v *live.View) (time.Duration, error) {
	object, err := o.workload(ctx, client, v)
	if err != nil {
		return 0, err
	}
	of := object.GetKind() + " " + object.GetName()
	if err := o.Confirm(fmt.Sprintf("Restart the Pods of %s?", of)); err != nil {
		return 0, err
	}
	if err := o.Merge(ctx, client, change.Of(object), map[string]any{"spec": map[string]any{"template": map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{annotationRestarted: o.factory.Now().UTC().Format(time.RFC3339)}},
	}}}); err != nil || !o.wait || o.DryRun != change.None {
		return 0, err
	}
	begun := time.Now()
	err = o.Wait(ctx, o.timeout, fmt.Sprintf("the Pods of %s are new and ready", of), func(ctx context.Context) (bool, error) {
		return rolled(ctx, client, object.GroupVersionKind(), object.GetNamespace(), object.GetName())
	})
	if o.timeout == 0 {
		return 0, err
	}
	return max(time.Millisecond, o.timeout-time.Since(begun)), err
}

// workload of the component that was named. One of its name that is not of this Chroma is left alone.
func (o *options) workload(ctx context.Context, client *cluster.Client, v *live.View) (*unstructured.Unstructured, error) {
	if o.component == "" {
		return nil, exit.Errorf(exit.Usage, "say which component with --component: %s", strings.Join(component.Names(component.All()), ", "))
	}
	of, err := component.Find(component.All(), o.component)
	if err != nil {
		return nil, err
	}
	object, err := client.Find(ctx, appsv1.SchemeGroupVersion.WithKind(string(of.Kind)), v.Namespace(), of.Workload)
	switch {
	case err != nil:
		return nil, err
	case object == nil:
		return nil, exit.Errorf(exit.Unhealthy, "%s/%s has no %s %s at the moment: see kubectl chroma status %s", v.Namespace(), v.Name(), of.Kind, of.Workload, change.Arguments(v.Object))
	case object.GetLabels()[chroma.LabelChroma] != v.Name():
		return nil, exit.Errorf(exit.Refused, "the %s %s is not one of %s/%s: nothing was changed", of.Kind, of.Workload, v.Namespace(), v.Name())
	}
	return object, nil
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
