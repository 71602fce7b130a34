package simulation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
)

// rival is a claim-backed Chroma of the name "demo".
func (r *run) rival(image string, policy chroma.PVCDeletionPolicy) {
	r.t.Helper()
	of := chromaOf("demo", image, withPolicy(policy))
	of.SetGroupVersionKind(kindRival)
	r.must(r.Apply(of))
	r.Advance(3 * time.Minute)
}

func (r *run) rivalSays() string {
	status, because, _ := simulator.Condition(r.Get(kindRival, namespace, "demo"), string(reason.ServerReady))
	return status + " " + because
}

func TestOfTwoChromasThatWantOneNameTheFirstRunsAndTheSecondIsToldOfTheConflict(t *testing.T) {
	conflict := "False " + string(reason.NameConflict)
	t.Run("NamespacedFirst", func(t *testing.T) {
		r := newRun(t, 1, realFunction)
		r.create(image158)
		pod := r.pod("demo").GetUID()
		r.rival(image159, chroma.PVCRetain)
		if got := r.rivalSays(); got != conflict {
			t.Errorf("ServerReady of the second: want %s, got %s", conflict, got)
		}
		if r.pod("demo").GetUID() != pod || r.running("demo") != image158 {
			t.Errorf("the server of the first was touched")
		}
		// The second takes the names, and the data with its record, when the first is gone.
		r.must(r.Delete(kindChroma, namespace, "demo", metav1.DeletePropagationBackground))
		r.Advance(5 * time.Minute)
		r.check(t)
		if got := r.rivalSays(); got != "True "+string(reason.PodReady) || r.running("demo") != image159 {
			t.Errorf("the second after the first: %s, running %q", got, r.running("demo"))
		}
	})
	t.Run("ClaimBackedFirst", func(t *testing.T) {
		r := newRun(t, 1, realFunction)
		r.rival(image159, chroma.PVCRetain)
		r.create(image158)
		r.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.NameConflict)
		r.must(r.Delete(kindRival, namespace, "demo", metav1.DeletePropagationBackground))
		r.Advance(5 * time.Minute)
		r.check(t)
		r.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.Downgrade)
		if got := r.running("demo"); got != image159 {
			t.Errorf("the record on the claim counts: want %s, got %q", image159, got)
		}
	})
}

func TestAClaimThatGoesWithAnotherChromaIsNotTaken(t *testing.T) {
	r := newRun(t, 1, realFunction)
	r.rival(image159, chroma.PVCDelete)
	claim := r.claim("demo").GetUID()
	r.must(r.Delete(kindRival, namespace, "demo", metav1.DeletePropagationBackground))
	r.create(image158) // While the first one's claim is still there.
	r.Advance(3 * time.Minute)
	r.check(t)
	if got := r.claim("demo"); got == nil || got.GetUID() == claim {
		t.Errorf("want a new claim, got %v", got)
	}
	if got := r.running("demo"); got != image158 {
		t.Errorf("running: want %s, got %q", image158, got)
	}
}
