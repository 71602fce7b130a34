package simulation

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/previous"
	"github.com/function-chroma/function-chroma/function/reason"
)

func TestAClaimWithoutBothLabelsIsNotWrittenTo(t *testing.T) {
	cases := map[string]struct {
		reason string
		labels map[string]any
	}{
		"NoLabels":      {reason: "Nobody handed it over."},
		"OnlyTheName":   {reason: "Not made by an operator.", labels: map[string]any{chroma.LabelChroma: "demo"}},
		"OnlyTheMaker":  {reason: "Of no Chroma.", labels: map[string]any{chroma.LabelManagedBy: chroma.ManagedByOperator}},
		"OfAnother":     {reason: "Of another Chroma.", labels: map[string]any{chroma.LabelChroma: "other", chroma.LabelManagedBy: chroma.ManagedByOperator}},
		"ByAnotherTool": {reason: "Made by something else.", labels: map[string]any{chroma.LabelChroma: "demo", chroma.LabelManagedBy: "Helm"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.apply(foreign(tc.labels, map[string]any{chroma.AnnotationDataVersion: "1.5.8"}))
			w.apply(chromaOf("demo", image159, nil))
			w.settle()
			w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.NameConflict)
			w.says(reason.ServerReady, "kubectl label pvc -n default demo-1")
			for _, entry := range w.claim("demo").GetManagedFields() {
				if strings.HasPrefix(entry.Manager, "provider-kubernetes/") || strings.HasPrefix(entry.Manager, previous.ManagerPrefix) {
					t.Errorf("\n%s\nit was written to by %s", tc.reason, entry.Manager)
				}
			}
			if w.pod("demo") != nil {
				t.Errorf("\n%s\na Pod was started", tc.reason)
			}
		})
	}
}

func TestAForeignClaimWithoutAVersionIsUnknownUntilItIsDeclared(t *testing.T) {
	w := newWorld(t, nil)
	w.apply(foreign(handedOver(), nil))
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.DataVersionUnknown)
	code := w.chroma("demo").Status.DataVersionUnknownIncident
	w.says(reason.UpgradeBlocked, chroma.AnnotationDeclaredDataVersion, code)
	if w.pod("demo") != nil {
		t.Fatalf("a Pod was started on data of an unknown version")
	}
	w.annotate("demo", chroma.AnnotationDeclaredDataVersion, "1.5.8/"+code)
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
	if got := w.running("demo"); got != image159 {
		t.Errorf("running: want %s, got %q", image159, got)
	}
}

func TestThePolicyIsAnOwnerReferenceOfTheClaimAndFollowsTheSpec(t *testing.T) {
	w := newWorld(t, nil)
	for _, policy := range []chroma.PVCDeletionPolicy{chroma.PVCDelete, chroma.PVCRetain, chroma.PVCDelete, chroma.PVCRetain} {
		w.apply(chromaOf("demo", image159, withPolicy(policy)))
		w.settle()
		of, owners := w.chroma("demo"), w.claim("demo").GetOwnerReferences()
		if of.Status.PVCDeletionPolicy != policy {
			t.Errorf("policy in effect: want %s, got %s", policy, of.Status.PVCDeletionPolicy)
		}
		switch {
		case policy == chroma.PVCRetain && len(owners) > 0:
			t.Errorf("under Retain the claim has owners: %v", owners)
		case policy == chroma.PVCDelete && (len(owners) != 1 || owners[0].UID != of.GetUID() || owners[0].Controller != nil && *owners[0].Controller):
			t.Errorf("under Delete the claim has the Chroma as an owner that is no controller, got %v", owners)
		}
	}
}

func TestAChangeToDeleteTakesTheClaimAlong(t *testing.T) {
	w := ready(t, image159) // Retain.
	w.apply(chromaOf("demo", image159, withPolicy(chroma.PVCDelete)))
	w.settle()
	w.deleteChroma("demo", metav1.DeletePropagationBackground)
	if w.claim("demo") != nil {
		t.Errorf("the claim is still there")
	}
}
