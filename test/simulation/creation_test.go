package simulation

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
)

func TestANewChromaGetsReadyAndThenWritesNothing(t *testing.T) {
	w := newWorld(t, nil)
	w.apply(chromaOf("demo", "", nil))
	w.settle()
	if got := w.running("demo"); got != image159 {
		t.Errorf("image of the ready Pod: want the default %s, got %q", image159, got)
	}
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.NotBlocked)
	of := w.chroma("demo")
	if of.Status.Phase != chroma.PhaseReady || of.Status.DataVersion != "1.5.9" || of.Status.Endpoint != "http://demo-rw.default.svc:8000" {
		t.Errorf("status: %+v", of.Status)
	}
	w.Advance(15 * time.Minute) // provider-kubernetes looks at its claims every ten minutes, and then notes what it saw.
	before := len(w.changes)
	w.Advance(time.Hour)
	if after := len(w.changes); after != before {
		last := w.changes[after-1]
		t.Errorf("a settled Chroma was written to %d times, last %s %s: %s", after-before, last.Verb, last.Key, cmp.Diff(last.Before.Object, last.After.Object))
	}
}

func TestAnUpgradeReplacesThePodOnceTheLedgerIsRaised(t *testing.T) {
	w := newWorld(t, nil)
	w.apply(chromaOf("demo", image158, nil))
	w.settle()
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	if got := w.running("demo"); got != image159 {
		t.Errorf("image of the ready Pod: want %s, got %q", image159, got)
	}
	if got := w.claim("demo").GetAnnotations()[chroma.AnnotationDataVersion]; got != "1.5.9" {
		t.Errorf("data-version of the claim: want 1.5.9, got %q", got)
	}
}

func TestAnOlderImageIsRefusedAndTheRunningPodStays(t *testing.T) {
	w := newWorld(t, nil)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	before := w.pod("demo").GetUID()
	w.apply(chromaOf("demo", image158, nil))
	w.settle()
	if got := w.running("demo"); got != image159 || w.pod("demo").GetUID() != before {
		t.Errorf("want the same Pod with %s, got %q", image159, got)
	}
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.Downgrade)
	w.annotate("demo", chroma.AnnotationAllowDowngrade, "true")
	w.settle()
	if got := w.running("demo"); got != image158 {
		t.Errorf("image of the ready Pod: want %s, got %q", image158, got)
	}
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.DowngradeAllowed)
}
