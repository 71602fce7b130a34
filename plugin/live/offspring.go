package live

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/component"
)

// Endings of the names that the controllers of Kubernetes give to what they make of a workload.
const (
	ordinal = `-[0-9]+`
	hash    = `-[a-z0-9]{1,10}`
	chance  = `-[a-z0-9]{5}`
)

// madeOf are the endings of the names of the Pods and the ReplicaSets of a workload, by its kind.
func madeOf(workload string) map[string]string {
	switch workload {
	case "StatefulSet":
		return map[string]string{"Pod": ordinal}
	case "Deployment":
		return map[string]string{"Pod": hash + chance, "ReplicaSet": hash}
	case "Job":
		return map[string]string{"Pod": chance}
	}
	return nil
}

// offspring is what Kubernetes makes of the composed workloads, and nobody refers to, by kind. Events about it say why a
// component has no Pod, or one that does not get ready.
type offspring map[string]*regexp.Regexp

func (v *View) offspring() offspring {
	if v.XR == nil {
		return nil
	}
	patterns := map[string][]string{}
	for _, reference := range References(v.XR, v.Namespace()) {
		for kind, ending := range madeOf(reference.Kind.Kind) {
			patterns[kind] = append(patterns[kind], regexp.QuoteMeta(reference.Name)+ending)
		}
	}
	out := offspring{}
	for kind, names := range patterns {
		out[kind] = regexp.MustCompile("^(?:" + strings.Join(names, "|") + ")$")
	}
	return out
}

// has tells whether an object of a kind and name is of it.
func (o offspring) has(kind, name string) bool { return o[kind] != nil && o[kind].MatchString(name) }

// readBelow the composed objects of a distributed Chroma: the Pods of the workloads, and the MemberLists that
// provider-kubernetes holds.
func (v *View) readBelow(ctx context.Context, client *cluster.Client) {
	pods, err := podsWith(ctx, client, v.Namespace(), component.WithPods())
	v.note(err)
	v.below = pods
	holds := func(one Reference) bool { return one.Kind.GroupKind() == cluster.Object().GroupKind() }
	if slices.ContainsFunc(References(v.XR, v.Namespace()), holds) {
		lists, err := client.List(ctx, schema.FromAPIVersionAndKind(chart.MemberListAPIVersion, chart.KindMemberList), v.Namespace(), "")
		v.note(err)
		v.below = append(v.below, lists...)
	}
}

// Below an object of the view: the Pods of a workload, or the MemberList that an Object of provider-kubernetes holds.
func (v *View) Below(object *unstructured.Unstructured) []*unstructured.Unstructured {
	is := func(one *unstructured.Unstructured) bool {
		return Text(object, "spec", "forProvider", "manifest", "kind") == one.GetKind() &&
			Text(object, "spec", "forProvider", "manifest", "metadata", "name") == one.GetName()
	}
	if ending := madeOf(object.GetKind())["Pod"]; ending != "" {
		pattern := regexp.MustCompile("^" + regexp.QuoteMeta(object.GetName()) + ending + "$")
		is = func(one *unstructured.Unstructured) bool {
			return one.GetKind() == "Pod" && pattern.MatchString(one.GetName())
		}
	}
	var out []*unstructured.Unstructured
	for _, one := range v.below {
		if is(one) {
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return out
}
