package singlenode

import (
	"fmt"
	"time"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
)

// serverFinding says how the server is: names that others have and writes that the API refused come before the state of
// the Pod, since a Pod without its Service serves nobody.
func (s situation) serverFinding(f fate) finding {
	if n, ok := conflict(s.w); ok {
		return finding{reason: reason.NameConflict, message: fmt.Sprintf(
			"%s %s belongs to somebody else, and is not touched. Look at it, and delete it if nobody needs it, or choose another name for this Chroma: kubectl get %s -n %s %s -o yaml",
			n.kind, n.object.GetName(), n.kind, s.w.Chroma.GetNamespace(), n.object.GetName())}
	}
	for _, role := range []struct {
		name string
		reason.Reason
	}{{chroma.RoleConfig, reason.ConfigRefused}, {chroma.RoleService, reason.ServiceRefused}, {chroma.RoleClaim, reason.ClaimRefused}, {chroma.RoleLedger, reason.ClaimRefused}} {
		if held, ok := s.held[role.name]; ok {
			return finding{reason: role.Reason, message: fmt.Sprintf("The API refused the %s: %s", role.name, words(s.w, held.Retry))}
		}
	}
	return f.server
}

// claimFinding says why no Pod can be started on the claim, and when to look again.
func (s situation) claimFinding() (finding, time.Duration) {
	name, namespace := chroma.ClaimName(s.w.Chroma.GetName()), s.w.Chroma.GetNamespace()
	switch s.claim.state {
	case claimAbsent:
		if trouble := objectTrouble(s.w.Composed.ClaimObject); trouble != "" {
			return finding{reason: reason.ClaimRefused, message: fmt.Sprintf(
				"The claim %s cannot be created: %s It never held data: mend what is named here, or delete the Chroma and begin anew.", name, sentence(trouble))}, ttlSoon
		}
		return finding{reason: reason.ClaimPending, message: fmt.Sprintf("The claim %s is being created through provider-kubernetes.", name)}, ttlSoon
	case claimTerminating:
		return finding{reason: reason.ClaimTerminating, message: fmt.Sprintf(
			"The claim %s is being deleted and goes as soon as no Pod uses it. That cannot be taken back: copy the data out of the running server first. Nothing is replaced or started meanwhile.", name)}, ttlLater
	case claimTaken:
		if owners := s.claim.pvc.GetOwnerReferences(); len(owners) > 0 {
			return finding{reason: reason.NameConflict, message: fmt.Sprintf(
				"The claim %s goes with %s %s, which owns it, and is not touched. To keep its data, take the owner off the claim.", name, owners[0].Kind, owners[0].Name)}, ttlLater
		}
		return finding{reason: reason.NameConflict, message: fmt.Sprintf(
			"The claim %s belongs to somebody else, and is not touched. To hand it over: kubectl label pvc -n %s %s %s=%s %s=%s --overwrite",
			name, namespace, name, chroma.LabelChroma, s.w.Chroma.GetName(), chroma.LabelManagedBy, chroma.ManagedByOperator)}, ttlLater
	case claimLost, claimUsable:
	}
	return s.lostFinding(name), ttlLater
}

// lostFinding for a claim that is gone, or that another one took the place of.
func (s situation) lostFinding(name string) finding {
	accept := func(value string) string {
		return annotate(s.w, chroma.AnnotationAcceptClaim+"="+value, "--overwrite")
	}
	if s.claim.pvc == nil {
		return finding{reason: reason.ClaimLost, message: fmt.Sprintf(
			"The claim %s (UID %s) with the data is gone. Nothing is started on an empty volume. Restore it and say so (%s), or begin anew with an empty one: %s",
			name, s.claim.pinned, accept(fmt.Sprintf(`"$(kubectl get pvc -n %s %s -o jsonpath={.metadata.uid})"`, s.w.Chroma.GetNamespace(), name)), accept(chroma.AcceptNewClaimPrefix+string(s.claim.pinned)))}
	}
	return finding{reason: reason.ClaimLost, message: fmt.Sprintf(
		"The claim %s is another one (UID %s) than the one with the data (UID %s). Nothing is started on it. To use it: %s",
		name, s.claim.pvc.GetUID(), s.claim.pinned, accept(string(s.claim.pvc.GetUID())))}
}

// podRefused says why the API takes no Pod, and what ran before.
func podRefused(s situation, held refusal) finding {
	message := "The API refused the Pod: " + words(s.w, held.Retry)
	if before := s.w.Chroma.Status.LastReadySpec; before != "" {
		message = sentence(message) + " The last spec that ran: " + before + "."
	}
	return finding{reason: reason.PodRefused, message: message}
}

// recording says what is being recorded, and what holds it up when that is known.
func recording(s situation, next candidate) string {
	message := fmt.Sprintf("Recording on the claim that %s is about to run. No Pod starts before that.", next.release.Version.Title())
	if trouble := objectTrouble(s.w.Composed.LedgerObject); trouble != "" {
		message += " provider-kubernetes reports: " + sentence(trouble)
	}
	return message
}

// sentence ends with a full stop.
func sentence(text string) string {
	if text == "" || text[len(text)-1] == '.' {
		return text
	}
	return text + "."
}
