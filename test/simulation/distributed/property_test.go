package distributed_test

import (
	"flag"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/function-chroma/function-chroma/function/simulator"
)

// TestMain plays few sequences by default, since each is a whole cluster: -rapid.checks=500 plays more.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "3"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestAnySequence disturbs a system at random. The oracle holds its invariants after every pass and every write, and
// once everything is mended the system gets ready and quiet, in either version.
func TestAnySequence(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var s *system
		s = newSystem(told{rt, func() string { return s.story() }}, rapid.Uint64().Draw(rt, "seed"), mistake{})
		s.spec["version"] = rapid.SampledFrom([]string{older, newer}).Draw(rt, "version")
		s.apply(name)
		if rapid.Bool().Draw(rt, "ready") {
			s.Advance(2 * time.Minute)
		}
		for range rapid.IntRange(1, 16).Draw(rt, "actions") {
			s.act(rt)
			s.Advance(time.Duration(rapid.SampledFrom([]int{50, 400, 3000, 20_000, 200_000}).Draw(rt, "wait")) * time.Millisecond)
		}
		s.rest(rapid.SampledFrom([]string{older, newer}).Draw(rt, "version"))
	})
}

// told is a failure that tells the story.
type told struct {
	rt *rapid.T
	of func() string
}

func (f told) Fatalf(format string, args ...any) {
	f.rt.Helper()
	f.rt.Fatalf(format+"\n%s", append(args, f.of())...)
}

// TestCrashAfterAnyWrite: Crossplane crashes before or after any single write of a creation and an update, and the system
// gets ready all the same.
func TestCrashAfterAnyWrite(t *testing.T) {
	changing := requestsThatChange(t)
	rapid.Check(t, func(rt *rapid.T) {
		var s *system
		s = newSystem(told{rt, func() string { return s.story() }}, 1, mistake{})
		at := rapid.SampledFrom(changing).Draw(rt, "request")
		s.CrashCrossplane(at, rapid.Bool().Draw(rt, "after"))
		upgraded(s)
		s.rest(newer)
	})
}

// upgraded is the story in which Crossplane crashes.
func upgraded(s *system) {
	s.create(older)
	s.spec["version"] = newer
	s.apply(name)
	s.Advance(2 * time.Minute)
}

// requestsThatChange something, by their number among those of Crossplane in the story: the others change nothing, so that
// a crash beside them is one beside the next that does.
func requestsThatChange(t *testing.T) []int {
	t.Helper()
	s := start(t)
	var numbers []int
	count, writes := 0, 0
	s.InterruptWrites(func(actor string) {
		if s.writes != writes {
			numbers, writes = append(numbers, count), s.writes
		}
		if actor == simulator.ActorCrossplane {
			count++
		}
	})
	upgraded(s)
	if !s.is(newer) || len(numbers) < 100 {
		s.oracle.t.Fatalf("the story has %d writes", len(numbers))
	}
	return numbers
}
