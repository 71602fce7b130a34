package singlenode

import (
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

const (
	// conditionResponsive is Crossplane's: False while its circuit breaker is open.
	conditionResponsive = "Responsive"

	newerMessage = "A newer version of the function wrote the record of what has run on the data. Everything stays as it is, and nothing is started. Install that version of the function again."
)

// Answer one pass over a single-node Chroma.
func Answer(request pass.Request) (pass.Answer, error) {
	w, err := Observe(request)
	if err != nil {
		return pass.Answer{}, err
	}
	d, err := Decide(w)
	if err != nil {
		return pass.Answer{}, err
	}
	return Compose(w, d)
}

// Decide what should become of a Chroma. Whatever is not decided is kept.
func Decide(w World) (Decision, error) {
	if f := invalid(w); !f.none() {
		return undecided(w, f, ttlSettled), nil
	}
	if w.unanswered() {
		return asking(w), nil
	}
	if n, waiting := waitsFor(w); waiting {
		d := undecided(w, finding{reason: reason.WaitingForPredecessor, message: waitingFor(n)}, ttlSoon)
		inherit(w, &d.Status)
		return d, nil
	}

	s, err := situationOf(w)
	if err != nil {
		return Decision{}, err
	}
	f := podFate(s)
	return s.decision(f), nil
}

// situationOf the world: the rules in their order.
func situationOf(w World) (situation, error) {
	s := situation{w: w, claim: claimOf(w)}
	s.record = recordOf(w, s.claim)
	s.edit = editOf(w)
	s.record = s.record.ran(s.edit)
	s.wanted = wantedImage(w, s.claim, s.record)
	s.recovery = recoveryImage(w, s.record)
	var err error
	if s.content, err = objects.ConfigFile(w.Chroma.Spec.Config); err != nil {
		return situation{}, err
	}
	s.invalid = invalidPod(w.Chroma.Spec)
	s.held, s.aborted = refusals(w, map[string]string{
		chroma.RoleClaim:   w.Chroma.Spec.Storage.Size.String() + " " + w.Chroma.Spec.Storage.StorageClass,
		chroma.RoleLedger:  string(s.claim.pinned),
		chroma.RoleConfig:  objects.Hash(s.content),
		chroma.RoleService: objects.Hash(w.Chroma.Spec.Service),
		chroma.RolePod:     objects.UserHash(&w.Chroma.Spec, s.wanted.image),
	})
	return s, nil
}

// decision from the fate of the Pod: what becomes of everything around it.
func (s situation) decision(f fate) Decision {
	final := s.record
	if f.raise != nil {
		final = final.raised(*f.raise)
	}
	size := sizing{}
	if s.claim.pvc != nil {
		size = sizeOf(s.w, s.claim)
		if size.retry != nil {
			s.held[roleGrowth] = refusal{Retry: *size.retry}
		}
	}
	d := Decision{
		Claim: claimPlan(s, size), Ledger: ledgerPlan(s, final), Config: ConfigPlan{Action: Keep, Content: s.content}, Pod: f.pod,
		Requirements: requirements(s.w), TTL: f.ttl,
	}
	// What already has the content stays the same when it is sent anew, and need not be recovered from managedFields.
	if (f.config == Apply || configIs(s.w, s.content)) && s.writable(chroma.RoleConfig, terminating(s.w.Composed.Config), asMeta(s.w.Found.Config.One())) {
		d.Config.Action = Apply
	}
	if s.writable(chroma.RoleService, terminating(s.w.Composed.Service), asMeta(s.w.Found.Service.One())) {
		d.Service = Apply
	}
	s.forget(map[string]bool{
		chroma.RoleClaim: d.Claim.Action == Apply, chroma.RoleLedger: d.Ledger.Action == Apply, chroma.RoleConfig: d.Config.Action == Apply, chroma.RoleService: d.Service == Apply,
	})
	server := s.serverFinding(f)
	d.Ready = server.reason == reason.PodReady
	maps.Copy(d.Requirements, f.ask)
	maps.Copy(d.Requirements, size.ask)
	for _, held := range s.held {
		switch {
		case held.wait > 0:
			d.TTL = min(d.TTL, held.wait)
		case held.Tried:
			d.TTL = min(d.TTL, ttlSoon) // The next pass knows whether it was written.
		}
	}
	if s.aborted {
		d.TTL = min(d.TTL, ttlSoon) // What this pass did not write.
	}
	d.Status = statusOf(s, final, server)
	d.Conditions = conditions(server, upgradeFinding(s, f, size))
	d.Events = events(s.w, d.Conditions)
	if d.Claim.Action == Apply && s.claim.pvc != nil && claimDiffers(s.w, s.claim.pvc, d.Claim.Claim) {
		d.TTL = min(d.TTL, ttlSoon) // The claim is not watched, and the status tells of its owner.
	}
	d.TTL = patient(s.w, server.reason, d.TTL)
	return d
}

// patient looks less often at what lasts: a wait for a provider that is down can take hours.
//
// With its circuit breaker open Crossplane drops watch events, and starts a pass every 30 s only: a short time to live
// keeps things moving.
func patient(w World, server reason.Reason, ttl time.Duration) time.Duration {
	if responsive := w.condition(conditionResponsive); responsive != nil && responsive.Status == metav1.ConditionFalse {
		ttl = min(ttl, ttlLater)
	}
	before := w.condition(string(reason.ServerReady))
	if ttl <= ttlSoon && before != nil && before.Reason == string(server) && w.Now.Sub(before.LastTransitionTime.Time) > patience {
		return ttlLater
	}
	return ttl
}

// writable tells whether an object of a role may be sent: nobody else has its name, it is not on its way out, and the API
// did not refuse it a moment ago, nor anything in the pass before. While the record is newer than this function
// everything stays.
func (s situation) writable(role string, going bool, found metav1.Object) bool {
	switch {
	case s.record.newer, going, s.aborted, s.isHeld(role):
		return false
	case found == nil, s.w.observes(role):
		return true
	}
	return holderOf(s.w, found) == ourselves && found.GetDeletionTimestamp() == nil
}

// forget refusals that are due and not tried in this pass: what is not wanted now, like the configuration of a server whose
// claim is lost, would be told to be refused for as long as that lasts, and hide why.
func (s situation) forget(sent map[string]bool) {
	maps.DeleteFunc(s.held, func(role string, held refusal) bool {
		tried, told := sent[role]
		return told && !tried && held.wait == 0 && !s.aborted
	})
}

// isHeld tells whether a refused write waits for its next try.
func (s situation) isHeld(role string) bool {
	held, ok := s.held[role]
	return ok && held.wait > 0
}

// asMeta keeps a nil object nil.
func asMeta[T any, P interface {
	*T
	metav1.Object
}](object P) metav1.Object {
	if object == nil {
		return nil
	}
	return object
}

// undecided keeps everything as it is, the status too, and says why.
func undecided(w World, f finding, ttl time.Duration) Decision {
	d := asking(w)
	d.TTL = patient(w, f.reason, ttl)
	d.Status.Phase = phaseOf(f.reason, w.Chroma.Status.Image != "")
	d.Status.ObservedGeneration = w.Chroma.GetGeneration()
	blocked := finding{reason: reason.NotBlocked}
	if f.reason == reason.InvalidSpec {
		blocked = f
	}
	d.Conditions = conditions(f, blocked)
	d.Events = events(w, d.Conditions)
	return d
}

// asking keeps everything as it is and asks. It is the first of the two calls of every pass, whose answer does not count.
func asking(w World) Decision {
	d := Decision{Status: w.Chroma.Status, Conditions: previousConditions(w), Requirements: requirements(w), TTL: ttlSoon}
	d.Status.Conditions = nil
	if pod := w.pod(); pod != nil {
		d.Pod.Ready = isReady(pod)
	}
	if ready := w.condition(string(reason.ServerReady)); ready != nil {
		d.Ready = ready.Status == metav1.ConditionTrue
	}
	d.Claim.Ready, d.Ledger.Ready = true, true
	if len(d.Conditions) == 0 {
		d.Conditions = conditions(finding{reason: reason.Observing, message: "Asking for what is there."}, finding{reason: reason.NotBlocked})
	}
	return d
}
