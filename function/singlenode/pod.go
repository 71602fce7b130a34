package singlenode

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

// How soon to look again.
const (
	ttlSettled = time.Minute
	ttlSoon    = 2 * time.Second
	// ttlEnding while there is no server: the end of a Pod that was left out is not watched.
	ttlEnding = time.Second
	// ttlGoing while it is likely to be gone at any moment.
	ttlGoing = time.Second / 2
	ttlLater = 10 * time.Second
	noServer = "No server runs. "

	// haste that a Pod's end is looked at with. A server without open requests is gone after two or three seconds, most of
	// them the kubelet's, which looks at its containers once a second.
	haste = 5 * time.Second
	// patience after which a wait is looked at less often.
	patience = time.Minute
)

// situation is all that the fate of the Pod depends on.
type situation struct {
	w      World
	claim  claim
	record record
	wanted candidate
	// recovery is what a server whose spec is refused starts again with.
	recovery candidate
	edit     edit
	// content of the configuration file that the spec asks for.
	content string
	held    map[string]refusal
	// aborted: a refused write ended the previous pass. This one writes nothing but the status.
	aborted bool
	// invalid is what the API would refuse of a Pod with this spec.
	invalid finding
}

// A fate of the Pod, and why.
type fate struct {
	pod    PodPlan
	config Action
	// raise is the candidate that is about to run: its version is recorded before its Pod exists.
	raise *candidate
	// server says how the server is.
	server finding
	// blocked says what is held back, when it is not the image.
	blocked finding
	ask     map[string]pass.Requirement
	ttl     time.Duration
}

// podFate decides what becomes of the Pod.
func podFate(s situation) fate {
	pod := s.w.pod()
	switch {
	case pod == nil:
		return start(s)
	case pod.GetDeletionTimestamp() != nil:
		return waitForEnd(s, pod)
	case s.uncomposed(pod) && (!s.lasting(reason.PodTerminating) || !judge(s.w, imageOf(pod), s.record).allowed()):
		return waitForRest(pod)
	case s.claim.state != claimUsable, s.record.newer:
		return stayWithout(s, pod)
	case ended(pod):
		return replaceEnded(s, pod)
	case wantsAnother(s, pod):
		return replace(s, pod)
	}
	return stay(s, pod)
}

// uncomposed tells whether a Pod of ours is not among what Crossplane observes: it was left out, and the answer that shows
// it alive may be behind. Taking it in then would make it again when it has gone meanwhile.
func (s situation) uncomposed(pod *corev1.Pod) bool {
	return s.w.Composed.Pod == nil && metav1.GetControllerOf(pod) != nil
}

// lasting tells whether the server's condition has had a reason for longer than any cache is behind.
func (s situation) lasting(because reason.Reason) bool {
	before := s.w.condition(string(reason.ServerReady))
	return before != nil && before.Reason == string(because) && s.w.Now.Sub(before.LastTransitionTime.Time) > patience
}

// waitForRest of a Pod that was left out. One that is still there after a minute was never deleted, and is taken in again.
func waitForRest(pod *corev1.Pod) fate {
	return fate{pod: PodPlan{Action: LeaveOut}, config: Keep, ttl: ttlEnding, server: finding{
		reason: reason.PodTerminating, message: fmt.Sprintf(
			"Pod %s was left out and has not ended yet. If it is still there in some minutes: kubectl delete pod -n %s %s", pod.GetName(), pod.GetNamespace(), pod.GetName())}}
}

// wantsAnother tells whether the user asks for another Pod: something the user set has changed, or somebody changed the
// image after its creation. Another template of ours alone replaces nothing.
func wantsAnother(s situation, pod *corev1.Pod) bool {
	if s.edit.byHand {
		return true
	}
	return pod.GetAnnotations()[chroma.AnnotationUserHash] != objects.UserHash(&s.w.Chroma.Spec, s.wanted.image)
}

// stay as it is, the ConfigMap too: a container that restarts reads it.
func stay(s situation, pod *corev1.Pod) fate {
	f := fate{pod: kept(s, pod), config: Keep, server: stateOf(pod, s.w.Now), ttl: ttlLater}
	if f.server.reason == reason.PodReady {
		f.ttl = ttlSettled
	}
	if claim := s.claim.pvc; f.server.reason == reason.Unschedulable && claim != nil && claim.Status.Phase == corev1.ClaimPending {
		f.server.message = sentence(f.server.message) + fmt.Sprintf(
			" Its claim %s has no volume: when its class or size is wrong it never held data, so begin anew: kubectl delete chroma -n %s %s; kubectl delete pvc -n %s %s",
			claim.GetName(), s.w.Chroma.GetNamespace(), s.w.Chroma.GetName(), claim.GetNamespace(), claim.GetName())
	}
	if !s.w.observes(chroma.RoleConfig) {
		f.config = Apply // Deleted by hand: without it the container could not start again.
	}
	return f
}

// stayWithout a claim to start anything on: a running server stays, and one that ended is not replaced.
func stayWithout(s situation, pod *corev1.Pod) fate {
	f := stay(s, pod)
	if s.record.newer {
		if ended(pod) {
			f.server = finding{reason: reason.LedgerNewer, message: newerMessage}
		}
		return f
	}
	// What waits for a claim of this name would run on another one, of which nothing is recorded. A server that runs stays,
	// whatever the answer says: it can be behind.
	waiting := pod.Status.Phase == corev1.PodPending || pod.Status.Phase == ""
	switch s.claim.state {
	case claimAbsent:
		if waiting || ended(pod) {
			f.server, _ = s.claimFinding()
			return leaveOut(s, f)
		}
	case claimLost, claimTaken:
		if waiting {
			f.server, _ = s.claimFinding()
			return leaveOut(s, f)
		}
	case claimTerminating, claimUsable:
	}
	if ended(pod) {
		f.server, f.ttl = s.claimFinding()
	}
	return f
}

func kept(s situation, pod *corev1.Pod) PodPlan {
	return PodPlan{Action: Keep, Admitted: s.edit.admitted, Adopt: s.w.Composed.Pod == nil, Ready: isReady(pod)}
}

// replace a running Pod: only when what shall run instead may run, and is recorded.
func replace(s situation, pod *corev1.Pod) fate {
	f := stay(s, pod)
	if !s.wanted.allowed() || s.record.Unknown {
		return f // UpgradeBlocked says why.
	}
	if !s.invalid.none() {
		f.blocked = s.invalid
		return f
	}
	f.ttl = ttlSoon
	if !s.record.agreed {
		// What was seen is recorded before anything is asked: a right that Crossplane lacks makes it wait for the answer.
		f.blocked = finding{reason: reason.LedgerPending, message: recording(s, s.wanted)}
		return f
	}
	f.ask = map[string]pass.Requirement{}
	if unknown := unknownPriority(s, f.ask); !unknown.none() {
		f.blocked, f.ttl = unknown, ttlLater
		return f
	}
	f.raise = &s.wanted
	if !s.record.covers(s.wanted) {
		f.blocked = finding{reason: reason.LedgerPending, message: recording(s, s.wanted)}
		return f
	}
	if lost, waiting := nodeLost(s, f.ask, pod.Spec.NodeName); waiting {
		f.blocked = lost
		return f
	}
	f.server = finding{reason: reason.PodTerminating, message: fmt.Sprintf("Pod %s is ending, to be replaced.", pod.GetName())}
	return leaveOut(s, f)
}

// leaveOut the Pod, so that Crossplane deletes it. One that Crossplane does not observe is taken in first: it deletes only
// what it composed.
func leaveOut(s situation, f fate) fate {
	f.ttl = ttlGoing
	if s.w.Composed.Pod != nil {
		f.pod, f.config = PodPlan{Action: LeaveOut}, Apply
	}
	return f
}

// replaceEnded leaves out a Pod that ended for good, and that something may follow.
func replaceEnded(s situation, pod *corev1.Pod) fate {
	f := stay(s, pod)
	if s.record.Unknown || (!s.wanted.allowed() && !s.recovery.allowed()) {
		f.server = finding{reason: s.wanted.reason, message: s.wanted.message}.withoutServer()
		return f
	}
	if !s.invalid.none() {
		f.server, f.blocked = s.invalid.withoutServer(), s.invalid
		return f
	}
	return leaveOut(s, f)
}

// waitForEnd of a Pod that is being deleted, by us or by somebody else. It is left out, not kept: a kept intent would
// make it again the moment it is gone.
func waitForEnd(s situation, pod *corev1.Pod) fate {
	f := fate{
		pod: PodPlan{Action: LeaveOut}, config: Apply, ttl: ttlOfEnd(s.w.Now, pod),
		server: finding{reason: reason.PodTerminating, message: fmt.Sprintf(
			"Pod %s is ending. The next one is created when it is gone: two servers on one volume damage its index.", pod.GetName())},
	}
	if s.claim.state == claimTerminating || s.claim.state == claimLost || s.record.newer {
		f.config = Keep
	}
	// A deletion's timestamp is its end, grace period included.
	if over := s.w.Now.Sub(pod.GetDeletionTimestamp().Time); over > 0 {
		f.ask = map[string]pass.Requirement{}
		if lost, waiting := nodeLost(s, f.ask, pod.Spec.NodeName); waiting && lost.reason == reason.NodeLost {
			f.server = lost
		}
		if over > patience {
			f.ttl = ttlLater
		}
	}
	return f
}

// ttlOfEnd of a Pod. A deletion's timestamp is the end of the grace period, which a server with open requests needs.
func ttlOfEnd(now time.Time, pod *corev1.Pod) time.Duration {
	grace := time.Duration(ptr.Deref(pod.GetDeletionGracePeriodSeconds(), 0)) * time.Second
	if now.Sub(pod.GetDeletionTimestamp().Add(-grace)) < haste {
		return ttlGoing
	}
	return ttlEnding
}
