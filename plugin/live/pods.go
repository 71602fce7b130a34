package live

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/component"
	"github.com/function-chroma/function-chroma/plugin/exit"
)

// Pods of a Chroma, newest last: the one of a single-node server, or those of a component of a distributed one.
func Pods(ctx context.Context, client *cluster.Client, namespace, name, wanted string) ([]*unstructured.Unstructured, error) {
	object, err := client.Get(ctx, cluster.Chroma(), namespace, name)
	if err != nil {
		return nil, err
	}
	if Text(object, "spec", "mode") != string(chroma.ModeDistributed) {
		if wanted != "" {
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
	return podsOf(ctx, client, namespace, name, wanted)
}

// podsOf the components, or of one of them. There is one distributed Chroma in a namespace, and its Pods carry nothing
// of ours but the names of the chart, in the label app, which others may use too.
func podsOf(ctx context.Context, client *cluster.Client, namespace, name, wanted string) ([]*unstructured.Unstructured, error) {
	of := component.WithPods()
	if wanted != "" {
		one, err := component.Find(of, wanted)
		if err != nil {
			return nil, err
		}
		of = []component.Component{one}
	}
	pods, err := podsWith(ctx, client, namespace, of)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(pods, func(a, b *unstructured.Unstructured) int {
		return a.GetCreationTimestamp().Compare(b.GetCreationTimestamp().Time)
	})
	switch {
	case len(pods) > 0:
		return pods, nil
	case wanted != "":
		return nil, exit.Errorf(exit.Unhealthy, "%s/%s has no Pods of component %s at the moment", namespace, name, of[0].Name)
	}
	return nil, exit.Errorf(exit.Unhealthy, "%s/%s has no Pods at the moment", namespace, name)
}

// podsWith the labels of components.
func podsWith(ctx context.Context, client *cluster.Client, namespace string, of []component.Component) ([]*unstructured.Unstructured, error) {
	apps := make([]string, 0, len(of))
	for _, one := range of {
		apps = append(apps, one.Workload)
	}
	return client.List(ctx, cluster.Pod(), namespace, component.LabelApp+" in ("+strings.Join(apps, ",")+")")
}
