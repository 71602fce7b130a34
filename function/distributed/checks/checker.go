// Package checks asks Postgres and the bucket of a distributed Chroma whether they can be used, before anything is
// created that needs them.
//
// It is the only part of the function that connects to something that users name. Nothing that the other side sends
// gets out of it, but for a revision of 14 digits and the codes by which failures are told apart.
package checks

import (
	"context"
	"crypto/x509"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/checks/hosts"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/settings"
)

// good is the status of an answer that is kept for longer.
const good = pass.True

// A Checker asks, and remembers the answers for a while. It may be used by several calls at once.
type Checker struct {
	environment Environment
	limits      Limits
	cache       *cache
}

// Environment of a Checker: what it uses of the world.
type Environment struct {
	// Now is the clock by which answers grow old.
	Now func() time.Time
	// Resolver of names.
	Resolver *net.Resolver
	// Search domains in which this process completes names. Those of its own namespace are replaced by the namespace of
	// the Chroma.
	Search []string
	// Roots that certificates are verified against. Nil: those of the system.
	Roots *x509.CertPool
}

// Limits of a Checker.
type Limits struct {
	// Patience is how long a call waits for its answers.
	Patience time.Duration
	// Bound is how long a question may be under way. Its answer comes with a later call.
	Bound time.Duration
	// Good and Bad are how long good and bad answers are kept.
	Good, Bad time.Duration
	// Concurrent questions, of all calls together, and those of one namespace: a Chroma whose hosts never answer must not
	// hold up those of others. What goes beyond is asked with a later call.
	Concurrent, OfOneNamespace int
	// Waiting is how many may wait for an answer at a time, fewer than the calls that are taken at a time: others must
	// have their turn when a database that many Chromas share does not answer. Who may not wait has the answer later.
	Waiting int
	// Entries of the cache, more than Concurrent.
	Entries int
}

// DefaultLimits hold up a call for three seconds at most.
func DefaultLimits() Limits {
	return Limits{
		Patience: 3 * time.Second, Bound: 10 * time.Second,
		Good: time.Minute, Bad: 10 * time.Second,
		Concurrent: 64, OfOneNamespace: 4, Waiting: 12, Entries: 1024,
	}
}

// New Checker.
func New(environment Environment, limits Limits) *Checker {
	return &Checker{environment: environment, limits: limits, cache: newCache(environment.Now, limits)}
}

// A Question about one Chroma.
type Question struct {
	// Namespace of the Chroma, in which its Pods complete names.
	Namespace string
	// Targets as distributed.Ask gives them.
	Targets distributed.Targets
	// Settings of the composition step.
	Settings settings.Checks
}

// Check the targets side by side. What has no answer yet is left zero, which means pending.
func (c *Checker) Check(ctx context.Context, question Question) distributed.Checks {
	if question.Settings.Disabled {
		return distributed.Checks{}
	}
	policy, err := hosts.Parse(question.Settings.HostsAllowed, question.Settings.HostsDenied)
	if err != nil {
		// Nothing is connected to as long as it is not known what must not be.
		refused := failed(reason.HostNotAllowed, "Nothing is connected to: "+err.Error()+".")
		return distributed.Checks{Postgres: refused, ObjectStorage: refused}
	}
	ctx, cancel := context.WithTimeout(ctx, c.limits.Patience)
	defer cancel()
	through := dialer{policy: policy, resolver: c.environment.Resolver, search: c.environment.Search, namespace: question.Namespace}

	var postgres, bucket answer
	var both sync.WaitGroup
	if target := question.Targets.Postgres; target != nil {
		both.Go(func() {
			postgres = c.cache.get(ctx, question.Namespace, c.postgresKey(question, *target), func(ctx context.Context) answer {
				return survive(func() answer { return c.checkPostgres(ctx, through, *target) })
			})
		})
	}
	if target := question.Targets.ObjectStorage; target != nil {
		both.Go(func() {
			bucket = c.cache.get(ctx, question.Namespace, c.bucketKey(question, *target), func(ctx context.Context) answer {
				return survive(func() answer { return c.checkBucket(ctx, through, *target) })
			})
		})
	}
	both.Wait()
	return distributed.Checks{Postgres: postgres.result, ObjectStorage: bucket.result, Revision: postgres.revision}
}

func (c *Checker) postgresKey(question Question, target distributed.PostgresTarget) key {
	return c.key("postgres", question,
		target.Host, strconv.Itoa(int(target.Port)), target.Database, target.SSLMode, target.Username, target.Password)
}

func (c *Checker) bucketKey(question Question, target distributed.BucketTarget) key {
	return c.key("bucket", question,
		target.Endpoint, target.Bucket, target.Region, target.AccessKeyID, target.SecretAccessKey)
}

// key of a target together with the settings under which it was asked: what one composition step may connect to tells
// nothing to another that may not.
func (c *Checker) key(kind string, question Question, target ...string) key {
	parts := append([]string{
		kind, question.Namespace,
		strings.Join(question.Settings.HostsAllowed, "\n"), strings.Join(question.Settings.HostsDenied, "\n"),
	}, target...)
	return c.cache.key(parts...)
}

// survive what a client makes of the bytes that it is sent: no server that a user names ends this process.
func survive(ask func() answer) (given answer) {
	defer func() {
		if recover() != nil {
			given = answer{result: failed(reason.Unreachable, "What answers cannot be understood.")}
		}
	}()
	return ask()
}
