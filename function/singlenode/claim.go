package singlenode

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/previous"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

// providerManagerPrefix begins the field manager of provider-kubernetes; the name of the Object follows.
const providerManagerPrefix = "provider-kubernetes/"

// A claimState is what became of the claim <name>-1, the only one that is ever used.
type claimState int

const (
	// claimAbsent: there is none, and there never was one. It is created.
	claimAbsent claimState = iota
	// claimUsable: it is there, and it is the one we know or may take.
	claimUsable
	// claimTerminating: it is being deleted, and only our running Pod holds it.
	claimTerminating
	// claimLost: the claim we know is gone, or another one is in its place.
	claimLost
	// claimTaken: there is one that nobody handed over to us.
	claimTaken
)

// A claim as this pass sees it.
type claim struct {
	state claimState
	pvc   *corev1.PersistentVolumeClaim
	// pinned is the UID of the only claim that may be used. Empty: none was seen yet.
	pinned types.UID
	// accepted is the accept-claim annotation that was followed.
	accepted string
	// renewed: the old claim was given up in this pass, its record with it.
	renewed bool
}

// pinned is the UID of the claim in use: from status, or, when status was lost, from the manifest of its Object, or when that
// is gone too, of the Object that writes its record.
func (w World) pinned() types.UID {
	if w.Chroma.Status.ClaimUID != "" {
		return types.UID(w.Chroma.Status.ClaimUID)
	}
	uid := w.named()
	if w.Chroma.Status.AcceptedClaim == chroma.AcceptNewClaimPrefix+string(uid) {
		return "" // Given up already: the Object is behind.
	}
	return uid
}

// named is the UID of the claim that our Objects name, other than some.
func (w World) named(others ...types.UID) types.UID {
	for _, object := range []*unstructured.Unstructured{w.Composed.ClaimObject, w.Composed.LedgerObject} {
		if object == nil {
			continue
		}
		if uid := objects.Manifest(object).GetUID(); uid != "" && !slices.Contains(others, uid) {
			return uid
		}
	}
	return ""
}

// claimOf the Chroma.
func claimOf(w World) claim {
	c := claim{pvc: w.Found.Claim.One(), pinned: w.pinned(), accepted: w.Chroma.Status.AcceptedClaim}
	c = accept(w, c)

	switch {
	case c.pvc == nil && c.pinned == "":
		c.state = claimAbsent
	case c.pvc == nil:
		c.state = claimLost
	case c.pinned != "" && c.pinned != c.pvc.GetUID():
		c.state = claimLost
	case c.pvc.GetDeletionTimestamp() != nil:
		c.state = claimTerminating
	case c.pinned == "" && !adoptable(w, c.pvc):
		c.state = claimTaken
	default:
		c.state, c.pinned = claimUsable, c.pvc.GetUID()
	}
	return c
}

// accept follows the annotation accept-claim, once: a person's word on a claim that was lost.
func accept(w World, c claim) claim {
	word := w.Chroma.GetAnnotations()[chroma.AnnotationAcceptClaim]
	if word == "" || word == c.accepted || c.pinned == "" {
		return c
	}
	if c.pvc != nil && word == string(c.pvc.GetUID()) && c.pinned != c.pvc.GetUID() && c.pvc.GetDeletionTimestamp() == nil {
		c.pinned, c.accepted, c.renewed = c.pvc.GetUID(), word, true
		return c
	}
	lost, anew := strings.CutPrefix(word, chroma.AcceptNewClaimPrefix)
	if !anew || lost != string(c.pinned) {
		return c
	}
	// An older status that was restored speaks of an earlier claim. The one that the Objects name is lost, too, and takes a
	// word of its own, unless it had that already and its Object is behind.
	if later := w.named(c.pinned, types.UID(strings.TrimPrefix(c.accepted, chroma.AcceptNewClaimPrefix))); later != "" {
		c.pinned, c.accepted, c.renewed = later, word, true
		return c
	}
	// With a claim of ours in place already, the pass that unpinned the old one crashed before it wrote the status.
	if c.pvc == nil || (c.pvc.GetUID() != c.pinned && createdFor(w, c.pvc)) {
		c.pinned, c.accepted, c.renewed = "", word, true
	}
	return c
}

// adoptable tells whether a claim that nobody pinned may be taken: it is ours by owner, or it has the labels of a claim
// that a Chroma of this name retained or that a person handed over. One with another owner goes when that goes, whether
// the owner controls it or not.
func adoptable(w World, pvc *corev1.PersistentVolumeClaim) bool {
	if owned(w, pvc) {
		return true
	}
	return len(pvc.GetOwnerReferences()) == 0 && objects.Adoptable(w.Chroma.GetName(), pvc.GetLabels())
}

// markOf the claims that this XR creates: its UID and the time of its creation.
func markOf(w World) string {
	return string(w.Chroma.GetUID()) + "/" + w.Chroma.GetCreationTimestamp().UTC().Format(time.RFC3339)
}

// createdFor tells whether the claim carries a creation mark that can be true. The manifest that creates the claim has
// the mark, and while a cache was behind it may have been applied to a claim that was there before: then the claim is
// older than the XR of the mark.
func createdFor(w World, pvc *corev1.PersistentVolumeClaim) bool {
	mark := pvc.GetAnnotations()[chroma.AnnotationCreatedFor]
	_, at, ok := strings.Cut(mark, "/")
	if !ok {
		return false
	}
	since, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return false
	}
	return !pvc.GetCreationTimestamp().Time.Before(since) && !w.ClaimMadeByOthers
}

// madeByOthers tells whether somebody other than provider-kubernetes has set the claim's access modes, as whoever creates
// a claim does. Offline there are no managedFields to tell.
func madeByOthers(observed *unstructured.Unstructured) bool {
	return slices.ContainsFunc(previous.Owners(observed, "spec", "accessModes"), func(manager string) bool {
		return !strings.HasPrefix(manager, providerManagerPrefix)
	})
}

// owned tells whether the claim would go with this Chroma.
func owned(w World, object metav1.Object) bool {
	for _, owner := range object.GetOwnerReferences() {
		if owner.UID == w.Chroma.GetUID() {
			return true
		}
	}
	return false
}

// policyInEffect is what would happen now: Delete as long as the claim or the manifest of its Object names this Chroma as
// an owner, and already when the next pass will.
func policyInEffect(w World, pvc *corev1.PersistentVolumeClaim) chroma.PVCDeletionPolicy {
	switch {
	case w.Chroma.Spec.PVCDeletionPolicy == chroma.PVCDelete,
		pvc != nil && owned(w, pvc),
		w.Composed.ClaimObject != nil && owned(w, objects.Manifest(w.Composed.ClaimObject)):
		return chroma.PVCDelete
	}
	return chroma.PVCRetain
}
