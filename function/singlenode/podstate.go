package singlenode

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

// Exit codes that say more than "failed".
const (
	exitSegmentationFault  = 139 // 128 + SIGSEGV
	exitIllegalInstruction = 132 // 128 + SIGILL
)

// stateOf a Pod that runs, or tries to: the reason of ServerReady and a sentence with the way out.
func stateOf(pod *corev1.Pod, now time.Time) finding {
	if ended(pod) {
		return endedState(pod)
	}
	if isReady(pod) {
		return finding{reason: reason.PodReady, message: fmt.Sprintf("Pod %s is ready.", pod.GetName())}
	}
	if status := containerOf(pod); status != nil && settledDown(status, now) {
		return finding{reason: reason.PodNotReady, message: fmt.Sprintf(
			"The server in Pod %s runs, and does not answer its readiness probe. See: kubectl logs -n %s %s", pod.GetName(), pod.GetNamespace(), pod.GetName())}
	}
	if status := containerOf(pod); status != nil {
		if f, ok := waitingState(pod, status); ok {
			return f
		}
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return finding{reason: reason.Unschedulable, message: fmt.Sprintf(
				"No node takes Pod %s: %s", pod.GetName(), condition.Message)}
		}
	}
	return finding{reason: reason.PodStarting, message: fmt.Sprintf("Pod %s is starting.", pod.GetName())}
}

// settledDown tells whether a container has run for a while since it was started last: what ended it before is not what
// keeps it from being ready now.
func settledDown(status *corev1.ContainerStatus, now time.Time) bool {
	if status.State.Running == nil || status.Started == nil || !*status.Started {
		return false
	}
	return status.RestartCount == 0 || now.Sub(status.State.Running.StartedAt.Time) > 2*time.Minute
}

// waitingState of a container that does not run.
func waitingState(pod *corev1.Pod, status *corev1.ContainerStatus) (finding, bool) {
	logs := fmt.Sprintf("See: kubectl logs -n %s %s", pod.GetNamespace(), pod.GetName())
	if status.RestartCount > 0 {
		logs += " --previous"
	}
	if waiting := status.State.Waiting; waiting != nil {
		switch waiting.Reason {
		case "ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable":
			return finding{reason: reason.ImagePullBackOff, message: fmt.Sprintf(
				"The image %s cannot be pulled. Check its name, the registry and the pull secrets of the namespace's default ServiceAccount.", status.Image)}, true
		case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
			return finding{reason: reason.ContainerError, message: fmt.Sprintf(
				"The container of Pod %s cannot be created (%s). See: kubectl describe pod -n %s %s", pod.GetName(), waiting.Reason, pod.GetNamespace(), pod.GetName())}, true
		}
	}
	last := status.LastTerminationState.Terminated
	if status.State.Terminated != nil {
		last = status.State.Terminated
	}
	if last == nil || (status.State.Running != nil && status.RestartCount == 0) {
		return finding{}, false
	}
	switch {
	case last.Reason == "OOMKilled":
		return finding{reason: reason.OOMKilled, message: "The server was killed since it used more memory than its limit. Raise spec.resources.limits.memory."}, true
	case last.ExitCode == exitSegmentationFault:
		return finding{reason: reason.SegmentationFault, message: "The server died with a segmentation fault (exit code 139). " + logs}, true
	case last.ExitCode == exitIllegalInstruction:
		return finding{reason: reason.IllegalInstruction, message: "The server died of an instruction that the node's CPU does not have (exit code 132). Choose another node with spec.nodeSelector."}, true
	case last.ExitCode == 0:
		// `chroma run` prints an error about its configuration file and exits 0: a server that ends has failed.
		return finding{reason: reason.Completed, message: "The server ended with exit code 0: by itself, which a server never does when all is well, or since it did not answer its probes. " + logs}, true
	case status.State.Waiting != nil && status.State.Waiting.Reason == "CrashLoopBackOff", status.State.Terminated != nil, status.RestartCount > 0:
		return finding{reason: reason.CrashLoopBackOff, message: fmt.Sprintf("The server ends with exit code %d and is started again. ", last.ExitCode) + logs}, true
	}
	return finding{}, false
}

// ended: the Pod is finished for good, and is replaced.
func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

func endedState(pod *corev1.Pod) finding {
	switch {
	case pod.Status.Reason == "Evicted":
		return finding{reason: reason.Evicted, message: fmt.Sprintf("Pod %s was evicted: %s It is replaced.", pod.GetName(), pod.Status.Message)}
	case pod.Status.Phase == corev1.PodSucceeded:
		return finding{reason: reason.Completed, message: fmt.Sprintf("Pod %s ended. It is replaced.", pod.GetName())}
	}
	return finding{reason: reason.PodFailed, message: fmt.Sprintf("Pod %s failed. It is replaced.", pod.GetName())}
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func containerOf(pod *corev1.Pod) *corev1.ContainerStatus {
	for i := range pod.Status.ContainerStatuses {
		if pod.Status.ContainerStatuses[i].Name == objects.Container {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}

// imageOf the server's container in a Pod.
func imageOf(pod *corev1.Pod) string {
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == objects.Container {
			return pod.Spec.Containers[i].Image
		}
	}
	return ""
}
