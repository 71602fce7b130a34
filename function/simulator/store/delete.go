package store

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// defaultGracePeriodSeconds of a Pod that does not say.
const defaultGracePeriodSeconds = 30

// DeleteOptions of a deletion. The zero value deletes in the background.
type DeleteOptions struct {
	Actor       string
	Propagation metav1.DeletionPropagation
	// UID, when set, must be the object's.
	UID types.UID
	// GracePeriodSeconds of a Pod, its own when nil; 0 removes it at once (kubectl delete --force).
	GracePeriodSeconds *int64
}

// Delete an object: at once, or by a mark when finalizers or a grace period hold it.
func (s *Store) Delete(key Key, o DeleteOptions) error {
	r := s.records[key]
	if r == nil {
		return NewNotFound(key)
	}
	if o.UID != "" && o.UID != r.object.GetUID() {
		return conflict(key, "Precondition failed: UID in precondition: %s, UID in object meta: %s", o.UID, r.object.GetUID())
	}
	request := Request{Verb: VerbDelete, Actor: o.Actor, Key: key, Object: r.object, Before: r.object}
	for _, admit := range s.config.Admission {
		if err := admit(&request); err != nil {
			return err
		}
	}
	after := r.object.DeepCopy()
	grace := gracePeriod(after, o.GracePeriodSeconds)
	if at := after.GetDeletionTimestamp(); at != nil {
		// A second deletion can only shorten the grace period.
		if left := after.GetDeletionGracePeriodSeconds(); left == nil || grace >= *left {
			return nil
		}
	} else {
		markPropagation(after, o.Propagation)
		if hasGeneration(after) {
			after.SetGeneration(after.GetGeneration() + 1)
		}
	}
	deletion := metav1.NewTime(s.config.Now().UTC().Add(time.Duration(grace) * time.Second))
	after.SetDeletionTimestamp(&deletion)
	after.SetDeletionGracePeriodSeconds(&grace)
	request.Object = after
	s.store(request, OutcomeMarked)
	return nil
}

func markPropagation(object *unstructured.Unstructured, propagation metav1.DeletionPropagation) {
	finalizer := map[metav1.DeletionPropagation]string{
		metav1.DeletePropagationForeground: metav1.FinalizerDeleteDependents,
		metav1.DeletePropagationOrphan:     metav1.FinalizerOrphanDependents,
	}[propagation]
	if finalizer != "" && !slices.Contains(object.GetFinalizers(), finalizer) {
		object.SetFinalizers(append(object.GetFinalizers(), finalizer))
	}
}

// gracePeriod is 0 for everything but Pods that run somewhere.
func gracePeriod(object *unstructured.Unstructured, asked *int64) int64 {
	if object.GetKind() != kindPod || object.GroupVersionKind().Group != "" {
		return 0
	}
	phase := stringAt(object.Object, "status", "phase")
	if stringAt(object.Object, "spec", "nodeName") == "" || phase == "Failed" || phase == "Succeeded" {
		return 0
	}
	if asked != nil {
		return *asked
	}
	if seconds, ok := at(object.Object, "spec", "terminationGracePeriodSeconds").(int64); ok {
		return seconds
	}
	return defaultGracePeriodSeconds
}

// ended says that nothing holds the deletion of the object any longer.
func ended(object *unstructured.Unstructured) bool {
	if object.GetDeletionTimestamp() == nil || len(object.GetFinalizers()) > 0 {
		return false
	}
	grace := object.GetDeletionGracePeriodSeconds()
	return grace == nil || *grace == 0
}
