package simulation

import (
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
)

// misselected is a spec whose Pod the API server would refuse: a label's key has no blanks.
func misselected(c *chroma.Chroma) { c.Spec.NodeSelector = map[string]string{"disk type": "ssd"} }

func priorityClass(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": map[string]any{"name": name},
	}}
}

// TestAPodThatTheAPIWouldRefuseDoesNotReplaceTheOneThatRuns.
func TestAPodThatTheAPIWouldRefuseDoesNotReplaceTheOneThatRuns(t *testing.T) {
	w := ready(t, image158)
	before := w.pod("demo").GetUID()
	w.apply(chromaOf("demo", image158, misselected))
	w.settle()
	if w.pod("demo").GetUID() != before {
		t.Error("the Pod was replaced")
	}
	if got := w.condition("demo", "ServerReady") + " " + w.condition("demo", "UpgradeBlocked"); got != "True PodReady True InvalidSpec" {
		t.Errorf("want the server ready and the change held back, got %s", got)
	}
	w.apply(chromaOf("demo", image158, nil))
	w.settle()
	if got := w.condition("demo", "UpgradeBlocked"); w.pod("demo").GetUID() != before || got != "False NotBlocked" {
		t.Errorf("mended: want the same Pod and nothing held back, got %s", got)
	}
}

// TestAPodOfAClassThatDoesNotExistDoesNotReplaceTheOneThatRuns: nor does its image count as run.
func TestAPodOfAClassThatDoesNotExistDoesNotReplaceTheOneThatRuns(t *testing.T) {
	w := ready(t, image158)
	before := w.pod("demo").GetUID()
	w.apply(chromaOf("demo", image159, func(c *chroma.Chroma) { c.Spec.PriorityClassName = "serch-critical" }))
	w.settle()
	_, _, message := simulator.Condition(w.Get(kindChroma, namespace, "demo"), string(reason.UpgradeBlocked))
	if !strings.Contains(message, `no PriorityClass "serch-critical"`) {
		t.Errorf("want the class named, got %q", message)
	}
	if got := w.condition("demo", "ServerReady") + " " + w.condition("demo", "UpgradeBlocked"); w.pod("demo").GetUID() != before || got != "True PodReady True InvalidSpec" {
		t.Errorf("want the same Pod ready and the change held back, got %s", got)
	}
	if got := w.chroma("demo").Status.DataVersion; got != "1.5.8" {
		t.Errorf("want nothing recorded of what cannot start, got %q", got)
	}
	w.apply(priorityClass("serch-critical"))
	w.settle()
	if got := w.pod("demo"); got.GetUID() == before || got.Spec.PriorityClassName != "serch-critical" || w.running("demo") != image159 {
		t.Errorf("the class is there: want another Pod of it, got %s of %q", w.running("demo"), got.Spec.PriorityClassName)
	}
}

// TestAPodWhoseClassIsGoneIsNotReplaced: the API deletes a class that Pods have.
func TestAPodWhoseClassIsGoneIsNotReplaced(t *testing.T) {
	classed := func(c *chroma.Chroma) { c.Spec.PriorityClassName = someClass }
	w := newWorld(t, nil)
	w.apply(priorityClass(someClass), chromaOf("demo", image158, classed))
	w.settle()
	before := w.pod("demo").GetUID()
	w.must(w.Delete(kindPriorityClass, "", someClass, metav1.DeletePropagationBackground))
	w.apply(chromaOf("demo", image159, classed))
	w.settle()
	if got := w.condition("demo", "ServerReady") + " " + w.condition("demo", "UpgradeBlocked"); w.pod("demo").GetUID() != before || got != "True PodReady True InvalidSpec" {
		t.Errorf("want the same Pod ready and the change held back, got %s", got)
	}
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	if got := w.running("demo"); got != image159 {
		t.Errorf("without the class: want 1.5.9, got %q", got)
	}
}

// TestWhatWasSeenIsRecordedBeforeAnythingIsAsked: a right that Crossplane lacks makes it wait for the answer.
func TestWhatWasSeenIsRecordedBeforeAnythingIsAsked(t *testing.T) {
	w := ready(t, "docker.io/chromadb/chroma:1.5.7")
	w.apply(chromaOf("demo", image159, func(c *chroma.Chroma) { c.Spec.PriorityClassName = absentClass }))
	w.settle()
	asked := false
	w.alter = func(rsp *fnv1.RunFunctionResponse) {
		if _, asks := rsp.GetRequirements().GetResources()["priority-class"]; !asks || w.running("demo") != image158 {
			return
		}
		asked = true
		if got := w.chroma("demo").Status.DataVersion; got != "1.5.8" {
			t.Errorf("want 1.5.8 recorded first, got %q", got)
		}
	}
	w.edit(image158)
	if !asked {
		t.Error("nothing was asked: what is tested here?")
	}
}

// TestAHandEditIsRecordedWhileTheSpecIsInvalid: what ran, ran.
func TestAHandEditIsRecordedWhileTheSpecIsInvalid(t *testing.T) {
	w := ready(t, image141)
	w.apply(chromaOf("demo", image141, misselected))
	w.settle()
	w.edit(image159)
	w.Advance(10 * time.Minute)
	if got := w.chroma("demo").Status.DataVersion; got != "1.5.9" {
		t.Errorf("want 1.5.9 recorded, got %q", got)
	}
	w.must(w.Delete(kindPod, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.Advance(2 * time.Minute)
	if w.pod("demo") != nil {
		t.Error("a Pod of an invalid spec was started")
	}
	w.apply(chromaOf("demo", image141, nil))
	w.settle()
	if got := w.running("demo"); got != image159 {
		t.Errorf("mended: want the newest image that has run, got %q", got)
	}
}

// TestTheClaimIsRetainedAlsoWhenTheSameEditIsInvalid.
func TestTheClaimIsRetainedAlsoWhenTheSameEditIsInvalid(t *testing.T) {
	w := newWorld(t, nil)
	w.apply(chromaOf("demo", image158, func(c *chroma.Chroma) { c.Spec.PVCDeletionPolicy = chroma.PVCDelete }))
	w.settle()
	w.apply(chromaOf("demo", image158, func(c *chroma.Chroma) {
		misselected(c)
		c.Spec.PVCDeletionPolicy = chroma.PVCRetain
	}))
	w.settle()
	w.deleteChroma("demo", metav1.DeletePropagationBackground)
	w.settle()
	if w.claim("demo") == nil {
		t.Error("the claim went with the Chroma")
	}
}

// TestTwoWritesThatAreRefusedAreBothTold: each ends the pass before the status is written.
func TestTwoWritesThatAreRefusedAreBothTold(t *testing.T) {
	w := newWorld(t, nil)
	w.Refuse(&simulator.Refusal{Actor: "crossplane", Kind: "ConfigMap", Code: 403, Message: "policy"})
	w.Refuse(&simulator.Refusal{Actor: "crossplane", Kind: "Service", Code: 403, Message: "policy"})
	w.apply(chromaOf("demo", image158, nil))
	w.Advance(3 * time.Minute)
	if got := w.condition("demo", "ServerReady"); got != "False ConfigRefused" {
		t.Errorf("want the first of them told, got %s", got)
	}
	if got := len(w.chroma("demo").Status.Retries); got != 2 {
		t.Errorf("want both remembered, got %d", got)
	}
}
