package distributed

import (
	"time"

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

// Decide what becomes of a distributed Chroma in one pass. The error is for what cannot be read or encoded.
func Decide(request pass.Request, checks Checks) (pass.Answer, error) {
	w, err := Observe(request, checks)
	if err != nil {
		return pass.Answer{}, err
	}
	s := assess(w)
	c := s.course()
	p := progress{}
	if s.derived {
		p = s.progress()
	}
	repairs := s.repairs()
	objects, err := s.compose(c, p, repairs)
	if err != nil {
		return pass.Answer{}, err
	}
	server := s.serverFinding(c, p)
	blocked := c.blocked
	if blocked.none() {
		blocked = finding{reason: reason.NotBlocked}
	}
	conditions := s.conditions(server, blocked, repairedFinding(repairs))
	return pass.Answer{
		Objects:      objects,
		Requirements: s.requirements(),
		Conditions:   conditions,
		Events:       w.events(conditions),
		Status:       s.status(server, repairs),
		Ready:        server.reason == reason.ComponentsReady,
		TTL:          s.ttl(c, server, repairs),
	}, nil
}

// serverFinding says whether the system answers, and why not.
func (s situation) serverFinding(c course, p progress) finding {
	switch {
	case !c.server.none():
		return c.server
	case c.stage == build && !p.done:
		return p.waiting
	case c.stage != build:
		if why := s.componentsFinding(); !why.none() {
			return why
		}
	}
	return finding{reason.ComponentsReady, "All components run and are ready."}
}

// ttl is the time to the next pass.
func (s situation) ttl(c course, server finding, repairs map[string]repair) time.Duration {
	ttl := ttlWaiting
	switch {
	case server.reason == reason.ComponentsReady:
		ttl = ttlSettled
	case c.stage != hold, s.w.started(), server.reason == reason.WaitingForPredecessor, server.reason == reason.Observing:
		ttl = ttlRolling
	case !s.refused.none():
		ttl = ttlSettled
	}
	if s.postgresResult.pending() || s.bucketResult.pending() {
		ttl = min(ttl, ttlRolling)
	}
	for _, known := range repairs {
		if known.wait > 0 {
			// Not less than a second: the clocks of the pass and of the next one may differ by a little.
			ttl = min(ttl, max(known.wait, time.Second))
		}
	}
	return ttl
}
