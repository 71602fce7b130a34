package singlenode

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
)

// born is when the XR of these tests was created.
func born() metav1.Time { return metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) }

// worldOf the Chroma demo with the UID xr, and with a claim or none.
func worldOf(pvc *corev1.PersistentVolumeClaim) World {
	size := resource.MustParse("10Gi")
	w := World{Chroma: &chroma.Chroma{}, XR: XR{APIVersion: "chroma.chromadotnet.org/v1alpha1", Kind: "Chroma", Name: "demo"}, Now: born().Time}
	w.Chroma.SetName("demo")
	w.Chroma.SetNamespace("default")
	w.Chroma.SetUID("xr")
	w.Chroma.SetCreationTimestamp(born())
	w.Chroma.Spec.Storage = &chroma.Storage{Size: &size}
	w.Found.Claim.Given = true
	if pvc != nil {
		w.Found.Claim.Items = []*corev1.PersistentVolumeClaim{pvc}
	}
	return w
}

func claimNamed(uid types.UID, change func(*corev1.PersistentVolumeClaim)) *corev1.PersistentVolumeClaim {
	pvc := &corev1.PersistentVolumeClaim{}
	pvc.SetName("demo-1")
	pvc.SetUID(uid)
	pvc.SetCreationTimestamp(born())
	pvc.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")}
	pvc.Status.Phase = corev1.ClaimBound
	if change != nil {
		change(pvc)
	}
	return pvc
}

func going(pvc *corev1.PersistentVolumeClaim) {
	now := born()
	pvc.SetDeletionTimestamp(&now)
}

func ours(pvc *corev1.PersistentVolumeClaim) {
	pvc.SetLabels(map[string]string{chroma.LabelChroma: "demo", chroma.LabelManagedBy: chroma.ManagedByOperator})
}

func marked(pvc *corev1.PersistentVolumeClaim) {
	ours(pvc)
	pvc.SetAnnotations(map[string]string{chroma.AnnotationCreatedFor: "xr/" + born().Format(time.RFC3339)})
}

func another(pvc *corev1.PersistentVolumeClaim) {
	ours(pvc)
	pvc.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "chroma.chromadotnet.org/v1alpha1", Kind: "XChroma", Name: "demo-12345", UID: "another"}})
}

// naming is an Object whose manifest is of a claim.
func naming(uid string) *unstructured.Unstructured {
	metadata := map[string]any{"name": "demo-1"}
	if uid != "" {
		metadata["uid"] = uid
	}
	return &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"forProvider": map[string]any{"manifest": map[string]any{"metadata": metadata}}}}}
}

func TestClaimOf(t *testing.T) {
	cases := map[string]struct {
		reason   string
		pvc      *corev1.PersistentVolumeClaim
		pinned   string
		word     string
		followed string
		// named is the claim that our Objects name.
		named   string
		want    claimState
		wantUID types.UID
	}{
		"Absent":             {reason: "There never was one.", want: claimAbsent},
		"Taken":              {reason: "Somebody else's.", pvc: claimNamed("a", nil), want: claimTaken},
		"Adopted":            {reason: "The two labels hand it over.", pvc: claimNamed("a", ours), want: claimUsable, wantUID: "a"},
		"GoesWithAnother":    {reason: "It has the labels, and goes with an owner that is not this Chroma.", pvc: claimNamed("a", another), want: claimTaken},
		"Known":              {reason: "The one in the status, whatever its labels.", pvc: claimNamed("a", nil), pinned: "a", want: claimUsable, wantUID: "a"},
		"Terminating":        {reason: "The known one is being deleted.", pvc: claimNamed("a", going), pinned: "a", want: claimTerminating, wantUID: "a"},
		"Lost":               {reason: "The known one is gone.", pinned: "a", want: claimLost, wantUID: "a"},
		"AnotherInItsPlace":  {reason: "Labels do not make it the known one.", pvc: claimNamed("b", ours), pinned: "a", want: claimLost, wantUID: "a"},
		"AcceptTheOther":     {reason: "A person's word takes the one that is there.", pvc: claimNamed("b", ours), pinned: "a", word: "b", want: claimUsable, wantUID: "b"},
		"AcceptAThird":       {reason: "The word is about one claim, and not the one that is there.", pvc: claimNamed("b", ours), pinned: "a", word: "c", want: claimLost, wantUID: "a"},
		"AcceptOneThatGoes":  {reason: "One that is being deleted cannot be taken.", pvc: claimNamed("b", going), pinned: "a", word: "b", want: claimLost, wantUID: "a"},
		"BeginAnew":          {reason: "A person's word gives the lost one up.", pinned: "a", word: "new/a", want: claimAbsent},
		"BeginAnewOfAnother": {reason: "The word is about another loss.", pinned: "a", word: "new/b", want: claimLost, wantUID: "a"},
		"BeginAnewTooEarly":  {reason: "The known one is there: nothing is given up.", pvc: claimNamed("a", ours), pinned: "a", word: "new/a", want: claimUsable, wantUID: "a"},
		"BeginAnewOnce":      {reason: "A word that was followed does nothing for a later loss.", pinned: "a", word: "new/a", followed: "new/a", want: claimLost, wantUID: "a"},
		"BeganAnewAndCrashed": {reason: "The pass that gave up the old one crashed before its status was written, and the new one is there.",
			pvc: claimNamed("b", marked), pinned: "a", word: "new/a", want: claimUsable, wantUID: "b"},
		"BeginAnewOfAnOlderStatus": {reason: "An older status was restored: the claim of the Objects is lost, too, and was not given up.",
			pinned: "a", word: "new/a", named: "b", want: claimLost, wantUID: "b"},
		"BeginAnewOnceMore": {reason: "The Object behind names one that was given up before.",
			pinned: "b", word: "new/b", followed: "new/a", named: "a", want: claimAbsent},
		"BeganAnewAndCrashedTwice": {reason: "The new one was pinned before a status was written.",
			pvc: claimNamed("b", marked), pinned: "a", word: "new/a", named: "b", want: claimUsable, wantUID: "b"},
		"BeginAnewOnAnothers": {reason: "The one in its place was not made by us.", pvc: claimNamed("b", ours), pinned: "a", word: "new/a", want: claimLost, wantUID: "a"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := worldOf(tc.pvc)
			w.Chroma.Status.ClaimUID, w.Chroma.Status.AcceptedClaim = tc.pinned, tc.followed
			w.Chroma.SetAnnotations(map[string]string{chroma.AnnotationAcceptClaim: tc.word})
			if tc.named != "" {
				w.Composed.ClaimObject, w.Composed.LedgerObject = naming(tc.named), naming(tc.named)
			}
			if got := claimOf(w); got.state != tc.want || got.pinned != tc.wantUID {
				t.Errorf("\n%s\nclaimOf(...): want state %d of %q, got %d of %q", tc.reason, tc.want, tc.wantUID, got.state, got.pinned)
			}
		})
	}
}

func TestPinned(t *testing.T) {
	cases := map[string]struct {
		reason        string
		status        string
		followed      string
		claim, ledger *unstructured.Unstructured
		want          types.UID
	}{
		"None":         {reason: "No claim was seen yet."},
		"Status":       {reason: "The status comes first.", status: "a", claim: naming("b"), ledger: naming("b"), want: "a"},
		"Object":       {reason: "The status was lost.", claim: naming("a"), ledger: naming("b"), want: "a"},
		"New":          {reason: "An Object that creates a claim names none.", claim: naming("")},
		"Record":       {reason: "The claim's Object is gone, too.", ledger: naming("a"), want: "a"},
		"RecordOfLost": {reason: "The claim's Object was made anew when the status was lost.", claim: naming(""), ledger: naming("a"), want: "a"},
		"GivenUp":      {reason: "A person gave it up: the Object is behind.", followed: "new/a", claim: naming("a"), ledger: naming("a")},
		"RecordBehind": {reason: "A person gave it up: the record's Object is behind.", followed: "new/a", claim: naming(""), ledger: naming("a")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := worldOf(nil)
			w.Chroma.Status.ClaimUID, w.Chroma.Status.AcceptedClaim = tc.status, tc.followed
			w.Composed.ClaimObject, w.Composed.LedgerObject = tc.claim, tc.ledger
			if got := w.pinned(); got != tc.want {
				t.Errorf("\n%s\npinned(): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

func TestCreatedFor(t *testing.T) {
	cases := map[string]struct {
		reason string
		mark   string
		want   bool
	}{
		"None":      {reason: "A claim of others."},
		"Ours":      {reason: "Made after the XR was.", mark: "xr/2026-01-01T00:00:00Z", want: true},
		"Older":     {reason: "Marked while a cache was behind: the claim is older than the XR.", mark: "xr/2026-01-01T00:00:01Z"},
		"Malformed": {reason: "No time.", mark: "xr/yesterday"},
		"NoTime":    {reason: "No time at all.", mark: "xr"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pvc := claimNamed("a", func(pvc *corev1.PersistentVolumeClaim) {
				pvc.SetAnnotations(map[string]string{chroma.AnnotationCreatedFor: tc.mark})
			})
			if got := createdFor(worldOf(pvc), pvc); got != tc.want {
				t.Errorf("\n%s\ncreatedFor(...): want %v, got %v", tc.reason, tc.want, got)
			}
		})
	}
}

func TestSizeOf(t *testing.T) {
	expandable := func(is bool) *storagev1.StorageClass {
		return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast"}, AllowVolumeExpansion: &is}
	}
	cases := map[string]struct {
		reason  string
		want    string
		phase   corev1.PersistentVolumeClaimPhase
		class   *storagev1.StorageClass
		given   bool
		send    string
		because reason.Reason
	}{
		"Same":    {reason: "Nothing to do.", want: "10Gi", phase: corev1.ClaimBound, send: "10Gi"},
		"Equal":   {reason: "The same size, written otherwise.", want: "10240Mi", phase: corev1.ClaimBound, send: "10Gi"},
		"Shrink":  {reason: "Claims cannot shrink.", want: "5Gi", phase: corev1.ClaimBound, send: "10Gi", because: reason.StorageNotShrunk},
		"Pending": {reason: "Immutable until it has a volume.", want: "20Gi", phase: corev1.ClaimPending, send: "10Gi", because: reason.StorageFixed},
		"Asking":  {reason: "The class is asked for first.", want: "20Gi", phase: corev1.ClaimBound, send: "10Gi"},
		"Grow":    {reason: "The class allows it.", want: "20Gi", phase: corev1.ClaimBound, class: expandable(true), given: true, send: "20Gi"},
		"Refused": {reason: "The class does not allow it.", want: "20Gi", phase: corev1.ClaimBound, class: expandable(false), given: true, send: "10Gi", because: reason.StorageNotGrown},
		"NoClass": {reason: "The class is gone.", want: "20Gi", phase: corev1.ClaimBound, given: true, send: "10Gi", because: reason.StorageNotGrown},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			class := "fast"
			w := worldOf(claimNamed("a", func(pvc *corev1.PersistentVolumeClaim) {
				ours(pvc)
				pvc.Spec.StorageClassName, pvc.Status.Phase = &class, tc.phase
			}))
			want := resource.MustParse(tc.want)
			w.Chroma.Spec.Storage.Size = &want
			w.Found.StorageClass.Given = tc.given
			if tc.class != nil {
				w.Found.StorageClass.Items = []*storagev1.StorageClass{tc.class}
			}
			got := sizeOf(w, claimOf(w))
			if got.send.String() != tc.send || got.held.reason != tc.because {
				t.Errorf("\n%s\nsizeOf(...): want %s held by %q, got %s held by %q", tc.reason, tc.send, tc.because, got.send.String(), got.held.reason)
			}
		})
	}
}
