package simulation

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
)

// ready is a world with the Chroma "demo" running an image.
func ready(t *testing.T, image string) *world {
	t.Helper()
	w := newWorld(t, nil)
	w.apply(chromaOf("demo", image, nil))
	w.settle()
	if got := w.running("demo"); got != image {
		t.Fatalf("the Chroma does not run %s, but %q", image, got)
	}
	return w
}

func (w *world) edit(image string) {
	w.t.Helper()
	w.must(w.SetImage(namespace, chroma.PodName("demo"), image))
	w.settle()
}

func TestAHandEditToAnImageWithoutAVersionIsAnIncidentThatReplacesNothing(t *testing.T) {
	w := ready(t, image158)
	before := w.pod("demo").GetUID()
	w.edit("docker.io/chromadb/chroma:latest")
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.DataVersionUnknown)
	if got := w.pod("demo").GetUID(); got != before {
		t.Errorf("the running Pod was replaced")
	}
	of := w.chroma("demo")
	if !of.Status.DataVersionUnknown || of.Status.DataVersionUnknownIncident == "" {
		t.Errorf("status: %+v", of.Status)
	}

	w.annotate("demo", chroma.AnnotationDeclaredDataVersion, "1.5.8/another-code")
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.DataVersionUnknown)

	w.apply(chromaOf("demo", image159, nil))
	w.annotate("demo", chroma.AnnotationDeclaredDataVersion, "1.5.9/"+of.Status.DataVersionUnknownIncident)
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.NotBlocked)
	if got := w.running("demo"); got != image159 {
		t.Errorf("after the declaration the Pod is replaced: want %s, got %q", image159, got)
	}
}

// TestWhileTheVersionIsUnknownNothingIsStarted, neither what the spec says nor the recovery image.
func TestWhileTheVersionIsUnknownNothingIsStarted(t *testing.T) {
	w := ready(t, image158)
	w.edit(chromas + ":latest")
	before := w.pod("demo").GetUID()
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	if w.pod("demo").GetUID() != before {
		t.Errorf("the running Pod was replaced")
	}
	w.losePod()
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.DataVersionUnknown)
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.DataVersionUnknown)
	code := w.chroma("demo").Status.DataVersionUnknownIncident
	w.says(reason.UpgradeBlocked, code)
	if w.pod("demo") != nil {
		t.Errorf("a Pod was started")
	}
	w.annotate("demo", chroma.AnnotationDeclaredDataVersion, "1.5.9/"+code)
	w.settle()
	if got := w.running("demo"); got != image159 {
		t.Errorf("after the declaration: want %s, got %q", image159, got)
	}
}

func TestALaterIncidentHasAnotherCode(t *testing.T) {
	w := ready(t, image158)
	w.edit("docker.io/chromadb/chroma:latest")
	first := w.chroma("demo").Status.DataVersionUnknownIncident
	w.edit("docker.io/chromadb/chroma:preview")
	second := w.chroma("demo").Status.DataVersionUnknownIncident
	if first == second || second == "" {
		t.Errorf("codes of two incidents: %q and %q", first, second)
	}
	w.annotate("demo", chroma.AnnotationDeclaredDataVersion, "1.5.9/"+first)
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.DataVersionUnknown)
}

func TestAHandEditToANewerVersionRaisesTheLedger(t *testing.T) {
	w := ready(t, image158)
	w.edit(image159)
	if got := w.chroma("demo").Status.DataVersion; got != "1.5.9" {
		t.Errorf("data version: want 1.5.9, got %s", got)
	}
	// The wanted 1.5.8 is older than the data now: the running Pod stays.
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.Downgrade)
	if got := w.running("demo"); got != image159 {
		t.Errorf("running: want %s, got %s", image159, got)
	}
}

func TestAHandEditToAnOlderVersionIsNoticedAndThePodReplaced(t *testing.T) {
	w := ready(t, image159)
	before := w.pod("demo").GetUID()
	w.edit(image158)
	if got := w.running("demo"); got != image159 || w.pod("demo").GetUID() == before {
		t.Errorf("running: want a new Pod with %s, got %s", image159, got)
	}
}

func TestAHandEditToAnotherProductIsAnIncident(t *testing.T) {
	w := ready(t, image159)
	w.edit("ghcr.io/vecturadb/vecturadb:1.0.0-preview.3")
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.DataVersionUnknown)
}

func TestAnImageThatEqualsTheWantedOneAgainAfterARestartIsAnIncident(t *testing.T) {
	w := ready(t, image159)
	w.SetFunctionDown(true)
	w.edit("docker.io/chromadb/chroma:1.5.10.dev37")
	w.edit(image159)
	w.SetFunctionDown(false)
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.DataVersionUnknown)
}

func TestAWebhookThatAddsADigestKeepsThePodAndItsVersion(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("a", 64)
	w := newWorld(t, nil)
	w.SetImageWebhook(func(image string) string {
		if strings.Contains(image, "@") {
			return image
		}
		return image + digest
	}, false)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.NotBlocked)
	if got := w.chroma("demo").Status.Image; got != image159+digest {
		t.Errorf("status.image: want the admitted image, got %s", got)
	}
	if got := w.pod("demo").GetAnnotations()[chroma.AnnotationAdmittedImage]; got != image159+digest {
		t.Errorf("admitted-image: got %q", got)
	}
}

func TestAWebhookThatLeavesADigestAloneMakesTheVersionUnknown(t *testing.T) {
	w := newWorld(t, nil)
	w.SetImageWebhook(func(string) string { return "docker.io/chromadb/chroma@sha256:" + strings.Repeat("a", 64) }, false)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.DataVersionUnknown)
}

func TestAWebhookThatSetsAnotherVersionIsImageRewrittenAndRaisesTheLedger(t *testing.T) {
	w := newWorld(t, nil)
	w.SetImageWebhook(func(string) string { return image159 }, false)
	w.apply(chromaOf("demo", image158, nil))
	w.settle()
	if got := w.chroma("demo").Status.DataVersion; got != "1.5.9" {
		t.Errorf("data version: want 1.5.9, got %s", got)
	}
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.ImageRewritten)
	w.apply(chromaOf("demo", image158, func(c *chroma.Chroma) { c.Annotations = map[string]string{chroma.AnnotationAllowDowngrade: "true"} }))
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.ImageRewritten)
}
