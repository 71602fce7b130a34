package simulator

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

func podIn(c *Cluster) *unstructured.Unstructured { return c.Get(kindPod(), Namespace, "demo-1") }

// state of the Pod's container: the reason it waits for, or of its last end.
func state(c *Cluster) string {
	for _, o := range listAt(podIn(c), "status", "containerStatuses") {
		report := &unstructured.Unstructured{Object: o.(map[string]any)}
		return stringAt(podIn(c), "status", "phase") + " " + stringAt(report, "state", "waiting", "reason") + " " + stringAt(report, "lastState", "terminated", "reason")
	}
	return stringAt(podIn(c), "status", "phase") + "  " + stringAt(podIn(c), "status", "reason")
}

func TestPodStates(t *testing.T) {
	cases := map[string]struct {
		reason string
		before func(*Cluster)
		after  func(*testing.T, *Cluster)
		want   string
		ready  string
	}{
		"Ready":            {reason: "A server that starts and answers.", want: "Running  ", ready: "True"},
		"ImagePullBackOff": {reason: "An image that cannot be pulled.", before: func(c *Cluster) { c.SetImageFault(newer, ImageFault{Pull: true}) }, want: "Pending ImagePullBackOff ", ready: "False"},
		"CrashLoopBackOff": {reason: "A server that panics.", before: func(c *Cluster) { c.SetImageFault(newer, ImageFault{Exits: true, ExitCode: 101}) }, want: "Running CrashLoopBackOff Error", ready: "False"},
		"OOMKilled": {reason: "A server that is killed for its memory.", before: func(c *Cluster) { c.SetImageFault(newer, ImageFault{Exits: true, ExitCode: 137, OOM: true}) },
			want: "Running CrashLoopBackOff OOMKilled", ready: "False"},
		"Completed":  {reason: "A server that exits 0 is restarted too.", before: func(c *Cluster) { c.SetImageFault(newer, ImageFault{Exits: true}) }, want: "Running CrashLoopBackOff Completed", ready: "False"},
		"NeverReady": {reason: "A server that runs and does not answer.", before: func(c *Cluster) { c.SetImageFault(newer, ImageFault{NeverReady: true}) }, want: "Running  ", ready: "False"},
		"Evicted": {reason: "The kubelet ends the Pod for good.", after: func(t *testing.T, c *Cluster) {
			t.Helper()
			if !c.EvictPod(Namespace, "demo-1", "Failed") {
				t.Fatal("no Pod to evict")
			}
		}, want: "Failed  Error", ready: "False"},
		"CrashedOnce": {reason: "A crash restarts the container in place.", after: func(t *testing.T, c *Cluster) {
			t.Helper()
			if !c.CrashPod(Namespace, "demo-1", 139, false) {
				t.Fatal("no Pod to crash")
			}
			c.Advance(15 * time.Second)
		}, want: "Running  Error", ready: "True"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newFake(t, &fake{}, nil)
			if tc.before != nil {
				tc.before(c)
			}
			must(t, c.Apply(server("demo", newer)))
			c.Advance(15 * time.Second)
			if tc.after != nil {
				tc.after(t, c)
			}
			status, _, _ := Condition(podIn(c), "Ready")
			if diff := cmp.Diff(tc.want+" "+tc.ready, state(c)+" "+status); diff != "" {
				t.Errorf("\n%s\nstate: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUnschedulable(t *testing.T) {
	c := newFake(t, &fake{}, nil)
	c.SetUnschedulable(true)
	applied(t, c, server("demo", newer))
	if status, reason, _ := Condition(podIn(c), "PodScheduled"); status != statusFalse || reason != "Unschedulable" {
		t.Errorf("PodScheduled: got %s %s", status, reason)
	}
	if got := stringAt(c.Get(kindClaim(), Namespace, "demo-1"), "status", "phase"); got != "Pending" {
		t.Errorf("a claim waits for its first consumer, got %s", got)
	}
	c.SetUnschedulable(false)
	settled(t, c)
	if got := state(c); got != "Running  " {
		t.Errorf("state: got %s", got)
	}
}

func TestGracePeriod(t *testing.T) {
	cases := map[string]struct {
		reason  string
		fault   ImageFault
		atLeast time.Duration
		atMost  time.Duration
	}{
		"ObeysTerm":   {reason: "A server that obeys SIGTERM is gone soon.", atLeast: time.Second, atMost: 3 * time.Second},
		"IgnoresTerm": {reason: "One that does not is killed at the end of its grace period.", fault: ImageFault{IgnoresTerm: true}, atLeast: 30 * time.Second, atMost: 32 * time.Second},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			c := newFake(t, f, nil)
			c.SetImageFault(newer, tc.fault)
			applied(t, c, server("demo", newer))
			f.change = withoutPod
			start := c.Now()
			must(t, c.Delete(kindPod(), Namespace, "demo-1", ""))
			if !c.Until(1000, func() bool { return podIn(c) == nil }) {
				t.Fatal("the Pod does not go")
			}
			if took := c.Now().Sub(start); took < tc.atLeast || took > tc.atMost {
				t.Errorf("\n%s\nwant %s to %s, got %s", tc.reason, tc.atLeast, tc.atMost, took)
			}
		})
	}
}

func TestNodeLost(t *testing.T) {
	leave := func(t *testing.T, f *fake, c *Cluster) {
		t.Helper()
		applied(t, c, server("demo", newer))
		c.SetNodeLost("node-1", true)
		f.change = withoutPod
		must(t, c.Annotate(kindServer(), Namespace, "demo", "look", "again"))
		c.Advance(2 * time.Minute)
		if podIn(c) == nil || !deleting(podIn(c)) || stringAt(podIn(c), "status", "phase") != "Running" {
			t.Fatalf("past its grace period the Pod must stay Terminating and Running, got %v", podIn(c))
		}
		if status, _, _ := Condition(c.Get(kindNode(), "", "node-1"), "Ready"); status != statusUnknown {
			t.Errorf("Ready of the Node: got %s", status)
		}
	}
	running := func(c *Cluster) int {
		return len(c.Volume(c.Get(kindClaim(), Namespace, "demo-1").GetUID()).Running())
	}
	t.Run("WithTheKubeletBack", func(t *testing.T) {
		f := &fake{}
		c := newFake(t, f, nil)
		leave(t, f, c)
		c.SetNodeLost("node-1", false)
		c.Advance(5 * time.Second)
		if podIn(c) != nil || running(c) != 0 {
			t.Errorf("the Pod must be gone within seconds, got %v, %d servers", podIn(c), running(c))
		}
	})
	t.Run("OutOfService", func(t *testing.T) {
		f := &fake{}
		c := newFake(t, f, func(config *Config) { config.Nodes = []string{"node-1", "node-2"} })
		leave(t, f, c)
		must(t, c.TaintOutOfService("node-1"))
		c.Advance(time.Second)
		f.change = nil
		must(t, c.Annotate(kindServer(), Namespace, "demo", "look", "once more"))
		c.Advance(5 * time.Second)
		if got := stringAt(podIn(c), "spec", "nodeName") + " " + state(c); got != "node-2 Running  " {
			t.Errorf("want the new Pod on the other Node, got %s", got)
		}
	})
	t.Run("EvictedAfterFiveMinutes", func(t *testing.T) {
		c := newFake(t, &fake{}, nil)
		applied(t, c, server("demo", newer))
		c.SetNodeLost("node-1", true)
		c.Advance(4 * time.Minute)
		if deleting(podIn(c)) {
			t.Error("the Pod tolerates the lost Node for five minutes")
		}
		c.Advance(3 * time.Minute)
		if !deleting(podIn(c)) || running(c) != 1 {
			t.Errorf("then it is marked for deletion while its server runs, got %v", podIn(c))
		}
	})
	t.Run("ForcedDeletionLeavesTheServerRunning", func(t *testing.T) {
		f := &fake{}
		c := newFake(t, f, nil)
		leave(t, f, c)
		must(t, c.ForceDeletePod(Namespace, "demo-1"))
		c.Advance(time.Minute)
		v := c.Volume(c.Get(kindClaim(), Namespace, "demo-1").GetUID())
		if podIn(c) != nil || len(v.Running()) != 1 || !v.Running()[0].Forced {
			t.Errorf("want no Pod and a running server marked as forced, got %v, %v", podIn(c), v)
		}
	})
}

func TestNamespaceDeletionTakesEverything(t *testing.T) {
	c := newFake(t, &fake{}, nil)
	applied(t, c, server("demo", newer))
	must(t, c.DeleteNamespace(Namespace))
	c.Advance(time.Minute)
	for _, o := range c.Objects() {
		if o.GetNamespace() == Namespace || o.GetKind() == "Namespace" {
			t.Errorf("%s must be gone", store.KeyOf(o))
		}
	}
}

func TestRestoredSnapshot(t *testing.T) {
	c := newFake(t, &fake{}, nil)
	applied(t, c, server("demo", older))
	snapshot := c.Snapshot()
	applied(t, c, server("demo", newer), server("other", newer))
	claim := c.Get(kindClaim(), Namespace, "demo-1").GetUID()
	c.Restore(snapshot)
	settled(t, c)
	if c.Get(kindServer(), Namespace, "other") != nil || stringAt(xrOf(c), "status", "image") != older {
		t.Errorf("want the older state, got %v", xrOf(c))
	}
	v := c.Volume(claim)
	if last := v.Openings[len(v.Openings)-1]; len(v.Running()) != 1 || last.Image != older || len(v.Openings) != 3 {
		t.Errorf("the volume keeps its history, the old server runs again on it: got %v", v.Openings)
	}
}

func TestSameSeedSameRun(t *testing.T) {
	run := func(seed uint64) []string {
		var log []string
		f := &fake{}
		c := newFake(t, f, func(config *Config) {
			config.Seed = seed
			config.Changed = func(change store.Change) {
				log = append(log, string(change.Outcome)+" "+change.Actor+" "+change.Key.String())
			}
		})
		c.SetImageFault(older, ImageFault{Exits: true, ExitCode: 1})
		applied(t, c, server("demo", older), server("other", newer))
		c.Advance(10 * time.Minute)
		applied(t, c, server("demo", newer))
		must(t, c.Delete(kindServer(), Namespace, "other", ""))
		settled(t, c)
		return log
	}
	if diff := cmp.Diff(run(7), run(7)); diff != "" {
		t.Errorf("two runs with one seed: -first, +second:\n%s", diff)
	}
	if cmp.Equal(run(7), run(8)) {
		t.Error("another seed must give another order")
	}
}

func TestGuardedCompositeKeepsItsNamespace(t *testing.T) {
	c := newFake(t, &fake{}, nil)
	applied(t, c, server("demo", newer))
	guarded := true
	c.Admit(func(r *store.Request) error {
		if guarded && r.Verb == store.VerbDelete && r.Key.GVK == kindServer() {
			return store.NewForbidden(r.Key, "guarded")
		}
		return nil
	})
	must(t, c.DeleteNamespace(Namespace))
	c.Advance(time.Minute)
	if xrOf(c) == nil || c.Get(kindNamespace(), "", Namespace) == nil || podIn(c) != nil {
		t.Error("the Namespace must wait for the guarded composite resource, without its content")
	}
	guarded = false
	c.Advance(time.Minute)
	if xrOf(c) != nil || c.Get(kindNamespace(), "", Namespace) != nil {
		t.Error("without the guard the Namespace must go")
	}
}

func TestLoadedObjectsAreAsTheyWere(t *testing.T) {
	first := newFake(t, &fake{}, nil)
	applied(t, first, server("demo", older))
	second := newFake(t, &fake{}, func(config *Config) { config.Seed = 2 })
	var objects []*unstructured.Unstructured
	for _, o := range first.Objects() {
		// The provider looks at its Objects anew, so their copies of the claim are younger.
		if o.GetNamespace() == Namespace {
			objects = append(objects, o)
		}
	}
	must(t, second.Load(objects...))
	settled(t, second)
	for _, o := range objects {
		loaded := second.store.Peek(store.KeyOf(o))
		if diff := Difference(o.Object, loaded.Object); (len(diff) > 0 && o.GetKind() != "Object") || loaded.GetUID() != o.GetUID() {
			t.Errorf("%s differs: %v", store.KeyOf(o), diff)
		}
	}
	if v := second.Volume(second.Get(kindClaim(), Namespace, "demo-1").GetUID()); len(v.Openings) != 1 || len(v.Running()) != 1 {
		t.Errorf("the server must go on running, got %v", v)
	}
	applied(t, second, server("demo", newer))
	if got := image(podIn(second)) + " " + state(second); got != newer+" Running  Completed" {
		t.Errorf("after a change: got %s", got)
	}
}
