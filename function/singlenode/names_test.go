package singlenode

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// controlled by an owner.
func controlled(kind, name string, uid types.UID) metav1.ObjectMeta {
	is := true
	return metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{
		APIVersion: "chroma.chromadotnet.org/v1alpha1", Kind: kind, Name: name, UID: uid, Controller: &is,
	}}}
}

func TestHolderOf(t *testing.T) {
	now := born()
	cases := map[string]struct {
		reason string
		meta   metav1.ObjectMeta
		want   holder
	}{
		"Ours":       {reason: "This XR controls it.", meta: controlled("Chroma", "demo", "xr"), want: ourselves},
		"Orphan":     {reason: "Left behind by kubectl delete --cascade=orphan.", meta: metav1.ObjectMeta{Labels: map[string]string{chroma.LabelChroma: "demo"}}, want: ourselves},
		"Before":     {reason: "An XR of the same kind and name with another UID.", meta: controlled("Chroma", "demo", "old"), want: predecessor},
		"Going":      {reason: "It is being deleted: it goes in its own time.", meta: metav1.ObjectMeta{DeletionTimestamp: &now}, want: predecessor},
		"Others":     {reason: "No owner and no label.", meta: metav1.ObjectMeta{}, want: stranger},
		"OtherName":  {reason: "Of another Chroma.", meta: controlled("Chroma", "other", "o"), want: stranger},
		"OtherKind":  {reason: "Of another kind with the same name.", meta: controlled("Server", "demo", "o"), want: stranger},
		"OtherLabel": {reason: "The label names another Chroma.", meta: metav1.ObjectMeta{Labels: map[string]string{chroma.LabelChroma: "other"}}, want: stranger},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := holderOf(worldOf(nil), &corev1.Pod{ObjectMeta: tc.meta}); got != tc.want {
				t.Errorf("\n%s\nholderOf(...): want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}
