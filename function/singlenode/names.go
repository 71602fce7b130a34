package singlenode

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

const kindClaim = "PersistentVolumeClaim"

// A holder of a name that this Chroma needs.
type holder int

const (
	// ourselves: an object of this XR, or one orphaned by a Chroma of this name (kubectl delete --cascade=orphan).
	ourselves holder = iota
	// predecessor: an object of a Chroma of this name that is gone or going. It goes too, in its own time.
	predecessor
	// stranger: an object of somebody else. Server-side apply would take it over without a word.
	stranger
)

// holderOf a name: of the object that has it now.
func holderOf(w World, object metav1.Object) holder {
	controller := metav1.GetControllerOf(object)
	switch {
	case controller != nil && controller.UID == w.Chroma.GetUID():
		return ourselves
	case ownedByPredecessor(w, object), object.GetDeletionTimestamp() != nil:
		return predecessor
	case controller == nil && object.GetLabels()[chroma.LabelChroma] == w.Chroma.GetName():
		return ourselves
	}
	return stranger
}

// ownedByPredecessor tells whether an owner is an XR of our kind and name (behind a claim: for a claim of our name) with
// another UID. Kubernetes collects such an object once it has noticed that its owner is gone.
func ownedByPredecessor(w World, object metav1.Object) bool {
	for _, owner := range object.GetOwnerReferences() {
		if owner.Kind != w.XR.Kind || group(owner.APIVersion) != group(w.XR.APIVersion) || owner.UID == w.Chroma.GetUID() {
			continue
		}
		if owner.Name == w.XR.Name || (w.XR.ClaimBacked && object.GetLabels()[chroma.LabelChroma] == w.Chroma.GetName()) {
			return true
		}
	}
	return false
}

func group(apiVersion string) string {
	name, _, _ := strings.Cut(apiVersion, "/")
	return name
}

// A name that this Chroma needs, with the object that has it.
type name struct {
	kind   string
	object metav1.Object
}

// found objects under our names that Crossplane does not observe as ours. The Pod is told of first: it takes its time to
// stop, and goes last.
func (w World) found() []name {
	var names []name
	add := func(kind string, object metav1.Object) { names = append(names, name{kind: kind, object: object}) }
	if o := w.Found.Pod.One(); o != nil && w.Composed.Pod == nil {
		add("Pod", o)
	}
	if o := w.Found.ClaimObject.One(); o != nil && w.Composed.ClaimObject == nil {
		add("objects.kubernetes.m.crossplane.io", o)
	}
	if o := w.Found.LedgerObject.One(); o != nil && w.Composed.LedgerObject == nil {
		add("objects.kubernetes.m.crossplane.io", o)
	}
	if o := w.Found.Config.One(); o != nil && w.Composed.Config == nil {
		add("ConfigMap", o)
	}
	if o := w.Found.Service.One(); o != nil && w.Composed.Service == nil {
		add("Service", o)
	}
	return names
}

// waitsFor an object of a predecessor: nothing is composed, adopted or pinned until it is gone.
func waitsFor(w World) (name, bool) {
	for _, n := range w.found() {
		if holderOf(w, n.object) == predecessor {
			return n, true
		}
	}
	claim := w.Found.Claim.One()
	if claim == nil || w.pinned() == claim.GetUID() {
		return name{}, false
	}
	if ownedByPredecessor(w, claim) || (claim.GetDeletionTimestamp() != nil && w.pinned() == "") {
		return name{kind: kindClaim, object: claim}, true
	}
	return name{}, false
}

// waitingFor says what is waited for.
func waitingFor(n name) string {
	message := fmt.Sprintf("%s %s belongs to a Chroma of this name that was deleted. Waiting until it is gone.", n.kind, n.object.GetName())
	if n.kind == kindClaim && n.object.GetDeletionTimestamp() != nil {
		message += " Its deletion cannot be taken back: while a Pod still uses it, its data can be copied out."
	}
	return message
}

// conflict with an object of somebody else.
func conflict(w World) (name, bool) {
	for _, n := range w.found() {
		if holderOf(w, n.object) == stranger {
			return n, true
		}
	}
	return name{}, false
}
