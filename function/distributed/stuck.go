package distributed

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/reason"
)

// exitIllegalInstruction is 128 + SIGILL.
const exitIllegalInstruction = 132

// componentFinding says why a component is not ready.
func (s situation) componentFinding(component chart.Component) finding {
	if _, there := s.w.Workloads[component.Name]; !there {
		return finding{reason.ComponentsStarting, fmt.Sprintf("%s %s is being created. The tiers after it wait.", component.Kind, component.Workload)}
	}
	pods, _ := s.w.pods(askPods(component.Name))
	if stuck := s.rolloutStuck(component, pods); !stuck.none() {
		return stuck
	}
	for _, pod := range pods {
		if problem := podProblem(pod); !problem.none() {
			return problem
		}
	}
	return finding{reason.ComponentsStarting, fmt.Sprintf("%s %s is starting or rolling. The tiers after it wait.", component.Kind, component.Workload)}
}

// rolloutStuck names the Pod of an earlier template that is not ready and that the StatefulSet therefore does not
// replace: it goes on only behind a ready Pod. The work queue is restarted by its repair instead, unless that was spent.
func (s situation) rolloutStuck(component chart.Component, pods []corev1.Pod) finding {
	observed := s.w.Workloads[component.Name]
	if component.Name == chart.WorkQueue && !s.w.knownRepair(component, reason.WorkQueueRestarted).restartedInIncident() {
		return finding{}
	}
	if component.Kind != chart.StatefulSet || observed.ObservedGeneration != observed.Meta.Generation {
		return finding{}
	}
	for _, pod := range pods {
		revision := pod.Labels[appsv1.StatefulSetRevisionLabel]
		if revision == "" || revision == observed.UpdateRevision || podReady(pod) || pod.DeletionTimestamp != nil {
			continue
		}
		message := fmt.Sprintf("Pod %s is not ready and has an earlier spec, and Kubernetes does not replace it by itself.", pod.Name)
		if problem := podProblem(pod); !problem.none() {
			message += " " + problem.message
		}
		// The command comes last: a full stop behind it would be taken for a part of the name.
		return finding{reason.RolloutStuck, fmt.Sprintf("%s Delete it: kubectl delete pod -n %s %s", message, pod.Namespace, pod.Name)}
	}
	return finding{}
}

// podProblem of a Pod that a person may have to help. None for one that is ready or starts. Messages count nothing.
func podProblem(pod corev1.Pod) finding {
	if podReady(pod) || pod.DeletionTimestamp != nil {
		return finding{}
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return finding{reason.Unschedulable, fmt.Sprintf("No node takes Pod %s: %s", pod.Name, condition.Message)}
		}
	}
	for _, status := range pod.Status.ContainerStatuses {
		if problem := containerProblem(pod, status); !problem.none() {
			return problem
		}
	}
	return finding{}
}

func containerProblem(pod corev1.Pod, status corev1.ContainerStatus) finding {
	if waiting := status.State.Waiting; waiting != nil {
		switch waiting.Reason {
		case "ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable":
			return finding{reason.ImagePullBackOff, fmt.Sprintf("The image %s of Pod %s cannot be pulled.", status.Image, pod.Name)}
		case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
			return finding{reason.ContainerError, fmt.Sprintf("The container of Pod %s cannot be created (%s). See: kubectl describe pod -n %s %s", pod.Name, waiting.Reason, pod.Namespace, pod.Name)}
		}
	}
	ended := status.LastTerminationState.Terminated
	if status.State.Terminated != nil {
		ended = status.State.Terminated
	}
	if ended == nil {
		return finding{}
	}
	logs := fmt.Sprintf("See: kubectl logs -n %s %s --previous", pod.Namespace, pod.Name)
	switch {
	case ended.Reason == "OOMKilled":
		return finding{reason.OOMKilled, fmt.Sprintf("Pod %s used more memory than its limit. Raise the limit of its component in spec.distributed.", pod.Name)}
	case ended.ExitCode == exitIllegalInstruction:
		return finding{reason.IllegalInstruction, fmt.Sprintf("Pod %s ended with exit code 132: Chroma's images of query, compaction, garbage collector, work queue and fn-consumer need a CPU with AVX-512, which its node does not have. Choose other nodes with the component's nodeSelector.", pod.Name)}
	case ended.ExitCode == 0:
		// Chroma's services print an error about their config file and exit 0.
		if status.Name == chart.MigrationContainer {
			return finding{}
		}
		return finding{reason.Completed, fmt.Sprintf("Pod %s ended by itself with exit code 0, which Chroma's services do when their configuration is not valid. %s", pod.Name, logs)}
	}
	message := fmt.Sprintf("Pod %s ends with exit code %d.", pod.Name, ended.ExitCode)
	if words := strings.TrimSpace(ended.Message); words != "" {
		message += " It says: " + words
	}
	return finding{reason.CrashLoopBackOff, message + " " + logs}
}
