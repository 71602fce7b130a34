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
)

func (w *world) deleteChroma(name string, propagation metav1.DeletionPropagation) {
	w.t.Helper()
	w.must(w.Delete(kindChroma, namespace, name, propagation))
	w.settle()
}

func withPolicy(policy chroma.PVCDeletionPolicy) func(*chroma.Chroma) {
	return func(c *chroma.Chroma) { c.Spec.PVCDeletionPolicy = policy }
}

func TestTheClaimSurvivesUnderRetainAndGoesUnderDelete(t *testing.T) {
	for name, propagation := range map[string]metav1.DeletionPropagation{
		"Background": metav1.DeletePropagationBackground, "Foreground": metav1.DeletePropagationForeground,
	} {
		for _, policy := range []chroma.PVCDeletionPolicy{chroma.PVCRetain, chroma.PVCDelete} {
			t.Run(name+string(policy), func(t *testing.T) {
				w := newWorld(t, nil)
				w.apply(chromaOf("demo", image159, withPolicy(policy)))
				w.settle()
				if got := w.chroma("demo").Status.PVCDeletionPolicy; got != policy {
					t.Errorf("policy in effect: want %s, got %s", policy, got)
				}
				w.deleteChroma("demo", propagation)
				if survived := w.claim("demo") != nil; survived != (policy == chroma.PVCRetain) {
					t.Errorf("claim survived: %v", survived)
				}
				if w.pod("demo") != nil {
					t.Errorf("the Pod is still there")
				}
			})
		}
	}
}

func TestTheClaimSurvivesWhicheverOfFunctionAndProviderIsDown(t *testing.T) {
	for name, down := range map[string]struct{ function, provider bool }{
		"OnlyTheFunction": {function: true}, "OnlyTheProvider": {provider: true}, "Both": {function: true, provider: true},
	} {
		for _, propagation := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground} {
			t.Run(name+string(propagation), func(t *testing.T) {
				w := ready(t, image159)
				claim := w.claim("demo").GetUID()
				w.SetFunctionDown(down.function)
				w.SetProviderDown(down.provider)
				w.deleteChroma("demo", propagation)
				if got := w.claim("demo"); got == nil || got.GetDeletionTimestamp() != nil {
					t.Fatalf("the claim is gone, or going")
				}
				w.SetFunctionDown(false)
				w.SetProviderDown(false)
				w.settle()
				if w.Get(kindChroma, namespace, "demo") != nil || w.pod("demo") != nil {
					t.Errorf("the Chroma or its Pod is still there")
				}
				w.apply(chromaOf("demo", image159, nil))
				w.settle()
				if got := w.running("demo"); got != image159 || w.claim("demo").GetUID() != claim {
					t.Errorf("created again on the same claim: got %q", got)
				}
			})
		}
	}
}

func TestAClaimThatAPodUsesIsProtectedUntilThePodIsGone(t *testing.T) {
	w := ready(t, image159)
	w.must(w.Delete(kindClaim, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.Advance(time.Hour)
	if claim := w.claim("demo"); claim == nil || claim.GetDeletionTimestamp() == nil || w.running("demo") != image159 {
		t.Fatalf("want a claim on its way out under a running Pod, got %v and %q", claim, w.running("demo"))
	}
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.ClaimTerminating)
	w.must(w.Delete(kindPod, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.settle()
	if w.claim("demo") != nil || w.pod("demo") != nil {
		t.Errorf("the claim is still there, or something was started: %v, %v", w.claim("demo"), w.pod("demo"))
	}
}

func TestAChangeBetweenRetainAndDeleteTakesEffect(t *testing.T) {
	w := newWorld(t, nil)
	w.apply(chromaOf("demo", image159, withPolicy(chroma.PVCDelete)))
	w.settle()
	w.apply(chromaOf("demo", image159, withPolicy(chroma.PVCRetain)))
	w.settle()
	if got := w.chroma("demo").Status.PVCDeletionPolicy; got != chroma.PVCRetain {
		t.Errorf("policy in effect: want Retain, got %s", got)
	}
	w.deleteChroma("demo", metav1.DeletePropagationBackground)
	if w.claim("demo") == nil {
		t.Errorf("the claim is gone")
	}
}

func TestAChromaCreatedAgainOnItsRetainedClaimKnowsEverything(t *testing.T) {
	w := ready(t, image159)
	claim := w.claim("demo").GetUID()
	w.deleteChroma("demo", metav1.DeletePropagationBackground)
	w.apply(chromaOf("demo", image158, nil))
	w.settle()
	if w.claim("demo").GetUID() != claim {
		t.Fatalf("another claim")
	}
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.Downgrade)
	if got := w.running("demo"); got != image159 {
		t.Errorf("a refused server starts with the recovery image: want %s, got %q", image159, got)
	}
}

func TestAChromaCreatedAgainWithoutAnImageTakesTheRecoveryImageOfItsClaim(t *testing.T) {
	w := ready(t, image158)
	w.deleteChroma("demo", metav1.DeletePropagationBackground)
	w.apply(chromaOf("demo", "", nil))
	w.settle()
	if got := w.running("demo"); got != image158 {
		t.Errorf("running: want %s, got %q", image158, got)
	}
	if got := w.chroma("demo").Status.DefaultImage; got != image158 {
		t.Errorf("status.defaultImage: want %s, got %q", image158, got)
	}
}

func TestDeleteAndCreateAtOnce(t *testing.T) {
	for _, policy := range []chroma.PVCDeletionPolicy{chroma.PVCRetain, chroma.PVCDelete} {
		for name, down := range map[string]bool{"ProviderUp": false, "ProviderDown": true} {
			t.Run(string(policy)+name, func(t *testing.T) {
				w := newWorld(t, nil)
				w.apply(chromaOf("demo", image159, withPolicy(policy)))
				w.settle()
				claim := w.claim("demo").GetUID()
				w.SetProviderDown(down)
				w.must(w.Delete(kindChroma, namespace, "demo", metav1.DeletePropagationBackground))
				w.Until(1000, func() bool { return w.Get(kindChroma, namespace, "demo") == nil })
				w.apply(chromaOf("demo", image159, withPolicy(policy)))
				w.Advance(time.Minute)
				w.SetProviderDown(false)
				w.settle()
				if got := w.running("demo"); got != image159 {
					t.Errorf("running: want %s, got %q", image159, got)
				}
				if same := w.claim("demo").GetUID() == claim; same != (policy == chroma.PVCRetain) {
					t.Errorf("the same claim: %v", same)
				}
			})
		}
	}
}

// foreign is a claim made by somebody else.
func foreign(labels map[string]any, annotations map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "PersistentVolumeClaim",
		"metadata": map[string]any{"name": "demo-1", "namespace": namespace, "labels": labels, "annotations": annotations},
		"spec": map[string]any{
			"accessModes": []any{"ReadWriteOnce"}, "storageClassName": "standard",
			"resources": map[string]any{"requests": map[string]any{"storage": "10Gi"}},
		},
	}}
}

func TestAForeignClaimIsTakenOnlyWithTheTwoLabels(t *testing.T) {
	labels := map[string]any{chroma.LabelChroma: "demo", chroma.LabelManagedBy: chroma.ManagedByOperator}
	cases := map[string]struct {
		reason              string
		labels, annotations map[string]any
		server, blocked     reason.Reason
	}{
		"NoLabels":       {reason: "Somebody else's claim is not touched.", server: reason.NameConflict, blocked: reason.NotBlocked},
		"OneLabel":       {reason: "One label is not enough.", labels: map[string]any{chroma.LabelChroma: "demo"}, server: reason.NameConflict, blocked: reason.NotBlocked},
		"WithoutVersion": {reason: "A claim without a record has run something unknown.", labels: labels, server: reason.DataVersionUnknown, blocked: reason.DataVersionUnknown},
		"OnlyProduct": {reason: "A claim of the original operator without a version reads unknown.", labels: labels,
			annotations: map[string]any{chroma.AnnotationDataProduct: "chroma"}, server: reason.DataVersionUnknown, blocked: reason.DataVersionUnknown},
		"Recorded": {reason: "A recorded claim is taken over.", labels: labels,
			annotations: map[string]any{chroma.AnnotationDataVersion: "1.5.8"}, server: reason.PodReady, blocked: reason.NotBlocked},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.apply(foreign(tc.labels, tc.annotations))
			w.apply(chromaOf("demo", image159, nil))
			w.settle()
			if got := w.condition("demo", reason.ServerReady); !strings.HasSuffix(got, " "+string(tc.server)) {
				t.Errorf("\n%s\nServerReady: want %s, got %s", tc.reason, tc.server, got)
			}
			if got := w.condition("demo", reason.UpgradeBlocked); !strings.HasSuffix(got, " "+string(tc.blocked)) {
				t.Errorf("\n%s\nUpgradeBlocked: want %s, got %s", tc.reason, tc.blocked, got)
			}
		})
	}
}

// TestNothingOfALostClaimIsWrittenAgainAndAgain: the provider tries to create it every 30 seconds and notes that on the Object.
// The notes are the provider's: kept by us they would be written back each time.
func TestNothingOfALostClaimIsWrittenAgainAndAgain(t *testing.T) {
	w := ready(t, image159)
	w.must(w.Delete(kindClaim, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.losePod()
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.ClaimLost)
	w.changes = nil
	w.Advance(5 * time.Minute)
	tries := 0
	for _, c := range w.changes {
		if c.Actor == simulator.ActorCrossplane {
			t.Errorf("Crossplane wrote to %s", c.Key)
		}
		if c.Actor == simulator.ActorProvider {
			tries++
		}
	}
	if tries == 0 {
		t.Errorf("the provider did not try")
	}
}

func TestALostClaimIsNeverReplacedByAnEmptyOne(t *testing.T) {
	w := ready(t, image159)
	lost := w.claim("demo").GetUID()
	w.must(w.Delete(kindClaim, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.ClaimTerminating)
	if got := w.running("demo"); got != image159 {
		t.Errorf("while its claim is being deleted the Pod stays: got %q", got)
	}
	// An upgrade replaces nothing now.
	w.apply(chromaOf("demo", "docker.io/chromadb/chroma:1.5.10", nil))
	w.settle()
	if got := w.running("demo"); got != image159 {
		t.Errorf("while its claim is being deleted nothing is replaced: got %q", got)
	}
	w.apply(chromaOf("demo", image159, nil))
	w.must(w.Delete(kindPod, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.ClaimLost)
	if w.claim("demo") != nil {
		t.Fatalf("the lost claim was replaced by an empty one")
	}

	w.annotate("demo", chroma.AnnotationAcceptClaim, "new/"+string(lost))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
	if claim := w.claim("demo"); claim == nil || claim.GetUID() == lost {
		t.Errorf("a new claim was asked for: %v", claim)
	}
}

func TestAnotherClaimInPlaceOfTheLostOneNeedsAWord(t *testing.T) {
	w := ready(t, image159)
	w.SetFunctionDown(true)
	w.must(w.Delete(kindClaim, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.must(w.Delete(kindPod, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.settle()
	w.apply(foreign(map[string]any{chroma.LabelChroma: "demo", chroma.LabelManagedBy: chroma.ManagedByOperator}, map[string]any{chroma.AnnotationDataVersion: "1.5.8"}))
	w.SetFunctionDown(false)
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.ClaimLost)
	w.annotate("demo", chroma.AnnotationAcceptClaim, string(w.claim("demo").GetUID()))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
	if got := w.chroma("demo").Status.ClaimUID; got != string(w.claim("demo").GetUID()) {
		t.Errorf("status.claimUID: %s", got)
	}
}

func TestAClaimThatOthersMountStartsNothing(t *testing.T) {
	w := newWorld(t, nil)
	w.apply(foreign(map[string]any{chroma.LabelChroma: "demo", chroma.LabelManagedBy: chroma.ManagedByOperator}, map[string]any{chroma.AnnotationDataVersion: "1.5.8"}))
	w.apply(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "copy", "namespace": namespace},
		"spec": map[string]any{
			"containers": []any{map[string]any{"name": "copy", "image": "busybox:1"}},
			"volumes":    []any{map[string]any{"name": "data", "persistentVolumeClaim": map[string]any{"claimName": "demo-1"}}},
		},
	}})
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.ClaimInUse)
	w.must(w.Delete(kindPod, namespace, "copy", metav1.DeletePropagationBackground))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
}

func TestAnOrphanedChromaIsTakenOverByItsSuccessor(t *testing.T) {
	w := ready(t, image159)
	pod, claim := w.pod("demo").GetUID(), w.claim("demo").GetUID()
	w.deleteChroma("demo", metav1.DeletePropagationOrphan)
	if w.pod("demo") == nil {
		t.Fatalf("the Pod was not orphaned")
	}
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
	if w.pod("demo").GetUID() != pod || w.claim("demo").GetUID() != claim {
		t.Errorf("Pod or claim are others now")
	}
	if controller := metav1.GetControllerOf(w.pod("demo")); controller == nil || controller.UID != w.chroma("demo").GetUID() {
		t.Errorf("the Pod was not adopted: %v", controller)
	}
}

func TestTheClaimGrowsWhereTheClassAllowsItAndNeverShrinks(t *testing.T) {
	w := ready(t, image159)
	sized := func(size string) *unstructured.Unstructured {
		out := chromaOf("demo", image159, nil)
		out.Object["spec"].(map[string]any)["storage"] = map[string]any{"size": size}
		return out
	}
	w.apply(sized("20Gi"))
	w.settle()
	if got := w.claim("demo").Spec.Resources.Requests.Storage().String(); got != "20Gi" {
		t.Errorf("size: want 20Gi, got %s", got)
	}
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.NotBlocked)
	w.apply(sized("5Gi"))
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.StorageNotShrunk)
	if got := w.claim("demo").Spec.Resources.Requests.Storage().String(); got != "20Gi" {
		t.Errorf("size: want 20Gi, got %s", got)
	}
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
}

func TestAClaimThatTheAPIRefusesToGrowIsToldAndTriedAgain(t *testing.T) {
	w := ready(t, image159)
	pod := w.pod("demo").GetUID()
	w.Refuse(&simulator.Refusal{Actor: "provider-kubernetes", Kind: "PersistentVolumeClaim", Code: 403, Message: "exceeded quota: disk, requested: requests.storage=20Gi"})
	w.apply(chromaOf("demo", image159, func(c *chroma.Chroma) { c.Spec.Storage = storageOf("20Gi") }))
	w.Advance(5 * time.Minute)
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.ClaimRefused)
	if _, _, message := simulator.Condition(w.Get(kindChroma, namespace, "demo"), string(reason.UpgradeBlocked)); !strings.Contains(message, "exceeded quota: disk") {
		t.Errorf("message without the API's words: %s", message)
	}
	if got := w.claim("demo").Spec.Resources.Requests.Storage().String(); got != "10Gi" || w.pod("demo").GetUID() != pod {
		t.Errorf("want 10Gi and the same Pod, got %s", got)
	}
	w.AcceptAll()
	w.Advance(2 * time.Minute)
	if got := w.claim("demo").Spec.Resources.Requests.Storage().String(); got != "20Gi" {
		t.Errorf("it was not tried again: %s", got)
	}
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.NotBlocked)
}

func TestAnObjectDeletedByHandTakesNoDataAlong(t *testing.T) {
	w := ready(t, image159)
	claim, pod := w.claim("demo").GetUID(), w.pod("demo").GetUID()
	object := simulatorKindObject()
	w.must(w.Delete(object, namespace, "demo-claim", metav1.DeletePropagationBackground))
	w.must(w.Delete(object, namespace, "demo-ledger", metav1.DeletePropagationBackground))
	w.settle()
	if w.claim("demo").GetUID() != claim || w.pod("demo").GetUID() != pod {
		t.Errorf("claim or Pod are others now")
	}
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
	if w.Get(object, namespace, "demo-claim") == nil || w.Get(object, namespace, "demo-ledger") == nil {
		t.Errorf("the Objects were not composed again")
	}
}
