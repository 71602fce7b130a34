package singlenode

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	writes "github.com/function-chroma/function-chroma/function/refusal"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

// roleGrowth is the retry of a larger size that the API refused.
const roleGrowth = "claim-size"

// claimPlan for the Object that holds the claim.
func claimPlan(s situation, size sizing) ClaimPlan {
	plan := ClaimPlan{Action: Keep, Ready: s.claim.state == claimUsable}
	if !s.writable(chroma.RoleClaim, terminating(s.w.Composed.ClaimObject), asMeta(s.w.Found.ClaimObject.One())) {
		return plan
	}
	switch s.claim.state {
	case claimAbsent:
		if s.w.pod() != nil {
			return plan // It would run on the new claim, of which nothing is recorded yet.
		}
		plan.Action, plan.Claim = Apply, newClaim(s.w)
	case claimUsable:
		plan.Action, plan.Claim = Apply, knownClaim(s, size.send)
		plan.LookAgain = lookAgain(s.w.Composed.ClaimObject, s.claim.pvc, claimDiffers(s.w, s.claim.pvc, plan.Claim), claimChanges(s.w, plan.Claim))
	case claimTaken:
		// An Object that still asks for a new claim would take over the one that somebody else made meanwhile.
		plan.Action = LeaveOut
	case claimTerminating, claimLost:
	}
	return plan
}

// newClaim as the spec asks for. Its mark says that it is empty.
func newClaim(w World) objects.Claim {
	out := objects.Claim{
		Name: w.Chroma.GetName(), Namespace: w.Chroma.GetNamespace(),
		Mark: markOf(w), Owner: ownerOf(w), Size: *w.Chroma.Spec.Storage.Size,
		AccessModes: []corev1.PersistentVolumeAccessMode{w.Settings.Claims.AccessMode},
	}
	if class := w.Chroma.Spec.Storage.StorageClass; class != "" {
		out.StorageClass = &class
	}
	return out
}

// knownClaim is the claim as it is: only our labels, its owner and a larger size change it.
func knownClaim(s situation, size resource.Quantity) objects.Claim {
	pvc := s.claim.pvc
	return objects.Claim{
		Name: s.w.Chroma.GetName(), Namespace: s.w.Chroma.GetNamespace(),
		UID: pvc.GetUID(), Mark: pvc.GetAnnotations()[chroma.AnnotationCreatedFor], Owner: ownerOf(s.w),
		Size: size, StorageClass: pvc.Spec.StorageClassName, AccessModes: pvc.Spec.AccessModes,
	}
}

// ownerOf the claim under the policy Delete. It comes a pass after the status says so: the admission policy that keeps a
// Chroma from taking its claim along right after a change to Retain reads the status.
func ownerOf(w World) *objects.Owner {
	if w.Chroma.Spec.PVCDeletionPolicy != chroma.PVCDelete || w.Chroma.GetUID() == "" || w.Chroma.Status.PVCDeletionPolicy != chroma.PVCDelete {
		return nil
	}
	return &objects.Owner{APIVersion: w.XR.APIVersion, Kind: w.XR.Kind, Name: w.XR.Name, UID: w.Chroma.GetUID()}
}

// claimChanges tells whether the observed Object asks for something else than it is about to.
func claimChanges(w World, want objects.Claim) bool {
	if w.Composed.ClaimObject == nil {
		return true
	}
	manifest := objects.Manifest(w.Composed.ClaimObject)
	size, _, _ := unstructured.NestedString(manifest.Object, "spec", "resources", "requests", "storage")
	return manifest.GetUID() != want.UID || owned(w, manifest) != (want.Owner != nil) || size != want.Size.String()
}

// claimDiffers tells whether the claim itself differs from the manifest in what the manifest is for.
func claimDiffers(w World, pvc *corev1.PersistentVolumeClaim, want objects.Claim) bool {
	for key, value := range objects.ClaimLabels(want.Name) {
		if pvc.GetLabels()[key] != value {
			return true
		}
	}
	have := pvc.Spec.Resources.Requests[corev1.ResourceStorage]
	return owned(w, pvc) != (want.Owner != nil) || have.Cmp(want.Size) != 0
}

// lookAgain is the token that has the provider look: the version of the claim that differs, else the token before. An
// Object that is about to change makes the provider look anyway, and one whose claim was seen before the provider had its
// turn needs none.
func lookAgain(observed *unstructured.Unstructured, pvc *corev1.PersistentVolumeClaim, differs, changes bool) string {
	if differs && !changes {
		return pvc.GetResourceVersion()
	}
	if observed == nil {
		return ""
	}
	return observed.GetAnnotations()[objects.AnnotationLookAgain]
}

// sizing of a claim that exists.
type sizing struct {
	// send this size.
	send resource.Quantity
	// held says why the wanted size is not sent.
	held finding
	// retry of a size that the API refused.
	retry *chroma.Retry
	ask   map[string]pass.Requirement
}

// sizeOf the claim. It may grow when it has a volume whose class allows expansion. A size below the observed one, or any
// other size before it has a volume, would make the API refuse the whole manifest.
func sizeOf(w World, c claim) sizing {
	have := c.pvc.Spec.Resources.Requests[corev1.ResourceStorage]
	out := sizing{send: have}
	want := *w.Chroma.Spec.Storage.Size
	compared := want.Cmp(have)
	switch {
	case compared == 0 || c.state != claimUsable:
		return out
	case c.pvc.Status.Phase != corev1.ClaimBound:
		out.held = finding{reason: reason.StorageFixed, message: fmt.Sprintf(
			"The claim %s of %s has no volume yet, and until then its size cannot change to %s. If it never gets one, it never held data: delete the Chroma and the claim to begin anew.",
			c.pvc.GetName(), have.String(), want.String())}
		return out
	case compared < 0:
		out.held = finding{reason: reason.StorageNotShrunk, message: fmt.Sprintf(
			"spec.storage.size is %s, the claim %s has %s, and claims cannot shrink. Set spec.storage.size to %s.", want.String(), c.pvc.GetName(), have.String(), have.String())}
		return out
	}
	return growth(w, c, out, want)
}

func growth(w World, c claim, out sizing, want resource.Quantity) sizing {
	class := ""
	if c.pvc.Spec.StorageClassName != nil {
		class = *c.pvc.Spec.StorageClassName
	}
	if class != "" {
		out.ask = map[string]pass.Requirement{askStorageClass: storageClass(class)}
		if !w.Found.StorageClass.Given {
			return out
		}
	}
	found := w.Found.StorageClass.One()
	if found == nil || found.GetName() != class || found.AllowVolumeExpansion == nil || !*found.AllowVolumeExpansion {
		out.held = finding{reason: reason.StorageNotGrown, message: fmt.Sprintf(
			"The claim %s cannot grow to %s: its StorageClass %q does not allow expansion.", c.pvc.GetName(), want.String(), class)}
		return out
	}
	retry, wait := growthRetry(w, want)
	out.retry = retry
	if wait {
		out.held = finding{reason: reason.ClaimRefused, message: fmt.Sprintf("The claim %s cannot grow to %s: %s", c.pvc.GetName(), want.String(), retry.Message)}
		return out
	}
	out.send = want
	return out
}

// growthRetry is the state of a refused growth: a manifest that asks for the size, in an Object that reports a refusal.
// Meanwhile the observed size is sent, since a refused manifest holds back the rest of it too.
func growthRetry(w World, want resource.Quantity) (*chroma.Retry, bool) {
	var retry *chroma.Retry
	for i := range w.Chroma.Status.Retries {
		if r := w.Chroma.Status.Retries[i]; r.Role == roleGrowth && r.Refused == want.String() {
			retry = &r
		}
	}
	words := objectTrouble(w.Composed.ClaimObject)
	if words != "" && w.Composed.ClaimObject != nil {
		sent, _, _ := unstructured.NestedString(objects.Manifest(w.Composed.ClaimObject).Object, "spec", "resources", "requests", "storage")
		due := retry == nil || w.Now.Sub(retry.Last.Time) >= writes.Backoff(retry.Attempts)
		if sent == want.String() && due {
			next := chroma.Retry{Role: roleGrowth, Refused: want.String(), Message: words, Last: metav1.NewTime(w.Now.UTC().Truncate(time.Second))}
			if retry != nil {
				next.Attempts = retry.Attempts
			}
			next.Attempts++
			return &next, true
		}
	}
	return retry, retry != nil && w.Now.Sub(retry.Last.Time) < writes.Backoff(retry.Attempts)
}

// objectTrouble is what an Object says when the API refused its manifest, in the API's words.
func objectTrouble(object *unstructured.Unstructured) string {
	if object == nil {
		return ""
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, item := range conditions {
		condition, ok := item.(map[string]any)
		if !ok || condition["type"] != conditionSynced || condition["status"] != string(metav1.ConditionFalse) {
			continue
		}
		message, _ := condition["message"].(string)
		return strings.TrimSpace(message)
	}
	return ""
}

func terminating(object *unstructured.Unstructured) bool {
	return object != nil && object.GetDeletionTimestamp() != nil
}
