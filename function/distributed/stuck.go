package distributed

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/reason"
)

// exitIllegalInstruction is 128 + SIGILL.
const exitIllegalInstruction = 132

// overdue is how long a Pod may outlive the end of its grace period before its node counts as lost.
const overdue = 30 * time.Second

// A problem of a Pod. Its message is the same in every pass. The words of others about it may have times or counts in
// them, like the number of nodes that do not take the Pod.
type problem struct {
	finding

	words string
	// said are the last words of the Pod itself, which may have logged credentials.
	said string
	// see is a command that tells more.
	see string
}

// told with the words of others, and the command last: a full stop behind it would be taken for a part of it.
func (p problem) told() finding {
	message := p.message
	if p.words != "" {
		message += " " + p.words
	}
	if p.said != "" {
		message += " It says: " + p.said
	}
	if p.see != "" {
		message += " See: " + p.see
	}
	return finding{p.reason, message}
}

// quoted is a problem without credentials in what its Pod says: the sysdb, for one, logs its flags. Without the Secrets nobody
// knows what to leave out, and it is not quoted.
func (s situation) quoted(p problem) problem {
	if !s.postgres.usable() || !s.bucket.usable() {
		p.said = ""
		return p
	}
	// A user name is no secret, and often an everyday word. The longest comes first: one may be a part of another.
	secrets := slices.Concat(s.postgres.values[1:], s.bucket.values)
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range secrets {
		p.said = strings.ReplaceAll(p.said, secret, "***")
	}
	return p
}

// componentFinding says why a component is not ready.
func (s situation) componentFinding(component chart.Component) finding {
	if _, there := s.w.Workloads[component.Name]; !there {
		return finding{reason.ComponentsStarting, fmt.Sprintf("%s %s is being created. The tiers after it wait.", component.Kind, component.Workload)}
	}
	pods, answered := s.w.pods(askPods(component.Name))
	if stays := s.podStays(component, pods); !stays.none() {
		return stays
	}
	if stuck := s.rolloutStuck(component, pods); !stuck.none() {
		return stuck
	}
	for _, pod := range pods {
		if problem := podProblem(pod); !problem.none() {
			return s.quoted(problem).told()
		}
	}
	if spent := s.repairSpent(component, pods); !spent.none() {
		return spent
	}
	if s.w.Workloads[component.Name].Replicas == 0 && component.Name == chart.WorkQueue {
		return finding{reason.ComponentsStarting, fmt.Sprintf("%s %s is restarted: it starts again when its Pod is gone.", component.Kind, component.Workload)}
	}
	starts := problem{finding: finding{reason.ComponentsStarting, fmt.Sprintf("%s %s is starting or rolling. The tiers after it wait.", component.Kind, component.Workload)}}
	observed := s.w.Workloads[component.Name]
	if observed.Refused != "" {
		starts.words = "The API refuses its Pods: " + observed.Refused
	}
	if answered && len(pods) == 0 && observed.Replicas > 0 {
		starts.message += noPod
		starts.see = fmt.Sprintf("kubectl describe %s -n %s %s", strings.ToLower(string(component.Kind)), s.w.Chroma.GetNamespace(), component.Workload)
	}
	return starts.told()
}

// noPod: a quota or a policy may refuse them, which shows in the events of what makes them.
const noPod = " No Pod of it exists yet."

// unlistedFinding says that the MemberList lacks ready Pods of a component that has rolled out: who looks for them there does
// not find them. Nobody's readiness needs the list of the fn-consumers, who only get work by it. The repair of the sysdb
// ends the wait, and a person where that was spent.
func (s situation) unlistedFinding(component chart.Component) finding {
	if component.MemberList == "" || component.Name == chart.FnConsumer {
		return finding{}
	}
	if complete, known := s.listComplete(component); complete || !known {
		return finding{}
	}
	message := fmt.Sprintf("MemberList %s lacks a ready Pod of %s %s, which is not found without.", component.MemberList, component.Kind, component.Workload)
	sysdb, _ := s.layout.Component(chart.SysDB)
	if known := s.w.knownRepair(sysdb, reason.SysdbLeaderLost); known.restartedInIncident() && s.w.Now.Sub(known.Restarted.Time) >= patience {
		message += fmt.Sprintf(" That the sysdb, which keeps the list, was restarted did not help. Restart it again: kubectl rollout restart -n %s deployment/%s",
			s.w.Chroma.GetNamespace(), sysdb.Workload)
	}
	return finding{reason.ComponentsStarting, message}
}

// podStays names a Pod that should be gone, and in whose place a StatefulSet makes no other before it is. That is also
// where a restart of the work queue waits.
func (s situation) podStays(component chart.Component, pods []corev1.Pod) finding {
	if component.Kind != chart.StatefulSet {
		return finding{}
	}
	for _, pod := range pods {
		// The deletionTimestamp is when the grace period ends.
		if pod.DeletionTimestamp == nil || s.w.Now.Sub(pod.DeletionTimestamp.Time) < overdue {
			continue
		}
		return finding{reason.NodeLost, fmt.Sprintf(
			"Pod %s is being deleted and node %s does not say that it is gone. StatefulSet %s makes no other before that. "+
				"Bring the node back, delete the Node, or taint it node.kubernetes.io/out-of-service once it is off for sure.",
			pod.Name, pod.Spec.NodeName, component.Workload)}
	}
	return finding{}
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
		problem := podProblem(pod)
		if problem.none() && s.w.Now.Sub(notReadySince(pod)) < patience {
			continue // It may just start.
		}
		message := fmt.Sprintf("Pod %s is not ready and has an earlier spec, and Kubernetes does not replace it by itself.", pod.Name)
		if !problem.none() {
			message += " " + problem.message
		}
		// The command comes last: a full stop behind it would be taken for a part of the name.
		return finding{reason.RolloutStuck, fmt.Sprintf("%s Delete it: kubectl delete pod -n %s %s", message, pod.Namespace, pod.Name)}
	}
	return finding{}
}

// repairSpent names the Pod of a work queue whose restart did not help. Another one is a person's.
func (s situation) repairSpent(component chart.Component, pods []corev1.Pod) finding {
	if component.Name != chart.WorkQueue {
		return finding{}
	}
	known := s.w.knownRepair(component, reason.WorkQueueRestarted)
	if !known.restartedInIncident() || s.w.Now.Sub(known.Restarted.Time) < patience {
		return finding{}
	}
	for _, pod := range pods {
		if podReady(pod) || pod.DeletionTimestamp != nil || s.w.Now.Sub(pod.CreationTimestamp.Time) < patience {
			continue
		}
		return finding{reason.RolloutStuck, fmt.Sprintf(
			"Pod %s is not ready although the work queue was restarted, which is done once per incident. Delete it: kubectl delete pod -n %s %s",
			pod.Name, pod.Namespace, pod.Name)}
	}
	return finding{}
}

// podProblem of a Pod that a person may have to help. None for one that is ready or starts. Messages count nothing.
func podProblem(pod corev1.Pod) problem {
	if podReady(pod) || pod.DeletionTimestamp != nil {
		return problem{}
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return problem{finding: finding{reason.Unschedulable, fmt.Sprintf("No node takes Pod %s.", pod.Name)}, words: condition.Message}
		}
	}
	for _, status := range pod.Status.ContainerStatuses {
		if found := containerProblem(pod, status); !found.none() {
			return found
		}
	}
	return problem{}
}

func containerProblem(pod corev1.Pod, status corev1.ContainerStatus) problem {
	if waiting := status.State.Waiting; waiting != nil {
		switch waiting.Reason {
		case "ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable":
			return problem{finding: finding{reason.ImagePullBackOff, fmt.Sprintf("The image %s of Pod %s cannot be pulled.", status.Image, pod.Name)}}
		case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
			return problem{
				finding: finding{reason.ContainerError, fmt.Sprintf("The container of Pod %s cannot be created (%s).", pod.Name, waiting.Reason)},
				see:     fmt.Sprintf("kubectl describe pod -n %s %s", pod.Namespace, pod.Name),
			}
		}
	}
	ended := status.LastTerminationState.Terminated
	if status.State.Terminated != nil {
		ended = status.State.Terminated
	}
	if ended == nil {
		return problem{}
	}
	return endProblem(pod, status.Name, *ended)
}

// endProblem of a container that ended.
func endProblem(pod corev1.Pod, container string, ended corev1.ContainerStateTerminated) problem {
	logs := fmt.Sprintf("kubectl logs -n %s %s --previous", pod.Namespace, pod.Name)
	switch {
	case ended.Reason == "OOMKilled":
		return problem{finding: finding{reason.OOMKilled, fmt.Sprintf("Pod %s used more memory than its limit. Raise the limit of its component in spec.distributed.", pod.Name)}}
	case ended.ExitCode == exitIllegalInstruction:
		return problem{finding: finding{reason.IllegalInstruction, fmt.Sprintf("Pod %s ended with exit code 132: Chroma's images of query, compaction, garbage collector, work queue and fn-consumer need a CPU with AVX-512, which its node does not have. Choose other nodes with the component's nodeSelector.", pod.Name)}}
	case ended.ExitCode == 0:
		// Chroma's services print an error about their config file and exit 0.
		if container == chart.MigrationContainer {
			return problem{}
		}
		return problem{
			finding: finding{reason.Completed, fmt.Sprintf("Pod %s ended by itself with exit code 0, which Chroma's services do when their configuration is not valid.", pod.Name)},
			see:     logs,
		}
	}
	found := problem{finding: finding{reason.CrashLoopBackOff, fmt.Sprintf("Pod %s ends with exit code %d.", pod.Name, ended.ExitCode)}, see: logs}
	if words := strings.TrimSpace(ended.Message); words != "" {
		found.said = words
	}
	return found
}
