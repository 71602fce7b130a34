package simulator

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// walk disturbs one server at random. Errors of single disturbances (an object that is not there) are part of it.
type walk struct {
	cluster *Cluster
	steps   int
	problem string
	version uint64
}

// changed holds what is true after every single write, whoever made it.
func (w *walk) changed(change store.Change) {
	if change.After == nil || change.Actor == store.ActorRestore {
		return
	}
	version, err := strconv.ParseUint(change.After.GetResourceVersion(), 10, 64)
	if err != nil || version <= w.version {
		w.problem = fmt.Sprintf("%s: version %s after %d", change.Key, change.After.GetResourceVersion(), w.version)
	}
	w.version = version
	if change.Before == nil {
		return
	}
	if change.Before.GetUID() != change.After.GetUID() || change.After.GetGeneration() < change.Before.GetGeneration() {
		w.problem = fmt.Sprintf("%s: identity or generation went wrong: %v", change.Key, Difference(change.Before.Object, change.After.Object))
	}
	if deleting(change.Before) && !deleting(change.After) {
		w.problem = fmt.Sprintf("%s: came back to life", change.Key)
	}
	if change.Subresource == "status" && change.Before.GetGeneration() != change.After.GetGeneration() {
		w.problem = fmt.Sprintf("%s: a status write raised the generation", change.Key)
	}
}

func (w *walk) disturb(t *rapid.T) {
	c := w.cluster
	switch rapid.IntRange(0, 21).Draw(t, "disturbance") {
	case 0:
		_ = c.Apply(server("demo", rapid.SampledFrom([]string{older, newer}).Draw(t, "image")))
	case 1:
		_ = c.SetImage(Namespace, "demo-1", rapid.SampledFrom([]string{older, newer, "other:1"}).Draw(t, "image"))
	case 2:
		_ = c.Delete(kindPod(), Namespace, "demo-1", "")
	case 3:
		_ = c.ForceDeletePod(Namespace, "demo-1")
	case 4:
		_ = c.Delete(kindServer(), Namespace, "demo", rapid.SampledFrom([]metav1.DeletionPropagation{"Background", "Foreground", "Orphan"}).Draw(t, "cascade"))
	case 5:
		_ = c.Delete(kindClaim(), Namespace, "demo-1", "")
	case 6:
		c.CrashCrossplane(rapid.IntRange(1, 12).Draw(t, "write"), rapid.Bool().Draw(t, "after"))
	case 7:
		c.FreezeCaches(kindPod(), kindClaim(), kindServer())
	case 8:
		c.ThawCaches()
	case 9:
		c.Refuse(&Refusal{Kind: rapid.SampledFrom([]string{"Pod", "Object", "ConfigMap"}).Draw(t, "kind"), Code: rapid.SampledFrom([]int{403, 409, 422}).Draw(t, "code"), Message: "no", Times: 2})
	case 10:
		c.SetProviderDown(rapid.Bool().Draw(t, "down"))
	case 11:
		c.SetFunctionDown(rapid.Bool().Draw(t, "down"))
	case 12:
		c.SetCrossplaneDown(rapid.Bool().Draw(t, "down"))
	case 13:
		c.SetNodeLost("node-1", rapid.Bool().Draw(t, "lost"))
	case 14:
		c.HoldNextPass(rapid.SampledFrom([]time.Duration{time.Second, time.Minute}).Draw(t, "hold"))
	case 15:
		c.CrashPod(Namespace, "demo-1", 139, false)
	case 16:
		c.EvictPod(Namespace, "demo-1", "Failed")
	case 17:
		c.SetImageWebhook(func(string) string { return "mirror:1" }, rapid.Bool().Draw(t, "updates"))
	case 18:
		c.Advance(rapid.SampledFrom([]time.Duration{100 * time.Millisecond, 5 * time.Second, time.Minute}).Draw(t, "pause"))
	default:
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			c.Step()
			w.steps++
		}
	}
}

// TestRandomWalk disturbs a server in every way there is. Whatever happened, the rules of the API server hold after
// every write, and once the disturbances end everything settles, nothing without an owner is left and the server runs.
func TestRandomWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &walk{}
		f := &fake{change: replaceEnded}
		c, err := New(Config{Seed: rapid.Uint64().Draw(t, "seed"), Composites: []Composite{{Kind: kindServer(), Function: f}}, Changed: w.changed})
		if err != nil {
			t.Fatal(err)
		}
		w.cluster = c
		for range rapid.IntRange(1, 40).Draw(t, "disturbances") {
			w.disturb(t)
			f.calls = nil
			if w.problem != "" {
				t.Fatal(w.problem)
			}
		}
		c.Heal()
		c.Advance(time.Minute)
		if deleting(c.Get(kindClaim(), Namespace, "demo-1")) {
			// A Pod that was scheduled and has not mounted the claim yet waits for ever, and the claim for the Pod: as on a
			// real cluster a person has to end it.
			_ = c.Delete(kindPod(), Namespace, "demo-1", "")
		}
		c.Advance(10 * time.Minute)
		if err := c.Apply(server("demo", newer)); err != nil {
			t.Fatal(err)
		}
		c.Advance(10 * time.Minute)
		if err := c.Settle(5000); err != nil {
			t.Fatal(err)
		}
		for _, o := range c.Objects() {
			for _, owner := range o.GetOwnerReferences() {
				if c.store.ByUID(owner.UID) == nil {
					t.Errorf("%s has an owner that is gone", store.KeyOf(o))
				}
			}
		}
		pod := podIn(c)
		if got := told(xrOf(c), "Synced") + ", " + image(pod) + ", " + state(c); got != "True ReconcileSuccess, "+newer+", Running  " && stringAt(pod, "status", "phase") != "Running" {
			t.Errorf("after the disturbances: %s", got)
		}
		if n := runningServers(c, pod); n != 1 {
			t.Errorf("want one running server of the Pod, got %d: %v", n, c.Pending())
		}
	})
}

func runningServers(c *Cluster, pod *unstructured.Unstructured) int {
	n := 0
	for _, v := range c.Volumes() {
		for _, o := range v.Running() {
			if o.Pod == pod.GetUID() {
				n++
			}
		}
	}
	return n
}
