package singlenode

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

func TestStateOf(t *testing.T) {
	exited := func(code int32, because string) corev1.ContainerStatus {
		return corev1.ContainerStatus{
			RestartCount:         1,
			State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: because}},
		}
	}
	waiting := func(because string) corev1.ContainerStatus {
		return corev1.ContainerStatus{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: because}}}
	}
	started := true
	cases := map[string]struct {
		reason    string
		phase     corev1.PodPhase
		why       string
		condition corev1.PodCondition
		container *corev1.ContainerStatus
		want      reason.Reason
		says      string
	}{
		"New":           {reason: "Nothing is known yet.", want: reason.PodStarting},
		"Ready":         {reason: "All is well.", condition: corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue}, want: reason.PodReady},
		"Unschedulable": {reason: "The scheduler's words.", condition: corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/3 nodes"}, want: reason.Unschedulable, says: "0/3 nodes"},
		"Crash":         {reason: "A server that panics.", container: new(exited(101, "Error")), want: reason.CrashLoopBackOff, says: "kubectl logs"},
		"OutOfMemory":   {reason: "The limit is too low.", container: new(exited(137, "OOMKilled")), want: reason.OOMKilled, says: "spec.resources.limits.memory"},
		"Segmentation":  {reason: "Exit code 139.", container: new(exited(139, "Error")), want: reason.SegmentationFault, says: "kubectl logs"},
		"Instruction":   {reason: "Exit code 132.", container: new(exited(132, "Error")), want: reason.IllegalInstruction, says: "spec.nodeSelector"},
		"Completed":     {reason: "A server that exits 0 has failed.", container: new(exited(0, "Completed")), want: reason.Completed, says: "kubectl logs"},
		"Pull":          {reason: "The image is not there.", container: new(waiting("ImagePullBackOff")), want: reason.ImagePullBackOff, says: "pull secrets"},
		"Config":        {reason: "The container cannot be made.", container: new(waiting("CreateContainerConfigError")), want: reason.ContainerError, says: "kubectl describe pod"},
		"NotReady":      {reason: "It runs and does not answer.", container: &corev1.ContainerStatus{Started: &started, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}, want: reason.PodNotReady, says: "kubectl logs"},
		"Evicted":       {reason: "The node was short of something.", phase: corev1.PodFailed, why: "Evicted", want: reason.Evicted, says: "replaced"},
		"Failed":        {reason: "Any other end.", phase: corev1.PodFailed, want: reason.PodFailed, says: "replaced"},
		"Succeeded":     {reason: "Ended without an error, which is one.", phase: corev1.PodSucceeded, want: reason.Completed, says: "replaced"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{Status: corev1.PodStatus{Phase: tc.phase, Reason: tc.why, Conditions: []corev1.PodCondition{tc.condition}}}
			pod.SetName("demo-1")
			pod.SetNamespace("default")
			if tc.container != nil {
				tc.container.Name = objects.Container
				pod.Status.ContainerStatuses = []corev1.ContainerStatus{*tc.container}
			}
			got := stateOf(pod, time.Now())
			if got.reason != tc.want || !strings.Contains(got.message, tc.says) {
				t.Errorf("\n%s\nstateOf(..., time.Now()): want %s with %q, got %s: %s", tc.reason, tc.want, tc.says, got.reason, got.message)
			}
		})
	}
}
