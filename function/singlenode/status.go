package singlenode

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
)

// statusOf the Chroma, whole: what a status leaves out is removed.
func statusOf(s situation, final record, server finding) chroma.ChromaStatus {
	before := &s.w.Chroma.Status
	name, namespace := s.w.Chroma.GetName(), s.w.Chroma.GetNamespace()
	status := chroma.ChromaStatus{
		Phase:              phaseOf(server.reason, before.Image != ""),
		Image:              before.Image,
		DefaultImage:       s.wanted.defaulted,
		Endpoint:           chroma.Endpoint(name, namespace),
		Pod:                before.Pod,
		PodUID:             before.PodUID,
		Node:               before.Node,
		PVC:                chroma.ClaimName(name),
		ClaimUID:           string(s.claim.pinned),
		AcceptedClaim:      s.claim.accepted,
		LastReadySpec:      before.LastReadySpec,
		ObservedGeneration: s.w.Chroma.GetGeneration(),
		Retries:            retries(s.held),
	}
	final.write(&status, before)
	status.PVCDeletionPolicy = policyInEffect(s.w, s.claim.pvc)
	if pod := s.w.pod(); pod != nil {
		status.Pod, status.PodUID = pod.GetName(), string(pod.GetUID())
		if pod.Spec.NodeName != "" {
			status.Node = pod.Spec.NodeName
		}
		if isReady(pod) && pod.GetDeletionTimestamp() == nil {
			status.Image = imageOf(pod)
			if !wantsAnother(s, pod) {
				status.LastReadySpec = summary(&s.w.Chroma.Spec, s.wanted.image)
			}
		}
	}
	return status
}

// phaseOf a Chroma, from how its server is.
func phaseOf(server reason.Reason, wasReady bool) chroma.Phase {
	switch server {
	case reason.PodReady:
		return chroma.PhaseReady
	case reason.PodStarting, reason.PodTerminating, reason.PodNotReady, reason.Observing, reason.ClaimPending, reason.LedgerPending,
		reason.ConfigPending, reason.WaitingForPredecessor, reason.Evicted, reason.PodFailed:
		if wasReady {
			return chroma.PhaseUpdating
		}
		return chroma.PhaseCreating
	}
	return chroma.PhaseFailed
}

// summary of what the user set of a Pod, for people.
func summary(spec *chroma.ChromaSpec, image string) string {
	parts := []string{image}
	if spec.Resources != nil {
		parts = append(parts, list("requests", spec.Resources.Requests), list("limits", spec.Resources.Limits))
	}
	if spec.PriorityClassName != "" {
		parts = append(parts, "priorityClassName "+spec.PriorityClassName)
	}
	if labels := spec.NodeSelector; len(labels) > 0 {
		parts = append(parts, "nodeSelector "+metav1.FormatLabelSelector(metav1.SetAsLabelSelector(labels)))
	}
	for i := range spec.Tolerations {
		parts = append(parts, "toleration of "+toleration(spec.Tolerations[i]))
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// toleration the way kubectl writes the taint.
func toleration(t corev1.Toleration) string {
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	if t.Effect != "" {
		text += ":" + string(t.Effect)
	}
	return cmp.Or(text, "every taint")
}

func list(title string, resources corev1.ResourceList) string {
	if len(resources) == 0 {
		return ""
	}
	items := make([]string, 0, len(resources))
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		quantity := resources[name]
		items = append(items, fmt.Sprintf("%s=%s", name, quantity.String()))
	}
	return title + " " + strings.Join(items, " ")
}
