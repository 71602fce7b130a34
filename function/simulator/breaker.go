package simulator

import (
	"time"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// Crossplane's circuit breaker for watch events: a bucket of 100 tokens that fills by one a second. An update takes
// two tokens, since controller-runtime maps the old and the new object.
const (
	breakerTokens   = 100.0
	breakerCooldown = 5 * time.Minute
	breakerInterval = 30 * time.Second
	tokensForUpdate = 2
)

// breaker of one composite resource.
type breaker struct {
	tokens   float64
	refilled time.Time
	open     bool
	opened   time.Time
	allowed  time.Time
	trigger  string
	// openings counts how often it opened: hot loops.
	openings int
}

// heard records a watch event and says whether it may start a pass.
func (c *Cluster) heard(composite store.Key, change store.Change) bool {
	if deleting(change.After) {
		return true
	}
	b, found := c.breakers[composite]
	if !found {
		b = &breaker{tokens: breakerTokens, refilled: c.Now()}
		c.breakers[composite] = b
	}
	if change.Outcome == store.OutcomeUpdated {
		b.record(c.Now(), change.Key)
	}
	return b.record(c.Now(), change.Key)
}

func (b *breaker) record(now time.Time, source store.Key) bool {
	b.tokens = min(breakerTokens, b.tokens+now.Sub(b.refilled).Seconds())
	b.refilled = now
	allowed := !b.open
	if b.open && now.After(b.allowed.Add(breakerInterval)) {
		allowed, b.allowed = true, now
	}
	if b.open {
		if now.Sub(b.opened) < breakerCooldown {
			return allowed
		}
		b.open = false
	}
	if b.tokens >= 1 {
		b.tokens--
		return allowed
	}
	b.open, b.opened, b.allowed = true, now, now
	b.openings++
	b.trigger = source.GVK.Kind + "/" + source.Name
	if source.Namespace != "" {
		b.trigger += " (" + source.Namespace + ")"
	}
	return allowed
}

// responsive is the condition that says whether the breaker is open.
func (c *Cluster) responsive(composite store.Key) condition {
	if b, found := c.breakers[composite]; found && b.open {
		return condition{kind: conditionResponsive, status: statusFalse, reason: reasonCircuitOpen,
			message: "Too many watch events from " + b.trigger + ". Allowing events periodically."}
	}
	return condition{kind: conditionResponsive, status: statusTrue, reason: reasonCircuitClosed}
}

// HotLoops counts how often Crossplane's circuit breaker opened: what settles never opens it.
func (c *Cluster) HotLoops() int {
	n := 0
	for _, b := range c.breakers {
		n += b.openings
	}
	return n
}
