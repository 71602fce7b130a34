package simulator

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// controlSet is one step of a StatefulSet with podManagementPolicy OrderedReady and updateStrategy RollingUpdate, the defaults
// of both. It waits for each Pod to be ready before it looks at the next: one that never gets ready is
// never replaced, whatever the template says, but goes when the replicas do.
func (w *workloadPods) controlSet() {
	byOrdinal := map[int]*unstructured.Unstructured{}
	for _, pod := range w.pods {
		byOrdinal[ordinal(pod)] = pod
	}
	for i := range w.replicas {
		pod := byOrdinal[i]
		switch {
		case pod == nil:
			w.create(fmt.Sprintf("%s-%d", w.workload.GetName(), i), map[string]string{labelRevision: w.revision})
			return
		case deleting(pod):
			return
		case endedPod(pod):
			w.delete(pod)
			return
		case !podIsReady(pod):
			return
		}
	}
	// Then those that are too many, the last one first.
	slices.SortFunc(w.pods, func(a, b *unstructured.Unstructured) int { return ordinal(b) - ordinal(a) })
	for _, pod := range w.pods {
		switch {
		case deleting(pod):
			return
		case ordinal(pod) >= w.replicas || pod.GetLabels()[labelRevision] != w.revision:
			w.delete(pod)
			return
		}
	}
}

func (w *workloadPods) reportSet() {
	var ready, updated, current int64
	before := stringAt(w.workload, "status", "currentRevision")
	if before == "" {
		before = w.revision
	}
	for _, pod := range w.pods {
		if podIsReady(pod) {
			ready++
		}
		if deleting(pod) {
			continue
		}
		if pod.GetLabels()[labelRevision] == w.revision {
			updated++
		}
		if pod.GetLabels()[labelRevision] == before {
			current++
		}
	}
	replicas := int64(w.replicas)
	if updated == replicas && ready == replicas && int64(len(w.pods)) == replicas {
		before, current = w.revision, updated
	}
	w.report(map[string]any{
		fieldObserved: w.workload.GetGeneration(), "replicas": int64(len(w.pods)), "readyReplicas": ready, "availableReplicas": ready,
		"updatedReplicas": updated, "currentReplicas": current, "currentRevision": before, "updateRevision": w.revision,
	})
}

// A Deployment makes a quarter more Pods than it wants while it rolls, rounded up, and has a quarter less, rounded down.
const quarter = 4

// controlDeployment is one step of a Deployment with the strategy RollingUpdate, its default.
func (w *workloadPods) controlDeployment() {
	var updated, outdated []*unstructured.Unstructured
	ready, unready := 0, 0
	for _, pod := range w.pods {
		if deleting(pod) || endedPod(pod) {
			continue
		}
		if podIsReady(pod) {
			ready++
		}
		if pod.GetLabels()[labelTemplateHash] != w.revision {
			outdated = append(outdated, pod)
			continue
		}
		updated = append(updated, pod)
		if !podIsReady(pod) {
			unready++
		}
	}
	all, least := len(updated)+len(outdated), w.replicas-w.replicas/quarter
	switch {
	case len(updated) > w.replicas:
		w.delete(updated[0])
	case len(updated) < w.replicas && all < w.replicas+(w.replicas+quarter-1)/quarter:
		w.create(w.drawn(w.workload.GetName()+"-"+w.revision), map[string]string{labelTemplateHash: w.revision})
	case len(outdated) > 0 && all-least-unready > 0:
		// Those that are not ready go first, the others as far as the new ones replace them.
		slices.SortStableFunc(outdated, func(a, b *unstructured.Unstructured) int { return rank(a) - rank(b) })
		if !podIsReady(outdated[0]) || ready > least {
			w.delete(outdated[0])
		}
	}
}

func rank(pod *unstructured.Unstructured) int {
	if podIsReady(pod) {
		return 1
	}
	return 0
}

func (w *workloadPods) reportDeployment() {
	var existing, updated, ready int64
	for _, pod := range w.pods {
		if deleting(pod) || endedPod(pod) {
			continue
		}
		existing++
		if pod.GetLabels()[labelTemplateHash] == w.revision {
			updated++
		}
		if podIsReady(pod) {
			ready++
		}
	}
	available := conditionOf("Available")
	if ready < int64(w.replicas-w.replicas/quarter) {
		available["status"] = statusFalse
	}
	w.report(map[string]any{
		fieldObserved: w.workload.GetGeneration(), "replicas": existing, "updatedReplicas": updated, "readyReplicas": ready, "availableReplicas": ready,
		"conditions": []any{available},
	})
}

// backoffLimit of a Job that says none.
const backoffLimit = 6

// controlJob is one step of a Job with one completion. Its Pod restarts in place when its restartPolicy is OnFailure, and is
// deleted when that happened too often.
func (w *workloadPods) controlJob() {
	if len(listAt(w.workload, "status", "conditions")) > 0 {
		return // Its end is final.
	}
	var failed, restarts int64
	var active *unstructured.Unstructured
	for _, pod := range w.pods {
		switch stringAt(pod, "status", "phase") {
		case phaseSucceeded:
			w.report(map[string]any{"succeeded": int64(1), "conditions": []any{conditionOf("Complete")}})
			return
		case phaseFailed:
			failed++
		default:
			active = pod
			for _, o := range listAt(pod, "status", "containerStatuses") {
				status, _ := o.(map[string]any)
				count, _ := status["restartCount"].(int64)
				restarts += count
			}
		}
	}
	switch {
	case failed+restarts > backoffLimit:
		if active != nil && !deleting(active) {
			w.delete(active)
		}
		w.report(map[string]any{"failed": failed + 1, "conditions": []any{conditionOf("Failed")}})
	case active == nil:
		w.create(w.drawn(w.workload.GetName()), map[string]string{labelJobName: w.workload.GetName()})
	}
}
