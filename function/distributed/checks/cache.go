package checks

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"time"

	"github.com/function-chroma/function-chroma/function/distributed"
)

// An answer to one question.
type answer struct {
	result distributed.Result
	// revision of the database, for Postgres.
	revision string
}

// A key stands for all that a question consists of, credentials included. They cannot be had from it, not by guessing
// either, without the secret of this process.
type key [sha256.Size]byte

// A cache of answers, which also counts the questions that are under way.
type cache struct {
	now    func() time.Time
	limits Limits
	secret [sha256.Size]byte

	mu      sync.Mutex
	entries map[key]*entry
	// underWay are the questions that have no answer yet, by the namespace they are for, and total all of them.
	underWay map[string]int
	total    int
	// waiting are the callers that wait for an answer.
	waiting int
}

// An entry of the cache. It is asked again when it has expired.
type entry struct {
	// done is closed when the question under way has its answer. Nil: none is under way.
	done    chan struct{}
	answer  answer
	expires time.Time
}

func newCache(now func() time.Time, limits Limits) *cache {
	c := &cache{now: now, limits: limits, entries: map[key]*entry{}, underWay: map[string]int{}}
	_, _ = rand.Read(c.secret[:]) // It never fails: crypto/rand ends the process instead.
	return c
}

// key of a question. Each part is preceded by its length, so that no two questions have one key.
func (c *cache) key(parts ...string) key {
	mac := hmac.New(sha256.New, c.secret[:])
	for _, part := range parts {
		_ = binary.Write(mac, binary.BigEndian, uint64(len(part))) // A hash takes everything.
		mac.Write([]byte(part))
	}
	return key(mac.Sum(nil))
}

// get the answer to a question for a namespace, asking when it is not known. It waits no longer than ctx lasts: what is
// not answered by then is answered with what was known before, and the answer is there for a later call.
func (c *cache) get(ctx context.Context, namespace string, of key, ask func(context.Context) answer) answer {
	if done := c.start(ctx, namespace, of, ask); done != nil {
		c.wait(ctx, done)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.entries[of]; known != nil && (known.done != nil || c.now().Before(known.expires)) {
		return known.answer
	}
	return answer{}
}

// wait for an answer, unless too many do.
func (c *cache) wait(ctx context.Context, done <-chan struct{}) {
	c.mu.Lock()
	mayWait := c.waiting < c.limits.Waiting
	if mayWait {
		c.waiting++
	}
	c.mu.Unlock()
	if !mayWait {
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
	c.mu.Lock()
	c.waiting--
	c.mu.Unlock()
}

// start asking, unless the answer is known or asked for already, or too much is under way, of the namespace or of all.
// The channel is closed when there is an answer; nil means that there is nothing to wait for.
func (c *cache) start(ctx context.Context, namespace string, of key, ask func(context.Context) answer) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.entries[of]
	if known != nil && (known.done != nil || c.now().Before(known.expires)) {
		return known.done
	}
	if c.total >= c.limits.Concurrent || c.underWay[namespace] >= c.limits.OfOneNamespace {
		return nil
	}
	if known == nil {
		c.makeRoom()
		known = &entry{}
		c.entries[of] = known
	}
	c.total++
	c.underWay[namespace]++
	known.done = make(chan struct{})
	go c.run(context.WithoutCancel(ctx), namespace, known, ask)
	return known.done
}

// run one question to its end. The caller may be gone by then, so the question has a bound of its own.
func (c *cache) run(ctx context.Context, namespace string, of *entry, ask func(context.Context) answer) {
	ctx, cancel := context.WithTimeout(ctx, c.limits.Bound)
	defer cancel()
	given := ask(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	life := c.limits.Bad
	if given.result.Status == good {
		life = c.limits.Good
	}
	of.answer, of.expires = given, c.now().Add(life)
	close(of.done)
	of.done = nil
	c.total--
	if c.underWay[namespace]--; c.underWay[namespace] == 0 {
		delete(c.underWay, namespace)
	}
}

// makeRoom for one more entry, the one that expires first going first. Questions under way stay: there are fewer of
// them than entries.
func (c *cache) makeRoom() {
	if len(c.entries) < c.limits.Entries {
		return
	}
	now := c.now()
	var first key
	var found *entry
	for of, known := range c.entries {
		switch {
		case known.done != nil:
		case now.After(known.expires):
			delete(c.entries, of)
		case found == nil || known.expires.Before(found.expires):
			first, found = of, known
		}
	}
	if len(c.entries) >= c.limits.Entries && found != nil {
		delete(c.entries, first)
	}
}
