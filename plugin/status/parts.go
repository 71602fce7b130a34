package status

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/live"
)

func claimOf(v *live.View) *v1.Claim {
	status := v.Chroma.Status
	out := &v1.Claim{
		Name: chroma.ClaimName(v.Name()), UID: status.ClaimUID, Policy: string(v.Chroma.Spec.PVCDeletionPolicy),
		PolicyInEffect: string(status.PVCDeletionPolicy),
	}
	if out.Policy == "" {
		out.Policy = string(chroma.PVCRetain)
	}
	if v.ClaimError != nil {
		out.UID, out.Unreadable = status.ClaimUID, v.ClaimError.Error()
		return out
	}
	if v.Claim == nil {
		if status.ClaimUID == "" {
			return nil
		}
		out.Missing = true
		return out
	}
	claim := &corev1.PersistentVolumeClaim{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(v.Claim.Object, claim); err != nil {
		return out
	}
	out.UID, out.Phase, out.Deleting = string(claim.UID), string(claim.Status.Phase), claim.DeletionTimestamp != nil
	if size, ok := claim.Spec.Resources.Requests[corev1.ResourceStorage]; ok {
		out.Requested = size.String()
	}
	if size, ok := claim.Status.Capacity[corev1.ResourceStorage]; ok {
		out.Capacity = size.String()
	}
	if claim.Spec.StorageClassName != nil {
		out.StorageClass = *claim.Spec.StorageClassName
	}
	return out
}

func podOf(object *unstructured.Unstructured) (*v1.Pod, string) {
	pod := &corev1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, pod); err != nil {
		return &v1.Pod{Name: object.GetName()}, ""
	}
	out := &v1.Pod{
		Name: pod.Name, Node: pod.Spec.NodeName, Phase: string(pod.Status.Phase), Created: timeText(pod.CreationTimestamp.Time),
		Deleting: pod.DeletionTimestamp != nil,
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			out.Ready = condition.Status == corev1.ConditionTrue
		}
	}
	for _, container := range pod.Status.ContainerStatuses {
		out.Restarts += int64(container.RestartCount)
		switch {
		case container.State.Waiting != nil:
			out.State = container.State.Waiting.Reason
		case container.State.Terminated != nil:
			out.State = container.State.Terminated.Reason
		}
	}
	image := ""
	if len(pod.Spec.Containers) > 0 {
		image = pod.Spec.Containers[0].Image
	}
	return out, image
}
