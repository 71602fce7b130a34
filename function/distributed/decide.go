package distributed

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// Times to the next pass.
const (
	// ttlRolling while something moves. Progress must not depend on watches: Crossplane stops following them for a while
	// when many things change at once.
	ttlRolling = 3 * time.Second
	// ttlWaiting for something outside, like a Secret or a bucket.
	ttlWaiting = 10 * time.Second
	ttlSettled = time.Minute
)

// conditionResponsive is Crossplane's: False while its circuit breaker is open.
const conditionResponsive reason.ConditionType = "Responsive"

// Decide what becomes of a distributed Chroma in one pass. The error is for what cannot be read or encoded.
func Decide(request pass.Request, checks Checks) (pass.Answer, error) {
	w, err := Observe(request, checks)
	if err != nil {
		return pass.Answer{}, err
	}
	s := assess(w)
	s.build()
	c := s.course()
	c.refusals, c.aborted = s.refusals()
	c.repairs = s.repairs(c)
	c.refusals = s.tried(c)
	objects, err := s.compose(c)
	if err != nil {
		return pass.Answer{}, err
	}
	server := s.serverFinding(c)
	blocked := s.blockedFinding(c)
	conditions := s.conditions(server, blocked, repairedFinding(c.repairs))
	return pass.Answer{
		Objects:      objects,
		Requirements: s.requirements(),
		Conditions:   conditions,
		Events:       w.events(conditions),
		Status:       s.status(c, server),
		Ready:        server.reason == reason.ComponentsReady,
		TTL:          s.ttl(c, server),
	}, nil
}

// serverFinding says whether the system answers, and why not.
func (s situation) serverFinding(c course) finding {
	refused := s.refusedWrite(c)
	switch {
	case c.stage != hold && !c.progress.done && !refused.none():
		return refused // The reason of whatever waits.
	case !c.server.none():
		return c.server
	case c.stage == build && !c.progress.done:
		return c.progress.waiting
	case c.stage != build:
		if why := s.componentsFinding(); !why.none() {
			return why
		}
	}
	return finding{reason.ComponentsReady, "All components run and are ready." + s.otherMigration()}
}

// blockedFinding says what of the spec is held back.
func (s situation) blockedFinding(c course) finding {
	if !c.blocked.none() {
		return c.blocked
	}
	if refused := s.refusedWrite(c); !refused.none() {
		return refused
	}
	return finding{reason: reason.NotBlocked}
}

// ttl is the time to the next pass.
func (s situation) ttl(c course, server finding) time.Duration {
	ttl := ttlWaiting
	switch {
	case server.reason == reason.ComponentsReady:
		ttl = ttlSettled
	case c.stage != hold, s.w.started(), server.reason == reason.WaitingForPredecessor, server.reason == reason.Observing:
		ttl = ttlRolling
	case !s.refused.none():
		ttl = ttlSettled
	}
	// A spec that is refused is not checked.
	if s.derived && (s.postgresResult.pending() || s.bucketResult.pending()) {
		ttl = min(ttl, ttlRolling)
	}
	for _, known := range c.repairs {
		if known.wait > 0 {
			// Not less than a second: the clocks of the pass and of the next one may differ by a little.
			ttl = min(ttl, max(known.wait, time.Second))
		}
	}
	for role, refused := range c.refusals {
		if s.reaches(role, c) {
			ttl = min(ttl, max(refused.wait, time.Second))
		}
	}
	// With its circuit breaker open Crossplane drops watch events, those of the spec too. To roll sixty objects opens it.
	if responsive := s.w.condition(conditionResponsive); responsive != nil && responsive.Status == metav1.ConditionFalse {
		ttl = min(ttl, ttlWaiting)
	}
	return ttl
}
