package distributed

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	applyrbacv1 "k8s.io/client-go/applyconfigurations/rbac/v1"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/reason"
)

// account is the ServiceAccount that decides which Chroma has the namespace. The API server lets an object have one
// controller only, so of two Chromas that create it at once, one is refused, and nothing else was created before.
const account = "sysdb-serviceaccount"

func accountRole() string { return chart.RoleOf(chart.KindServiceAccount, account) }

// A holder of a name that this Chroma needs.
type holder int

const (
	// nobody has the name.
	nobody holder = iota
	// unknown: the question has no answer yet.
	unknown
	// ourselves: an object of this XR, or one orphaned by a Chroma of this name (kubectl delete --cascade=orphan).
	ourselves
	// leaving: an object that is going, or whose owner is a Chroma of this name that is gone.
	leaving
	// neighbour: an object of another Chroma.
	neighbour
	// stranger: an object of somebody else. Server-side apply would take it over without a word.
	stranger
)

// holdsNamespace says whether the deciding ServiceAccount is observed as ours.
func (w World) holdsNamespace() bool {
	observed := w.live(accountRole())
	if observed == nil {
		return false
	}
	// Crossplane observes what it composed for this XR, so an object without a controller is one that it is about to
	// control again.
	controller := metav1.GetControllerOf(observed)
	return controller == nil || controller.UID == w.Chroma.GetUID()
}

// holderOf the name of a role that is not observed.
func (w World) holderOf(role string) holder {
	found := w.Required[askName(role)]
	object := found.Object()
	switch {
	case !found.Answered:
		return unknown
	case object == nil:
		return nobody
	case object.GetDeletionTimestamp() != nil, w.ownedByPredecessor(object):
		return leaving
	}
	controller := metav1.GetControllerOf(object)
	switch {
	case controller != nil && controller.UID == w.Chroma.GetUID():
		return ourselves
	case controller != nil && isChroma(*controller):
		return neighbour
	case controller == nil && object.GetLabels()[v1alpha1.LabelChroma] == w.Chroma.GetName():
		return ourselves
	}
	return stranger
}

// ownedByPredecessor tells whether an owner is an XR of our kind and name (behind a claim: for a claim of our name) with
// another UID. Kubernetes collects such an object once it has noticed that its owner is gone.
func (w World) ownedByPredecessor(object *unstructured.Unstructured) bool {
	for _, owner := range object.GetOwnerReferences() {
		if owner.Kind != w.XR.Kind || !isChroma(owner) || owner.UID == w.Chroma.GetUID() {
			continue
		}
		if owner.Name == w.XR.Name || (w.XR.ClaimBacked && object.GetLabels()[v1alpha1.LabelChroma] == w.Chroma.GetName()) {
			return true
		}
	}
	return false
}

func isChroma(owner metav1.OwnerReference) bool {
	group, _, _ := strings.Cut(owner.APIVersion, "/")
	return group == v1alpha1.Group && (owner.Kind == v1alpha1.Kind || owner.Kind == v1alpha1.KindXChroma)
}

// claimNamespace says whether the deciding ServiceAccount may be composed now, and if it is not ours yet, why.
func (s situation) claimNamespace() (compose bool, why finding) {
	w := s.w
	if w.Observed[accountRole()] != nil {
		return true, finding{reason.FoundationPending, fmt.Sprintf("ServiceAccount %s is being deleted, and is made again when it is gone.", account)}
	}
	switch w.holderOf(accountRole()) {
	case nobody, ourselves:
		// Somebody has deleted a neighbour's account, perhaps. While its spec is refused it does not make it again.
		for _, object := range s.objects {
			if object.Kind == chart.KindServiceAccount && w.holderOf(object.Role) == neighbour {
				return false, w.takenFinding(object.Role)
			}
		}
		return true, finding{reason.FoundationPending, fmt.Sprintf("ServiceAccount %s, which decides who has the namespace, is being created.", account)}
	case leaving:
		return false, w.leavingFinding(chart.KindServiceAccount, account)
	case neighbour:
		return false, w.takenFinding(accountRole())
	case stranger:
		return false, conflictFinding(chart.KindServiceAccount, account)
	case unknown:
	}
	return false, finding{reason.Observing, "The names of the objects are being looked up."}
}

// takenFinding names the neighbour that holds the name of a role.
func (w World) takenFinding(role string) finding {
	return finding{reason.DistributedNamespaceTaken, "Another distributed Chroma has this namespace: " +
		w.ownerName(w.Required[askName(role)].Object()) + ". Create this one in another namespace."}
}

func (w World) ownerName(object *unstructured.Unstructured) string {
	if name := object.GetLabels()[v1alpha1.LabelChroma]; name != "" {
		return "Chroma " + name
	}
	controller := metav1.GetControllerOf(object)
	return controller.Kind + " " + controller.Name
}

func (w World) leavingFinding(kind, name string) finding {
	return finding{reason.WaitingForPredecessor, fmt.Sprintf("%s %s of a Chroma that was deleted is still there. It is waited for until Kubernetes has collected it.", kind, name)}
}

func conflictFinding(kind, name string) finding {
	return finding{reason.NameConflict, fmt.Sprintf("%s %s exists already and does not belong to this Chroma. It is not touched, and nothing new is created: delete or rename it.", kind, name)}
}

// blockedName says whether somebody else has one of the names that are wanted and not observed. MemberLists carry no
// owner, since the sysdb strips it: their names are those of their Objects here, and whoever holds the namespace owns
// the lists.
func (s situation) blockedName() finding {
	waiting := finding{}
	for _, object := range s.objects {
		if s.w.Observed[object.Role] != nil {
			continue
		}
		kind := object.Kind
		if kind == chart.KindMemberList {
			kind = objectKind
		}
		switch s.w.holderOf(object.Role) {
		case stranger, neighbour:
			return conflictFinding(kind, object.Name)
		case leaving:
			if kind != chart.KindJob { // The Job of ours that is made anew is waited for by itself.
				waiting = s.w.leavingFinding(kind, object.Name)
			}
		case nobody, unknown, ourselves:
		}
	}
	return waiting
}

// mayCreate says whether an object that is not observed may be composed.
func (w World) mayCreate(object chart.Object) bool {
	if !w.roleObserved(object) {
		return false
	}
	switch w.holderOf(object.Role) {
	case nobody:
		return true
	case ourselves:
		// A Job that we control and that is not observed was left out in the pass before, and goes. An orphan has no
		// controller.
		return object.Kind != chart.KindJob || metav1.GetControllerOf(w.Required[askName(object.Role)].Object()) == nil
	case unknown, leaving, neighbour, stranger:
	}
	return false
}

// roleObserved: a RoleBinding whose Role is not there is refused with "not found", since the API server compares the
// Role's rules with the rights of who binds it, and Crossplane, which applies in any order, ends its pass at that.
func (w World) roleObserved(object chart.Object) bool {
	binding, ok := object.Manifest.(*applyrbacv1.RoleBindingApplyConfiguration)
	return !ok || w.live(chart.RoleOf(chart.KindRole, *binding.RoleRef.Name)) != nil
}
