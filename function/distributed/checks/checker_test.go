package checks_test

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/checks"
	"github.com/function-chroma/function-chroma/function/reason"
)

// closing counts the connections that it takes and closes.
func closing(connections *atomic.Int32) func(net.Conn) {
	return func(conn net.Conn) {
		connections.Add(1)
		_ = conn.Close()
	}
}

// TestAnswersAreKept by content: whatever differs in a question makes it another one.
func TestAnswersAreKept(t *testing.T) {
	var connections atomic.Int32
	host, port := listen(t, closing(&connections))
	base := func() checks.Question {
		return checks.Question{Namespace: "tenant", Settings: loopback(), Targets: distributed.Targets{
			Postgres: &distributed.PostgresTarget{Host: host, Port: port, Database: "sysdb", SSLMode: "disable", Username: username, Password: password},
		}}
	}
	cases := map[string]struct {
		reason string
		change func(*checks.Question)
		asked  int32
	}{
		"Same":      {reason: "the same question has its answer", change: func(*checks.Question) {}, asked: 0},
		"Password":  {reason: "a corrected Secret is tried at once", change: func(q *checks.Question) { q.Targets.Postgres.Password = wrongPassword }, asked: 1},
		"Username":  {reason: "another user may get in", change: func(q *checks.Question) { q.Targets.Postgres.Username = "other" }, asked: 1},
		"Database":  {reason: "another database may exist", change: func(q *checks.Question) { q.Targets.Postgres.Database = "other" }, asked: 1},
		"SSLMode":   {reason: "another mode may be let in", change: func(q *checks.Question) { q.Targets.Postgres.SSLMode = "require" }, asked: 1},
		"Namespace": {reason: "names may lead elsewhere", change: func(q *checks.Question) { q.Namespace = "other" }, asked: 1},
		"Settings":  {reason: "an answer that one step may have is not given to another", change: func(q *checks.Question) { q.Settings.HostsAllowed = []string{"127.0.0.1"} }, asked: 1},
		"Refused":   {reason: "least of all to one that may not ask", change: func(q *checks.Question) { q.Settings.HostsAllowed = nil }, asked: 0},
		"Disabled":  {reason: "disabled checks connect to nothing", change: func(q *checks.Question) { q.Settings.Disabled = true }, asked: 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			checker := newChecker(t, nil, nil)
			ask(t, checker, base())
			before := connections.Load()
			question := base()
			tc.change(&question)
			ask(t, checker, question)
			if diff := cmp.Diff(tc.asked, connections.Load()-before); diff != "" {
				t.Errorf("\n%s\nconnections: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSideBySide: each server answers only when the other one was reached too, so one after the other gets no answer.
func TestSideBySide(t *testing.T) {
	reached := map[string]chan struct{}{"postgres": make(chan struct{}), "bucket": make(chan struct{})}
	meet := func(own, other string) func(net.Conn) {
		var once sync.Once
		return func(conn net.Conn) {
			once.Do(func() { close(reached[own]) })
			select {
			case <-reached[other]:
			case <-t.Context().Done():
			}
			_ = conn.Close()
		}
	}
	host, postgres := listen(t, meet("postgres", "bucket"))
	_, bucket := listen(t, meet("bucket", "postgres"))
	got := ask(t, newChecker(t, nil, nil), checks.Question{Settings: loopback(), Targets: distributed.Targets{
		Postgres:      &distributed.PostgresTarget{Host: host, Port: postgres, Database: "sysdb", SSLMode: "disable", Username: username, Password: password},
		ObjectStorage: &distributed.BucketTarget{Endpoint: endpoint("http", host, bucket), Bucket: "chroma-storage", Region: "us-east-1", AccessKeyID: accessKey, SecretAccessKey: secretKey},
	}})
	if got.Postgres.Reason != reason.Unreachable || got.ObjectStorage.Reason != reason.Unreachable {
		t.Errorf("both have their answer, got %+v", got)
	}
}

// TestLimits are what the conditions of a Chroma can be relied on for.
func TestLimits(t *testing.T) {
	got := checks.DefaultLimits()
	want := checks.Limits{
		Patience: 3 * time.Second, Bound: 10 * time.Second, Good: time.Minute, Bad: 10 * time.Second,
		Concurrent: got.Concurrent, OfOneNamespace: got.OfOneNamespace, Waiting: got.Waiting, Entries: got.Entries,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\na call is held up for 3 s, a good answer is kept for 60 s and a bad one for 10 s\nDefaultLimits(): -want, +got:\n%s", diff)
	}
	if got.OfOneNamespace < 2 || got.OfOneNamespace >= got.Concurrent || got.Concurrent >= got.Entries {
		t.Errorf("a Chroma asks two questions, and no namespace takes all room, got %+v", got)
	}
}

// BenchmarkCheck of what is known already, as in nearly every pass.
func BenchmarkCheck(b *testing.B) {
	limits := checks.DefaultLimits()
	limits.Bad, limits.Good = 1<<60, 1<<60
	checker := checks.New(checks.Environment{Now: now(), Resolver: net.DefaultResolver}, limits)
	question := checks.Question{Namespace: "tenant", Targets: distributed.Targets{
		// Refused by default: nothing is connected to.
		Postgres:      &distributed.PostgresTarget{Host: "127.0.0.1", Port: 5432, Database: "sysdb", SSLMode: "disable", Username: username, Password: password},
		ObjectStorage: &distributed.BucketTarget{Endpoint: "http://127.0.0.1:9000", Bucket: "chroma-storage", Region: "us-east-1", AccessKeyID: accessKey, SecretAccessKey: secretKey},
	}}
	checker.Check(context.Background(), question)
	for b.Loop() {
		checker.Check(context.Background(), question)
	}
}
