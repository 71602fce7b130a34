package simulation

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

func TestAnEditThatFallsIntoARunningPassIsNeverUndone(t *testing.T) {
	for seed := range uint64(12) { // The order of a pass's writes is random.
		r := newRun(t, seed, realFunction)
		r.create(image158)
		r.editAtFirstWrite(image159)
		r.Advance(3 * time.Minute)
		r.check(t)
		if got := r.chroma("demo").Status.DataVersion; got != "1.5.9" {
			t.Errorf("seed %d: the edit was not seen: data version %s", seed, got)
		}
		if got := r.running("demo"); got != image159 {
			t.Errorf("seed %d: the edit was undone: running %q", seed, got)
		}
	}
}

func TestASwitchToRetainRightBeforeTheDeletionCounts(t *testing.T) {
	for _, propagation := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground} {
		t.Run(string(propagation), func(t *testing.T) {
			w := newWorld(t, nil)
			w.Admit(guard)
			w.apply(chromaOf("demo", image159, withPolicy(chroma.PVCDelete)))
			w.settle()
			w.apply(chromaOf("demo", image159, withPolicy(chroma.PVCRetain)))
			if err := w.Delete(kindChroma, namespace, "demo", propagation); err == nil {
				t.Errorf("the deletion is refused as long as the claim would go with it")
			}
			w.settle()
			w.deleteChroma("demo", propagation)
			if w.claim("demo") == nil {
				t.Errorf("the claim is gone")
			}
		})
	}
}

func TestANamespaceThatIsDeletedGoes(t *testing.T) {
	r := newRun(t, 1, realFunction)
	r.spec.Spec.PVCDeletionPolicy = chroma.PVCDelete
	r.create(image159)
	r.spec.Spec.PVCDeletionPolicy = chroma.PVCRetain
	r.applySpec() // The guard must not hold it up.
	r.must(r.DeleteNamespace(namespace))
	r.Advance(5 * time.Minute)
	if r.Get(kindNamespace(), "", namespace) != nil {
		t.Errorf("the namespace is still there")
	}
	r.createNamespace(nil)
	r.create(image158)
	r.check(t)
	if got := r.running("demo"); got != image158 {
		t.Errorf("a new Chroma in a new namespace: want %s, got %q", image158, got)
	}
}

func TestAnOlderStatusThatIsRestoredIsOutdoneByTheClaim(t *testing.T) {
	for name, lost := range map[string]bool{"Older": false, "Lost": true} {
		t.Run(name, func(t *testing.T) {
			w := ready(t, image158)
			before := w.Get(kindChroma, namespace, "demo").Object["status"]
			w.apply(chromaOf("demo", image159, nil))
			w.settle()
			of := w.Get(kindChroma, namespace, "demo")
			of.Object["status"] = before
			if lost {
				of.Object["status"] = map[string]any{}
			}
			_, err := w.Store().Update(of, store.Options{Actor: simulator.ActorUser, Manager: "restore", Subresource: "status"})
			w.must(err)
			w.apply(chromaOf("demo", image158, nil))
			w.settle()
			w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.Downgrade)
			if got := w.running("demo"); got != image159 {
				t.Errorf("running: want %s, got %q", image159, got)
			}
		})
	}
}

func TestAFunctionThatIsRolledBackToAnOlderSchemaKeepsEverythingAndStartsNothing(t *testing.T) {
	r := newRun(t, 1, realFunction)
	r.newer = true
	r.create(image158)
	r.newer = false
	before := r.pod("demo").GetUID()
	r.ask(image159)
	r.Advance(3 * time.Minute)
	r.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.LedgerNewer)
	if pod := r.pod("demo"); pod == nil || pod.GetUID() != before {
		t.Errorf("the running Pod was replaced")
	}
	r.deletePod(nil)
	r.Advance(3 * time.Minute)
	r.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.LedgerNewer)
	if r.pod("demo") != nil {
		t.Errorf("a Pod was started")
	}
	r.newer = true
	r.Advance(3 * time.Minute)
	r.check(t)
	if got := r.running("demo"); got != image159 {
		t.Errorf("with the newer function again: want %s, got %q", image159, got)
	}
}

func TestARestoredSnapshotOfTheClusterComesToRestOnWhatItsRecordsSay(t *testing.T) {
	r := newRun(t, 1, realFunction)
	r.create(image158)
	snapshot := r.Snapshot()
	r.ask(image159)
	r.Advance(3 * time.Minute)
	r.oracle.muted = true
	r.Restore(snapshot)
	r.oracle.muted = false
	r.oracle.rebase()
	r.Advance(15 * time.Minute)
	if got := r.running("demo"); got != image158 || r.chroma("demo").Status.DataVersion != "1.5.8" {
		t.Errorf("want what the snapshot says, 1.5.8, got %q and a record of %s", got, r.chroma("demo").Status.DataVersion)
	}
	before := r.counts["writes"]
	r.Advance(15 * time.Minute)
	if after := r.counts["writes"]; after != before {
		t.Errorf("it was written to %d times after it had come to rest", after-before)
	}
	r.check(t)
}

func TestEachRefusedWriteHasItsOwnReasonAndTheWordsOfTheAPI(t *testing.T) {
	cases := map[string]struct {
		reason string
		kind   string
		want   reason.Reason
	}{
		"Pod":       {reason: "A quota for Pods.", kind: "pods", want: reason.PodRefused},
		"ConfigMap": {reason: "A quota for ConfigMaps.", kind: "configmaps", want: reason.ConfigRefused},
		"Service":   {reason: "A quota for Services.", kind: "services", want: reason.ServiceRefused},
		"Claim":     {reason: "A quota for claims, which the provider reports.", kind: "persistentvolumeclaims", want: reason.ClaimRefused},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.apply(&unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": kindQuota().Kind, "metadata": map[string]any{"name": "few", "namespace": namespace},
				"spec": map[string]any{"hard": map[string]any{tc.kind: "0"}},
			}})
			w.apply(chromaOf("demo", image159, nil))
			w.Advance(10 * time.Minute)
			_, because, message := simulator.Condition(w.Get(kindChroma, namespace, "demo"), string(reason.ServerReady))
			if because != string(tc.want) || !strings.Contains(message, "exceeded quota: few") {
				t.Errorf("\n%s\nServerReady: want %s with the API's words, got %s: %s", tc.reason, tc.want, because, message)
			}
			w.must(w.Delete(kindQuota(), namespace, "few", metav1.DeletePropagationBackground))
			w.settle()
			w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
		})
	}
}

func TestAClaimThatNeverGotAVolumeSaysHowToBeginAnew(t *testing.T) {
	w := newWorld(t, nil)
	w.SetUnschedulable(true) // No volume is provisioned before a node is chosen.
	w.apply(chromaOf("demo", image159, nil))
	w.Advance(5 * time.Minute)
	_, because, message := simulator.Condition(w.Get(kindChroma, namespace, "demo"), string(reason.ServerReady))
	if because != string(reason.Unschedulable) || !strings.Contains(message, "never held data") {
		t.Errorf("want Unschedulable and how to begin anew, got %s: %s", because, message)
	}
}

func TestAPodIsReplacedOnceItsLostNodeIsTaintedOutOfService(t *testing.T) {
	w := newWorld(t, func(c *simulator.Config) { c.Nodes = []string{"node-1", "node-2"} })
	w.apply(chromaOf("demo", image158, nil))
	w.settle()
	node := w.pod("demo").Spec.NodeName
	w.SetNodeLost(node, true)
	w.Advance(time.Minute)
	w.apply(chromaOf("demo", image159, nil))
	w.Advance(3 * time.Minute)
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.NodeLost)
	w.must(w.TaintOutOfService(node))
	w.Advance(10 * time.Minute)
	if got := w.running("demo"); got != image159 || w.pod("demo").Spec.NodeName == node {
		t.Errorf("want %s on another node, got %q", image159, got)
	}
}

// TestALostClaimIsKnownFromItsRecordsObjectWhenAllElseIsGone: the status restored from before the claim was seen, and the claim's
// Object deleted with it.
func TestALostClaimIsKnownFromItsRecordsObjectWhenAllElseIsGone(t *testing.T) {
	w := ready(t, image158)
	lost := w.chroma("demo").Status.ClaimUID
	w.must(w.Delete(kindClaim, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.losePod()
	w.must(w.Delete(simulatorKindObject(), namespace, "demo-claim", metav1.DeletePropagationBackground))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.ClaimLost)
	of := w.Get(kindChroma, namespace, "demo")
	of.Object["status"] = map[string]any{}
	_, err := w.Store().Update(of, store.Options{Actor: simulator.ActorUser, Manager: "restore", Subresource: "status"})
	w.must(err)
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.ClaimLost)
	if w.claim("demo") != nil {
		t.Fatalf("the lost claim was replaced by an empty one")
	}
	w.annotate("demo", chroma.AnnotationAcceptClaim, chroma.AcceptNewClaimPrefix+lost)
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
}
