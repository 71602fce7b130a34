package tree

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// modelOf a view: every object below what it belongs to.
func modelOf(v *live.View) v1.Tree {
	out := v1.Tree{
		Header: v1.HeaderOf(v1.KindTree), Of: v.Object.GetKind(), Namespace: v.Namespace(), Name: v.Name(), Notes: slices.Sorted(slices.Values(v.Notes)),
	}
	out.Notes = slices.Compact(out.Notes)
	out.Items = append(out.Items, itemOf(v.Object, "", ""))
	root := nameOf(v.Object)
	if v.XR != nil && v.XR != v.Object {
		out.Items = append(out.Items, itemOf(v.XR, root, ""))
		root = nameOf(v.XR)
	}
	for _, role := range slices.Sorted(maps.Keys(v.Observed)) {
		object := v.Observed[role]
		out.Items = append(out.Items, itemOf(object, root, role))
		if role == chroma.RoleClaim {
			out.Items = append(out.Items, claimBelow(v, nameOf(object))...)
		}
		for _, below := range v.Below(object) {
			out.Items = append(out.Items, itemOf(below, nameOf(object), ""))
		}
	}
	out.Items = append(out.Items, unseen(v, root)...)
	if v.Pod != nil && v.Observed[chroma.RolePod] == nil {
		// It was left out, and ends.
		out.Items = append(out.Items, itemOf(v.Pod, root, ""))
	}
	return out
}

// unseen is what the composite refers to and was not found: it is gone, or has lost the annotation with its role, which
// ends every pass of Crossplane.
func unseen(v *live.View, parent string) []v1.TreeItem {
	var out []v1.TreeItem
	if v.XR == nil {
		return nil
	}
	for _, reference := range live.References(v.XR, v.Namespace()) {
		found := false
		for _, object := range v.Observed {
			found = found || object.GroupVersionKind() == reference.Kind && object.GetName() == reference.Name
		}
		if found {
			continue
		}
		item := v1.TreeItem{
			APIVersion: reference.Kind.GroupVersion().String(), Kind: reference.Kind.Kind, Namespace: reference.Namespace, Name: reference.Name,
			Parent: parent, State: "not seen: gone, or without its role", Health: v1.HealthBad,
		}
		if v.XR.GetDeletionTimestamp() != nil {
			item.State, item.Health = "gone", ""
		}
		out = append(out, item)
	}
	return out
}

// claimBelow the Object that holds it: as it is, or that it is gone.
func claimBelow(v *live.View, parent string) []v1.TreeItem {
	if v.Claim != nil {
		return []v1.TreeItem{itemOf(v.Claim, parent, "")}
	}
	if !v.SingleNode() || v.Chroma.Status.ClaimUID == "" {
		return nil
	}
	kind := cluster.PersistentVolumeClaim()
	out := v1.TreeItem{
		APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Namespace: v.Namespace(), Name: chroma.ClaimName(v.Name()), Parent: parent,
		State: "gone", Health: v1.HealthBad,
	}
	if v.ClaimError != nil {
		out.State, out.Health = "cannot be read", ""
	}
	return []v1.TreeItem{out}
}

func nameOf(object *unstructured.Unstructured) string {
	return object.GetKind() + " " + object.GetName()
}

func itemOf(object *unstructured.Unstructured, parent, role string) v1.TreeItem {
	out := v1.TreeItem{
		APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(), Parent: parent, Role: role,
	}
	out.State, out.Health = stateOf(object)
	return out
}

// stateOf an object in a word or two.
func stateOf(object *unstructured.Unstructured) (state, health string) {
	if object.GetDeletionTimestamp() != nil {
		return "being deleted", v1.HealthWaiting
	}
	synced, ready := live.ConditionOf(object, "Synced"), live.ConditionOf(object, "Ready")
	switch {
	case ended(object):
		return phaseOf(object)
	case synced.Status == "False":
		return "not synced: " + synced.Reason, v1.HealthBad
	case ready.Status == "True":
		return "ready", v1.HealthGood
	case object.GetKind() == cluster.Object().Kind && synced.Status == "True" && ready.Status == "False":
		// Provider-kubernetes looks again after ten minutes: what it holds is shown below, as it is.
		return "synced; not ready when looked at last", ""
	case ready.Status == "" && synced.Status == "True":
		return "synced", v1.HealthGood
	case ready.Status != "":
		return strings.TrimSpace("not ready " + ready.Reason), v1.HealthWaiting
	}
	return phaseOf(object)
}

// ended tells whether an object is a Pod that has: then it is not ready, and need not be.
func ended(object *unstructured.Unstructured) bool {
	phase := live.Text(object, "status", "phase")
	return object.GetKind() == "Pod" && (phase == "Succeeded" || phase == "Failed")
}

// phaseOf an object that has no such conditions.
func phaseOf(object *unstructured.Unstructured) (state, health string) {
	switch object.GetKind() {
	case "Deployment", "StatefulSet":
		return replicasOf(object)
	case "Job":
		return jobOf(object)
	case chart.KindMemberList:
		members, _, _ := unstructured.NestedSlice(object.Object, "spec", "members")
		return fmt.Sprintf("members: %d", len(members)), ""
	}
	phase := live.Text(object, "status", "phase")
	switch phase {
	case "":
		return "there", ""
	case "Pending":
		return phase, v1.HealthWaiting
	case "Lost", "Failed":
		return phase, v1.HealthBad
	}
	return phase, v1.HealthGood
}

// replicasOf a workload that are ready.
func replicasOf(object *unstructured.Unstructured) (state, health string) {
	wanted, found, _ := unstructured.NestedInt64(object.Object, "spec", "replicas")
	if !found {
		wanted = 1
	}
	ready, _, _ := unstructured.NestedInt64(object.Object, "status", "readyReplicas")
	if ready < wanted {
		return fmt.Sprintf("%d/%d ready", ready, wanted), v1.HealthWaiting
	}
	return fmt.Sprintf("%d/%d ready", ready, wanted), v1.HealthGood
}

func jobOf(object *unstructured.Unstructured) (state, health string) {
	switch {
	case live.ConditionOf(object, "Complete").Status == "True":
		return "complete", v1.HealthGood
	case live.ConditionOf(object, "Failed").Status == "True":
		return "failed", v1.HealthBad
	}
	return "running", v1.HealthWaiting
}
