package report

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// reader of what a view does not have. What cannot be read is a note.
type reader struct {
	client *cluster.Client
	notes  []string
}

func (r *reader) note(err error) {
	if err != nil && !slices.Contains(r.notes, err.Error()) {
		r.notes = append(r.notes, err.Error())
	}
}

// find an object of the cluster, nil when there is none or no name.
func (r *reader) find(ctx context.Context, kind schema.GroupVersionKind, name string) *unstructured.Unstructured {
	if name == "" {
		return nil
	}
	object, err := r.client.Find(ctx, kind, "", name)
	r.note(err)
	return object
}

// pods of a Chroma. Those of a ValdOperatorRelease are Vald's own.
func (r *reader) pods(ctx context.Context, v *live.View) []*unstructured.Unstructured {
	if v.SingleNode() && v.Pod != nil {
		return []*unstructured.Unstructured{v.Pod}
	}
	if !v.Distributed() {
		return nil
	}
	pods, err := live.Pods(ctx, r.client, v.Namespace(), v.Name(), "")
	r.note(err)
	return pods
}

// surroundings are the storage class of the claim, and the nodes of the Pods.
func (r *reader) surroundings(ctx context.Context, v *live.View, pods []*unstructured.Unstructured) []*unstructured.Unstructured {
	out := []*unstructured.Unstructured{r.find(ctx, cluster.StorageClass(), live.Text(v.Claim, "spec", "storageClassName"))}
	var nodes []string
	for _, pod := range pods {
		nodes = append(nodes, live.Text(pod, "spec", "nodeName"))
	}
	slices.Sort(nodes)
	for _, node := range slices.Compact(nodes) {
		out = append(out, r.find(ctx, cluster.Node(), node))
	}
	return present(out)
}

// machinery of Crossplane that is at work on the object.
func (r *reader) machinery(ctx context.Context, v *live.View) []*unstructured.Unstructured {
	m := v.Machinery
	out := []*unstructured.Unstructured{m.Function, m.FunctionRevision}
	if m.Revision != "" {
		out = append(out, r.find(ctx, cluster.CompositionRevision(), m.Revision))
	} else {
		out = append(out, r.find(ctx, cluster.Composition(), m.Composition))
	}
	if m.FunctionRevision == nil {
		out = append(out, r.find(ctx, cluster.FunctionRevision(), live.Text(m.Function, "status", "currentRevision")))
	}
	return present(append(out, r.find(ctx, cluster.DeploymentRuntimeConfig(), live.Text(m.Function, "spec", "runtimeConfigRef", "name"))))
}

func present(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	return slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool { return o == nil })
}
