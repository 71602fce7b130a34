package simulation

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
)

// newClaimBacked is a cluster in which a Chroma is the claim of a cluster-scoped XChroma.
func newClaimBacked(t *testing.T) *world {
	t.Helper()
	return newWorld(t, claimBacked)
}

func TestAClaimBackedChromaHasItsConditionsOnTheClaim(t *testing.T) {
	w := newClaimBacked(t)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.NotBlocked)
	if got := w.running("demo"); got != image159 {
		t.Errorf("running: want %s, got %q", image159, got)
	}
	w.apply(chromaOf("demo", image158, nil))
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.Downgrade)
	w.annotate("demo", chroma.AnnotationAllowDowngrade, chroma.AnnotationTrue)
	w.settle()
	if got := w.running("demo"); got != image158 {
		t.Errorf("an override on the claim counts: want %s, got %q", image158, got)
	}
}

func TestTheVolumeOfAClaimBackedChromaSurvivesTheDeletionOfTheClaim(t *testing.T) {
	for _, propagation := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground} {
		for _, policy := range []chroma.PVCDeletionPolicy{chroma.PVCRetain, chroma.PVCDelete} {
			t.Run(string(propagation)+string(policy), func(t *testing.T) {
				w := newClaimBacked(t)
				w.apply(chromaOf("demo", image159, withPolicy(policy)))
				w.settle()
				w.deleteChroma("demo", propagation)
				if survived := w.claim("demo") != nil; survived != (policy == chroma.PVCRetain) {
					t.Errorf("the volume's claim survived: %v", survived)
				}
				if w.pod("demo") != nil {
					t.Errorf("the Pod is still there")
				}
				if policy == chroma.PVCDelete {
					return
				}
				w.apply(chromaOf("demo", image158, nil))
				w.settle()
				w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.Downgrade)
				if got := w.running("demo"); got != image159 {
					t.Errorf("the successor knows what has run: want %s, got %q", image159, got)
				}
			})
		}
	}
}

func TestNamesUpToSixtyCharactersWork(t *testing.T) {
	for name, fresh := range map[string]func(*testing.T) *world{
		"Namespaced":  func(t *testing.T) *world { t.Helper(); return newWorld(t, nil) },
		"ClaimBacked": newClaimBacked,
	} {
		for _, length := range []int{55, 60, 61} {
			t.Run(name, func(t *testing.T) {
				long := strings.Repeat("a", length)
				w := fresh(t)
				w.apply(chromaOf(long, image159, nil))
				w.settle()
				if length > 60 {
					w.want(long, reason.ServerReady, metav1.ConditionFalse, reason.InvalidSpec)
					return
				}
				w.want(long, reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
			})
		}
	}
}

func TestAnXChromaWithoutAClaimIsRefused(t *testing.T) {
	w := newClaimBacked(t)
	kind := kindXChroma
	w.apply(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind, "metadata": map[string]any{"name": "demo"},
		"spec": map[string]any{"image": image159, "storage": map[string]any{"size": "10Gi"}},
	}})
	w.settle()
	if status, because, _ := simulator.Condition(w.Get(kind, "", "demo"), string(reason.ServerReady)); status != "False" || because != string(reason.ClaimRequired) {
		t.Errorf("ServerReady: want False %s, got %s %s", reason.ClaimRequired, status, because)
	}
	for _, o := range w.Objects() {
		if o.GetNamespace() != "" && metav1.GetControllerOf(o) != nil {
			t.Errorf("%s %s was composed", o.GetKind(), o.GetName())
		}
	}
}
