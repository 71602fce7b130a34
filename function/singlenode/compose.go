package singlenode

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/previous"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

// Compose the objects of a decision.
func Compose(w World, d Decision) (pass.Answer, error) {
	answer := pass.Answer{
		Requirements: d.Requirements, Conditions: d.Conditions, Events: d.Events, Status: &d.Status, Ready: d.Ready, TTL: d.TTL,
	}
	for _, part := range []struct {
		role    string
		compose func(World, Decision) (any, error)
		ready   bool
	}{
		{chroma.RoleClaim, composeClaim, d.Claim.Ready},
		{chroma.RoleLedger, composeLedger, d.Ledger.Ready},
		{chroma.RoleConfig, composeConfig, true},
		{chroma.RoleService, composeService, true},
		{chroma.RolePod, composePod, d.Pod.Ready},
	} {
		manifest, err := part.compose(w, d)
		if err != nil {
			return pass.Answer{}, fmt.Errorf("cannot compose the %s of Chroma %q: %w", part.role, w.Chroma.GetName(), err)
		}
		if manifest != nil {
			answer.Objects = append(answer.Objects, pass.Object{Role: part.role, Manifest: manifest, Ready: part.ready})
		}
	}
	return answer, nil
}

// keep what is observed. What is being deleted is left out: a kept intent would make it again the moment it is gone.
func keep(observed *unstructured.Unstructured) (any, error) {
	if observed == nil || observed.GetDeletionTimestamp() != nil {
		return nil, nil //nolint:nilnil // Nothing to keep is an answer here, not an error.
	}
	return previous.Intent(observed)
}

func composeClaim(w World, d Decision) (any, error) {
	switch d.Claim.Action {
	case LeaveOut:
		return nil, nil //nolint:nilnil // The Object has no policy Delete: the claim stays.
	case Keep:
		return keep(w.Composed.ClaimObject)
	case Apply:
	}
	object, err := objects.ClaimObject(d.Claim.Claim, w.Settings.Claims.ProviderConfig)
	if err != nil {
		return nil, err
	}
	objects.SetLookAgain(object, d.Claim.LookAgain)
	return object, nil
}

func composeLedger(w World, d Decision) (any, error) {
	if d.Ledger.Action != Apply {
		return keep(w.Composed.LedgerObject)
	}
	object, err := objects.LedgerObject(w.Chroma.GetName(), w.Chroma.GetNamespace(), d.Ledger.UID, d.Ledger.Record.Annotations(), w.Settings.Claims.ProviderConfig)
	if err != nil {
		return nil, err
	}
	objects.SetLookAgain(object, d.Ledger.LookAgain)
	return object, nil
}

func composeConfig(w World, d Decision) (any, error) {
	if d.Config.Action != Apply {
		return keep(w.Composed.Config)
	}
	return objects.ConfigMap(w.Chroma.GetName(), w.Chroma.GetNamespace(), d.Config.Content), nil
}

func composeService(w World, d Decision) (any, error) {
	if d.Service != Apply {
		return keep(w.Composed.Service)
	}
	return objects.Service(w.Chroma.GetName(), w.Chroma.GetNamespace(), w.Chroma.Spec.Service), nil
}

func composePod(w World, d Decision) (any, error) {
	switch d.Pod.Action {
	case LeaveOut:
		return nil, nil //nolint:nilnil // Leaving out is how a Pod is replaced.
	case Apply:
		return objects.Pod(w.Chroma, d.Pod.Image, d.Pod.Product, w.Settings.Security), nil
	case Keep:
	}
	pod := w.pod()
	if pod == nil || pod.GetDeletionTimestamp() != nil || (w.Composed.Pod == nil && !d.Pod.Adopt) {
		return nil, nil //nolint:nilnil // Nothing to keep is an answer here, not an error.
	}
	return keepPod(w, pod, d.Pod.Admitted)
}

// keepPod sends our previous intent back as a compare-and-set on the version just observed: an edit by hand that falls
// into this pass makes the API server refuse it, and the next pass sees the edit. Without the version, 2 of 14 such
// edits were undone unseen.
func keepPod(w World, pod *corev1.Pod, admitted string) (any, error) {
	if w.Intent == nil {
		return trimmed(pod)
	}
	intent := &unstructured.Unstructured{Object: maps.Clone(w.Intent)}
	metadata, _ := w.Intent["metadata"].(map[string]any)
	intent.Object["metadata"] = maps.Clone(metadata)
	if admitted != "" {
		annotations := intent.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[chroma.AnnotationAdmittedImage] = admitted
		intent.SetAnnotations(annotations)
	}
	intent.SetResourceVersion(pod.GetResourceVersion())
	return intent.Object, nil
}

// trimmed is a Pod without managedFields, as offline rendering shows it: the whole of it is taken for our intent.
func trimmed(pod *corev1.Pod) (any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
	if err != nil {
		return nil, fmt.Errorf("cannot encode Pod %q: %w", pod.GetName(), err)
	}
	return previous.Trimmed(&unstructured.Unstructured{Object: content}), nil
}
