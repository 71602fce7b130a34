package simulation

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/previous"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// recordOnClaim are the annotations of the claim that hold the record.
func (w *world) recordOnClaim() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	for _, key := range recordKeys() {
		if value, found := w.claim("demo").GetAnnotations()[key]; found {
			out[key] = value
		}
	}
	return out
}

func TestTheRecordIsInBothPlacesBeforeThePodIsCreated(t *testing.T) {
	w := ready(t, image158)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	status, claim, created := "", "", []string{}
	for _, c := range w.changes {
		if c.After == nil {
			continue
		}
		switch c.Key.GVK {
		case kindChroma:
			status, _, _ = unstructured.NestedString(c.After.Object, "status", "dataVersion")
		case kindClaim:
			claim = c.After.GetAnnotations()[chroma.AnnotationDataVersion]
		case kindPod:
			if c.Outcome != store.OutcomeCreated {
				continue
			}
			_, version, _ := strings.Cut(decode[podLike](t, c.After).Spec.Containers[0].Image, ":")
			created = append(created, version)
			if status != version || claim != version {
				t.Errorf("a Pod with %s was created while the status said %q and the claim %q", version, status, claim)
			}
		}
	}
	if diff := cmp.Diff([]string{"1.5.8", "1.5.9"}, created); diff != "" {
		t.Errorf("Pods that were created: -want, +got:\n%s", diff)
	}
}

func TestTheRecordIsWrittenByTheLedgerObjectAlone(t *testing.T) {
	w := ready(t, image158)
	w.edit("docker.io/chromadb/chroma:latest") // The record of an incident has all of its fields.
	claim := w.Get(kindClaim, namespace, "demo-1")
	for _, key := range recordKeys() {
		if _, found := claim.GetAnnotations()[key]; !found {
			t.Errorf("the claim lacks the annotation %s", key)
		}
		if diff := cmp.Diff([]string{"provider-kubernetes/demo-ledger"}, previous.Owners(claim, "metadata", "annotations", key)); diff != "" {
			t.Errorf("who writes %s: -want, +got:\n%s", key, diff)
		}
	}
}

// TestARecordThatIsRemovedFromTheClaimByHandIsWrittenAgain, within a pass and not when provider-kubernetes looks next,
// which it does every ten minutes.
func TestARecordThatIsRemovedFromTheClaimByHandIsWrittenAgain(t *testing.T) {
	w := ready(t, image159)
	w.Advance(12 * time.Minute) // The provider looked two or three minutes ago.
	before := w.recordOnClaim()
	if len(before) != len(recordKeys()) {
		t.Fatalf("a record without some of its fields: %v", before)
	}
	w.must(w.Edit(kindClaim, namespace, "demo-1", simulator.ManagerEdit, func(claim *unstructured.Unstructured) {
		annotations := claim.GetAnnotations()
		for _, key := range recordKeys() {
			delete(annotations, key)
		}
		claim.SetAnnotations(annotations)
	}))
	if got := w.recordOnClaim(); len(got) != 0 {
		t.Fatalf("it was not removed: %v", got)
	}
	w.Advance(90 * time.Second)
	if diff := cmp.Diff(before, w.recordOnClaim()); diff != "" {
		t.Errorf("record on the claim: -before, +after:\n%s", diff)
	}
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.NotBlocked)
}

func TestASizeThatIsRefusedHoldsBackNoRecord(t *testing.T) {
	w := ready(t, image158)
	w.Admit(func(request *store.Request) error {
		if request.Key.GVK != kindClaim || request.Object == nil {
			return nil
		}
		if size, _, _ := unstructured.NestedString(request.Object.Object, "spec", "resources", "requests", "storage"); size == "20Gi" {
			return store.NewForbidden(request.Key, "exceeded quota: disk")
		}
		return nil
	})
	w.apply(chromaOf("demo", image159, func(c *chroma.Chroma) { c.Spec.Storage = storageOf("20Gi") }))
	w.Advance(5 * time.Minute)
	if got := w.claim("demo").GetAnnotations()[chroma.AnnotationDataVersion]; got != "1.5.9" || w.running("demo") != image159 {
		t.Errorf("want the upgrade recorded and done, got a record of %s and %q running", got, w.running("demo"))
	}
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.ClaimRefused)
}

func TestTheSimulatedVolumeRemembersEveryVersionThatOpenedIt(t *testing.T) {
	w := ready(t, image158)
	claim := w.claim("demo").GetUID()
	w.edit(image159)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	w.apply(chromaOf("demo", preview3, nil))
	w.settle()
	w.deleteChroma("demo", metav1.DeletePropagationBackground)
	var got []string
	for _, opening := range w.Volume(claim).Openings {
		got = append(got, opening.Image)
	}
	if diff := cmp.Diff([]string{image158, image159, preview3}, slices.Compact(got)); diff != "" {
		t.Errorf("images that opened the volume: -want, +got:\n%s", diff)
	}
}
