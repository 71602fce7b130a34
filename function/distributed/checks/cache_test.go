package checks

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// counted answers, each of which tells its number.
func counted(count *int, status pass.ConditionStatus, takes time.Duration) func(context.Context) answer {
	return func(ctx context.Context) answer {
		*count++
		number := *count
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return answer{result: failed(reason.Timeout, "")}
		}
		return answer{result: distributed.Result{Status: status, Message: fmt.Sprint(number)}}
	}
}

const namespace = "tenant"

// patiently get an answer, as Check does.
func patiently(c *cache, of key, ask func(context.Context) answer) string {
	ctx, cancel := context.WithTimeout(context.Background(), c.limits.Patience)
	defer cancel()
	given := c.get(ctx, namespace, of, ask)
	if given.result.Reason != "" {
		return string(given.result.Reason)
	}
	return given.result.Message
}

func TestCacheLife(t *testing.T) {
	cases := map[string]struct {
		reason string
		status pass.ConditionStatus
		wait   time.Duration
		want   string
	}{
		"Good":        {reason: "a good answer is kept for a minute", status: pass.True, wait: 59 * time.Second, want: "1"},
		"GoodExpired": {reason: "and no longer", status: pass.True, wait: time.Minute, want: "2"},
		"Bad":         {reason: "a bad one for ten seconds", status: pass.False, wait: 9 * time.Second, want: "1"},
		"BadExpired":  {reason: "since somebody is mending it", status: pass.False, wait: 10 * time.Second, want: "2"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCache(time.Now, DefaultLimits())
				var count int
				ask := counted(&count, tc.status, 0)
				patiently(c, c.key("a"), ask)
				time.Sleep(tc.wait)
				if diff := cmp.Diff(tc.want, patiently(c, c.key("a"), ask)); diff != "" {
					t.Errorf("\n%s\nget(...): -want, +got:\n%s", tc.reason, diff)
				}
			})
		})
	}
}

// TestCacheSlow: a call waits three seconds, and the answer is there for a later one.
func TestCacheSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(time.Now, DefaultLimits())
		var count int
		slow := counted(&count, pass.True, 5*time.Second)
		start := time.Now()
		if got := patiently(c, c.key("a"), slow); got != "" || time.Since(start) != 3*time.Second {
			t.Errorf("no answer after three seconds, got %q after %s", got, time.Since(start))
		}
		if got := patiently(c, c.key("a"), slow); got != "1" || time.Since(start) != 5*time.Second || count != 1 {
			t.Errorf("the answer of the first question, got %q after %s and %d questions", got, time.Since(start), count)
		}
		// While a known answer is asked for again, it stands: a condition must not change back and forth.
		time.Sleep(time.Minute)
		again := time.Now()
		if got := patiently(c, c.key("a"), slow); got != "1" || time.Since(again) != 3*time.Second {
			t.Errorf("the answer that was known, got %q after %s", got, time.Since(again))
		}
		if got := patiently(c, c.key("a"), slow); got != "2" {
			t.Errorf("the new answer, got %q", got)
		}
	})
}

// TestCacheBound: a question without an answer ends after ten seconds, and counts as a timeout.
func TestCacheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(time.Now, DefaultLimits())
		var count int
		never := counted(&count, pass.True, time.Hour)
		for range 3 {
			if got := patiently(c, c.key("a"), never); got != "" {
				t.Errorf("no answer yet, got %q", got)
			}
		}
		if got := patiently(c, c.key("a"), never); got != string(reason.Timeout) || count != 1 {
			t.Errorf("after ten seconds it is a timeout, got %q and %d questions", got, count)
		}
	})
}

// TestCacheConcurrent: what is under way is limited, and what goes beyond is asked later.
func TestCacheConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := DefaultLimits()
		limits.Concurrent = 2
		c := newCache(time.Now, limits)
		var one, two, three int
		patiently(c, c.key("1"), counted(&one, pass.True, 7*time.Second))
		patiently(c, c.key("2"), counted(&two, pass.True, 7*time.Second))
		start := time.Now()
		if got := patiently(c, c.key("3"), counted(&three, pass.True, 0)); got != "" || three != 0 || time.Since(start) != 0 {
			t.Errorf("there is no room, and nothing to wait for, got %q after %s", got, time.Since(start))
		}
		time.Sleep(2 * time.Second)
		if got := patiently(c, c.key("3"), counted(&three, pass.True, 0)); got != "1" {
			t.Errorf("now there is room, got %q", got)
		}
		time.Sleep(time.Minute)
	})
}

// TestCacheWaiting: when many wait, the next one does not, and has the answer later.
func TestCacheWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(time.Now, DefaultLimits())
		var count int
		slow := counted(&count, pass.True, 2*time.Second)
		for range c.limits.Waiting {
			go patiently(c, c.key("a"), slow)
		}
		synctest.Wait()
		start := time.Now()
		got := patiently(c, c.key("a"), slow)
		if took := time.Since(start); got != "" || took > 0 {
			t.Errorf("want no answer at once, got %q after %s", got, took)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := patiently(c, c.key("a"), slow); got != "1" || c.waiting != 0 {
			t.Errorf("want the answer, and nobody waiting, got %q and %d", got, c.waiting)
		}
	})
}

// TestCacheOfOneNamespace: hosts that never answer hold up no other namespace.
func TestCacheOfOneNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(time.Now, DefaultLimits())
		never := make([]int, c.limits.OfOneNamespace)
		var other, more int
		for i := range never {
			go patiently(c, c.key("silent", fmt.Sprint(i)), counted(&never[i], pass.True, time.Hour))
		}
		synctest.Wait()
		if got := patiently(c, c.key("one more"), counted(&more, pass.True, 0)); got != "" || more != 0 {
			t.Errorf("the namespace has no room left, got %q", got)
		}
		if got := c.get(t.Context(), "other", c.key("other"), counted(&other, pass.True, 0)); got.result.Message != "1" {
			t.Errorf("another one has, got %+v", got)
		}
		time.Sleep(c.limits.Bound)
		synctest.Wait()
		if got := patiently(c, c.key("one more"), counted(&more, pass.True, 0)); got != "1" {
			t.Errorf("what was under way has ended, got %q", got)
		}
	})
}

// TestCacheShared: two calls with one question ask once, and a call that gives up harms no other.
func TestCacheShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(time.Now, DefaultLimits())
		var count int
		ask := counted(&count, pass.True, time.Second)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if got := c.get(gone, namespace, c.key("a"), ask); got.result.Status != "" {
			t.Errorf("who has gone has no answer, got %+v", got)
		}
		var answers atomic.Int32
		for range 8 {
			go func() {
				if patiently(c, c.key("a"), ask) == "1" {
					answers.Add(1)
				}
			}()
		}
		time.Sleep(2 * time.Second)
		if answers.Load() != 8 || count != 1 {
			t.Errorf("want 8 answers to 1 question, got %d to %d", answers.Load(), count)
		}
	})
}

// TestCacheProperties: over any history an answer is never older than it may be, and the cache never grows beyond its
// limit.
func TestCacheProperties(t *testing.T) {
	limits := DefaultLimits()
	limits.Entries, limits.Concurrent = 4, 3
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 60).Draw(rt, "steps")
		bad := rapid.Bool().Draw(rt, "bad")
		synctest.Test(t, func(*testing.T) {
			c := newCache(time.Now, limits)
			life, status := limits.Good, pass.True
			if bad {
				life, status = limits.Bad, pass.False
			}
			start := time.Now()
			for _, step := range steps {
				if step > 7 {
					time.Sleep(time.Duration(step) * 2 * time.Second)
					continue
				}
				given := c.get(context.Background(), namespace, c.key(fmt.Sprint(step)), func(context.Context) answer {
					return answer{result: distributed.Result{Status: status}, revision: time.Since(start).String()}
				})
				at, err := time.ParseDuration(given.revision)
				if err != nil || time.Since(start)-at >= life {
					rt.Errorf("an answer of %q at %s, kept for %s", given.revision, time.Since(start), life)
				}
				if len(c.entries) > limits.Entries {
					rt.Errorf("%d entries", len(c.entries))
				}
			}
		})
	})
}

func TestCacheKey(t *testing.T) {
	c := newCache(time.Now, DefaultLimits())
	if c.key("ab", "c") == c.key("a", "bc") || c.key("a") == c.key("a", "") {
		t.Error("parts do not run into each other")
	}
	if first := c.key("a", "b"); first != c.key("a", "b") {
		t.Error("one question has one key")
	}
	if newCache(time.Now, DefaultLimits()).key("a") == c.key("a") {
		t.Error("a key says nothing outside of its process")
	}
}

// TestSurvive: what a client makes of the bytes it is sent ends no process.
func TestSurvive(t *testing.T) {
	got := survive(func() answer { panic("secret") })
	want := failed(reason.Unreachable, "What answers cannot be understood.")
	if diff := cmp.Diff(want, got.result); diff != "" {
		t.Errorf("survive(...): -want, +got:\n%s", diff)
	}
}
