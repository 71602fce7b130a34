package distributed

import (
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

// RolledOut says that every replica runs the workload's template and is ready.
func (l Workload) RolledOut() bool {
	return l.ObservedGeneration == l.Meta.Generation &&
		l.Updated == l.Replicas && l.Existing == l.Replicas && l.Ready == l.Replicas &&
		l.CurrentRevision == l.UpdateRevision
}

// settled says that the component runs as the values want it, and is ready.
func (w World) settled(component chart.Component, values chart.Values, userHash, commit string) bool {
	observed, ok := w.Workloads[component.Name]
	runs, pinned := observed.commit()
	return ok &&
		observed.Meta.DeletionTimestamp == nil &&
		observed.Meta.Annotations[v1alpha1.AnnotationUserHash] == userHash &&
		(runs == commit || pinned) &&
		observed.Replicas == values.Components[component.Name].Replicas &&
		observed.RolledOut()
}

// commit that the workload's template runs by the tag of its image. A webhook may have put a mirror in front of it, a digest
// in its place, or a container of its own beside it. Pinned: by a digest alone, which says nothing of the commit.
func (l Workload) commit() (commit string, pinned bool) {
	for _, container := range l.Template.Spec.Containers {
		if container.Name != l.Meta.Name {
			continue
		}
		image, _, digest := strings.Cut(container.Image, "@")
		if at := strings.LastIndex(image, ":"); at > strings.LastIndex(image, "/") {
			return image[at+1:], false
		}
		return "", digest
	}
	return "", false
}

func podReady(pod corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue && pod.DeletionTimestamp == nil
		}
	}
	return false
}

// notReadySince is when a Pod lost its readiness, or was made.
func notReadySince(pod corev1.Pod) time.Time {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.LastTransitionTime.Time
		}
	}
	return pod.CreationTimestamp.Time
}

// ended says that a Job migrates no more.
func ended(job *batchv1.Job) bool {
	return jobHas(job, batchv1.JobComplete) || jobHas(job, batchv1.JobFailed)
}

func jobHas(job *batchv1.Job, kind batchv1.JobConditionType) bool {
	for _, condition := range job.Status.Conditions {
		if condition.Type == kind {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
