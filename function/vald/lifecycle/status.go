package lifecycle

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/vald"
)

// totalPhases of the lifecycle.
const totalPhases = 3

func (w world) status(evaluated []outcome, conditions []pass.Condition, plan plan) *valdv1.ValdOperatorReleaseStatus {
	completed := int64(0)
	for _, condition := range conditions {
		if condition.Status == pass.True {
			completed++
		}
	}
	return &valdv1.ValdOperatorReleaseStatus{
		Phase:              valdv1.Phase(evaluated[len(evaluated)-1].phase),
		Progress:           &valdv1.Progress{Total: totalPhases, Completed: completed},
		ObservedGeneration: w.vor.GetGeneration(),
		ManagedGeneration:  w.managedGeneration(),
		SpecHash:           w.specHash,
		Clusters:           w.clusters(plan),
		Retries:            retries(plan.refusals),
	}
}

// clusters of all entries. The sizes are those of the ValdReleases that were built, else those that would be.
func (w world) clusters(plan plan) []valdv1.ClusterStatus {
	built := make(map[string]vald.Release, len(plan.releases))
	for _, release := range plan.releases {
		built[release.Cluster.Name] = release
	}
	var out []valdv1.ClusterStatus
	for _, entry := range w.vor.Spec.Infrastructure {
		var computed vald.Size
		if w.configError == nil {
			computed = vald.SizeOf(entry, w.vor.Spec.VectorEngine.Vald.Agent.PersistentVolume, w.config)
		}
		for _, cluster := range entry.Clusters {
			size := computed
			if release, ok := built[cluster.Name]; ok && entry.Active {
				size = release.Size()
			}
			existing := w.existing(cluster.Name)
			out = append(out, valdv1.ClusterStatus{
				Name: cluster.Name, ID: cluster.ID, Role: entry.Role, Active: entry.Active,
				Release: vald.ReleaseName(w.vor.GetNamespace(), cluster.Name),
				Created: isThere(existing),
				Agents:  size.Agents, CPU: size.CPURequest, Memory: size.Memory, Volume: size.Volume,
				Deployed: deployed(existing),
			})
		}
	}
	return out
}

// existing object of a cluster: in the form that the settings ask for, else in the other one.
func (w world) existing(cluster string) *unstructured.Unstructured {
	if object := w.observed[w.role(cluster)]; object != nil {
		return object
	}
	if object := w.observed[localRole(cluster)]; object != nil {
		return object
	}
	return w.observed[deliveryRole(cluster)]
}

// deployed is what the Vald Helm Operator reports, which is built on the operator SDK's Helm operator: Deployed, unless a
// later change failed. It is nil when nothing is reported.
func deployed(object *unstructured.Unstructured) *bool {
	if object == nil {
		return nil
	}
	release := object.Object
	if object.GetKind() == objectKind {
		delivered, _, _ := unstructured.NestedFieldNoCopy(object.Object, "status", "atProvider", "manifest")
		release, _ = delivered.(map[string]any)
	}
	status := conditionStatus(release, "Deployed")
	failed := conditionStatus(release, "ReleaseFailed") == metav1.ConditionTrue
	if status == "" && !failed {
		return nil
	}
	is := status == metav1.ConditionTrue && !failed
	return &is
}

// events on transitions: a phase that fails, the last one that succeeds, and in the first pass what of the
// configuration means nothing.
func (w world) events(evaluated []outcome, plan plan) []pass.Event {
	var out []pass.Event
	for _, o := range evaluated {
		if w.conditions[o.phase].Status == statusOf(o.reason) {
			continue
		}
		switch {
		case o.reason == reason.Failed && plan.conflict:
			out = append(out, pass.Event{Warning: true, Reason: reason.NameConflict, Message: o.message})
		case o.reason == reason.Failed:
			out = append(out, pass.Event{Warning: true, Reason: reason.Failed, Message: o.message})
		case o.phase == reason.ValdCompleted:
			out = append(out, pass.Event{Reason: reason.Succeeded, Message: o.message})
		}
	}
	if _, seen := w.conditions[reason.WaitingCreateVrs]; !seen && len(w.config.WithoutMeaning) > 0 {
		out = append(out, pass.Event{
			Reason:  reason.ConfigWithoutMeaning,
			Message: "these keys of the configuration concern the Vald Operator's own process and mean nothing here: " + strings.Join(w.config.WithoutMeaning, ", "),
		})
	}
	return out
}
