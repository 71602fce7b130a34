package simulation

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// mirrored image, as a webhook of a company makes it. The mirror is on no allow-list.
func mirrored(image string) string {
	return strings.Replace(image, "docker.io/", "mirror.example.org/", 1)
}

// pinned image: whatever digest it had, it has this one.
func pinned(digit string) func(string) string {
	return func(image string) string {
		tagged, _, _ := strings.Cut(image, "@")
		return tagged + "@sha256:" + strings.Repeat(digit, 64)
	}
}

// podsCreated so far.
func (w *world) podsCreated() int {
	created := 0
	for _, c := range w.changes {
		if c.Key.GVK == kindPod && c.Outcome == store.OutcomeCreated {
			created++
		}
	}
	return created
}

func TestTheAllowListIsHeldAgainstTheWantedImageAndTheVersionReadFromTheAdmittedOne(t *testing.T) {
	w := newWorld(t, nil)
	w.SetImageWebhook(mirrored, false)
	w.apply(chromaOf("demo", image158, nil))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.NotBlocked)
	of := w.chroma("demo")
	if of.Status.Image != mirrored(image158) || of.Status.DataVersion != "1.5.8" || of.Status.DataProduct != chroma.ProductChroma {
		t.Errorf("status: want the mirror's image and version 1.5.8, got %+v", of.Status)
	}
	w.apply(chromaOf("demo", mirrored(image158), nil))
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.ImageNotAllowed)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	if got := w.running("demo"); got != mirrored(image159) {
		t.Errorf("running: want %s, got %q", mirrored(image159), got)
	}
	w.apply(chromaOf("demo", image158, nil))
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.Downgrade)
}

func TestTheRecoveryImageIsTheWantedOneAndNotTheAdmittedOne(t *testing.T) {
	w := newWorld(t, nil)
	w.SetImageWebhook(mirrored, false)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	w.wantRecovery("a webhook rewrote it", image159)
	w.apply(chromaOf("demo", image158, nil))
	w.losePod()
	if got := w.running("demo"); got != mirrored(image159) {
		t.Errorf("the recovery image, rewritten again: want %s, got %q", mirrored(image159), got)
	}
	w.wantRecovery("it was started again", image159)
}

func TestARewriteAtTheCreationKeepsOnePodForGood(t *testing.T) {
	for name, rewrite := range map[string]func(string) string{"Mirror": mirrored, "Digest": pinned("a")} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.SetImageWebhook(rewrite, false)
			w.apply(chromaOf("demo", image159, nil))
			w.settle()
			w.Advance(time.Hour)
			if got := w.podsCreated(); got != 1 {
				t.Errorf("want one Pod made, got %d", got)
			}
			if got := w.pod("demo").GetAnnotations()[chroma.AnnotationAdmittedImage]; got != rewrite(image159) {
				t.Errorf("admitted-image: want %s, got %q", rewrite(image159), got)
			}
		})
	}
}

func TestARewriteOnALaterApplyOfOursIsRecordedAndThePodStays(t *testing.T) {
	w := newWorld(t, nil)
	w.SetImageWebhook(pinned("a"), false)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	before := w.pod("demo").GetUID()
	w.must(w.Annotate(kindPod, namespace, "demo-1", "note", "of a person")) // It starts a pass, which applies the Pod.
	w.SetImageWebhook(pinned("b"), true)
	w.settle()
	if got := w.running("demo"); got != pinned("b")(image159) {
		t.Fatalf("the webhook rewrites what we apply: want %s, got %q", pinned("b")(image159), got)
	}
	if got := w.pod("demo").GetAnnotations()[chroma.AnnotationAdmittedImage]; got != pinned("b")(image159) {
		t.Errorf("admitted-image: want the newer one, got %q", got)
	}
	if w.pod("demo").GetUID() != before || w.podsCreated() != 1 {
		t.Errorf("the Pod was replaced")
	}
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.NotBlocked)
}

func TestAnImageThatIsNotOursIsNotRecordedAsAdmitted(t *testing.T) {
	w := newWorld(t, nil)
	w.SetImageWebhook(pinned("a"), false)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	w.edit(chromas + ":latest")
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.DataVersionUnknown)
	if got := w.pod("demo").GetAnnotations()[chroma.AnnotationAdmittedImage]; got != pinned("a")(image159) {
		t.Errorf("admitted-image: want what a webhook made of ours, got %q", got)
	}
}
