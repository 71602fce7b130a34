package simulator

import (
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

func TestCrashAfterAnyWrite(t *testing.T) {
	for _, after := range []bool{false, true} {
		for n := 1; n < 24; n++ {
			c := newFake(t, &fake{}, nil)
			c.CrashCrossplane(n, after)
			applied(t, c, server("demo", newer))
			if got := told(xrOf(c), "Ready"); got != "True Available" {
				t.Errorf("crash at write %d (after: %v): Ready is %s", n, after, got)
			}
		}
	}
	if !errors.Is(wrap(errCrashed, "x"), errCrashed) {
		t.Error("a crash must be recognized through wrapping")
	}
}

func TestHeldUpPassCreatesAPodAnew(t *testing.T) {
	c := newFake(t, &fake{}, nil)
	applied(t, c, server("demo", newer))
	first := c.Get(kindPod(), Namespace, "demo-1").GetUID()
	c.HoldNextPass(5 * time.Second)
	c.reconcileComposite(store.KeyOf(xrOf(c)))
	must(t, c.Delete(kindPod(), Namespace, "demo-1", ""))
	c.Advance(4 * time.Second)
	if c.Get(kindPod(), Namespace, "demo-1") != nil {
		t.Fatal("the Pod must be gone while the pass is held up: passes never overlap")
	}
	c.Advance(1100 * time.Millisecond)
	if pod := c.Get(kindPod(), Namespace, "demo-1"); pod == nil || pod.GetUID() == first {
		t.Error("the late apply must create the Pod anew")
	}
}

func TestApplyOntoATerminatingPodIsAccepted(t *testing.T) {
	c := newFake(t, &fake{}, nil)
	applied(t, c, server("demo", older))
	before := c.Get(kindPod(), Namespace, "demo-1")
	must(t, c.Delete(kindPod(), Namespace, "demo-1", ""))
	must(t, c.Apply(server("demo", newer)))
	c.reconcileComposite(store.KeyOf(xrOf(c)))
	pod := c.Get(kindPod(), Namespace, "demo-1")
	if pod.GetUID() != before.GetUID() || !deleting(pod) || image(pod) != newer {
		t.Errorf("want the terminating Pod with the new image, got %v", pod)
	}
	if _, err := c.store.Create(&unstructured.Unstructured{Object: before.DeepCopy().Object}, store.Options{Manager: "kubectl-create"}); err == nil || err.Error() != `object is being deleted: pods "demo-1" already exists` {
		t.Errorf("create beside a terminating Pod: got %v", err)
	}
	settled(t, c)
	volume := c.Volume(c.Get(kindClaim(), Namespace, "demo-1").GetUID())
	if len(volume.Openings) != 2 {
		t.Errorf("a terminating Pod does not restart its container, a new Pod starts: got %v", volume.Openings)
	}
}

func TestStaleCache(t *testing.T) {
	f := &fake{}
	c := newFake(t, f, nil)
	applied(t, c, server("demo", newer))
	c.FreezeCaches(kindPod(), kindClaim())
	must(t, c.Annotate(kindClaim(), Namespace, "demo-1", "serial", "7"))
	f.calls = nil
	c.reconcileComposite(store.KeyOf(xrOf(c)))
	seen := func() string {
		required := f.calls[len(f.calls)-1].GetRequiredResources()["claim"].GetItems()[0].GetResource()
		return required.GetFields()["metadata"].GetStructValue().GetFields()["annotations"].GetStructValue().GetFields()["serial"].GetStringValue()
	}
	if got := seen(); got != "1" {
		t.Errorf("serial in the stale cache: want 1, got %s", got)
	}
	c.ThawCaches()
	c.reconcileComposite(store.KeyOf(xrOf(c)))
	if got := seen(); got != "7" {
		t.Errorf("serial in the fresh cache: want 7, got %s", got)
	}
}
