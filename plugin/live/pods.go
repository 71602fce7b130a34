package live

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
)

const labelApp = "app"

// Pods of a Chroma, newest last: the one of a single-node server, or those of a component of a distributed one.
func Pods(ctx context.Context, client *cluster.Client, namespace, name, component string) ([]*unstructured.Unstructured, error) {
	object, err := client.Get(ctx, cluster.Chroma(), namespace, name)
	if err != nil {
		return nil, err
	}
	if Text(object, "spec", "mode") != string(chroma.ModeDistributed) {
		if component != "" {
			return nil, exit.Errorf(exit.Usage, "%s/%s has one server and no components", namespace, name)
		}
		pod, err := client.Find(ctx, cluster.Pod(), namespace, chroma.PodName(name))
		if err != nil {
			return nil, err
		}
		if pod == nil {
			return nil, exit.Errorf(exit.Unhealthy, "%s/%s has no Pod at the moment: see kubectl chroma status -n %s %s", namespace, name, namespace, name)
		}
		return []*unstructured.Unstructured{pod}, nil
	}
	// There is one distributed Chroma in a namespace. Its chart names the component of a Pod in the label app.
	pods, err := client.List(ctx, cluster.Pod(), namespace, labelApp)
	if err != nil {
		return nil, err
	}
	pods = slices.DeleteFunc(pods, func(pod *unstructured.Unstructured) bool {
		return component != "" && strings.TrimPrefix(pod.GetLabels()[labelApp], "rust-") != strings.TrimPrefix(component, "rust-")
	})
	if len(pods) == 0 {
		return nil, exit.Errorf(exit.Unhealthy, "%s/%s has no Pods of component %q at the moment", namespace, name, component)
	}
	return pods, nil
}
