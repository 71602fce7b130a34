package simulation

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
)

const preview3 = "ghcr.io/vecturadb/vecturadb:1.0.0-preview.3"

func (w *world) message(kind reason.ConditionType) string {
	w.t.Helper()
	_, _, message := simulator.Condition(w.Get(kindChroma, namespace, "demo"), string(kind))
	return message
}

func TestAnOlderImageNeedsTheAnnotationsOfItsStep(t *testing.T) {
	w := ready(t, image159)
	w.apply(chromaOf("demo", image158, nil))
	w.annotate("demo", chroma.AnnotationAllowDowngrade, "True")
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.Downgrade)
	if got := w.message(reason.UpgradeBlocked); !strings.Contains(got, "kubectl annotate chroma -n default demo") {
		t.Errorf("message without the command: %s", got)
	}
	w.annotate("demo", chroma.AnnotationAllowDowngrade, chroma.AnnotationTrue)
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.DowngradeAllowed)
	if got := w.running("demo"); got != image158 {
		t.Errorf("running: want %s, got %q", image158, got)
	}
	if got := w.chroma("demo").Status.DataVersion; got != "1.5.9" {
		t.Errorf("the ledger keeps the highest version: want 1.5.9, got %s", got)
	}

	older := "docker.io/chromadb/chroma:1.0.20"
	w.apply(chromaOf("demo", older, nil))
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.DowngradeChangesFormat)
	w.annotate("demo", chroma.AnnotationAllowFormatDowngrade, "1.0.20")
	w.settle()
	if got := w.running("demo"); got != older {
		t.Errorf("running: want %s, got %q", older, got)
	}
}

func TestAnOverrideThatIsNoLongerNeededIsNamedWithTheCommandThatRemovesIt(t *testing.T) {
	w := ready(t, image159)
	w.annotate("demo", chroma.AnnotationAllowDowngrade, chroma.AnnotationTrue)
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.NotBlocked)
	if got, want := w.message(reason.UpgradeBlocked), "kubectl annotate chroma -n default demo "+chroma.AnnotationAllowDowngrade+"-"; !strings.Contains(got, want) {
		t.Errorf("message without %q: %s", want, got)
	}
}

func TestTheWayBackFromVecturaDBNeedsAWordAndExplainsItself(t *testing.T) {
	w := ready(t, image159)
	w.apply(chromaOf("demo", preview3, nil))
	w.settle()
	if got := w.running("demo"); got != preview3 {
		t.Fatalf("the passage was tried: want %s, got %q", preview3, got)
	}
	w.apply(chromaOf("demo", image158, nil))
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.ProductChangeNotKnown)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.ProductChange)
	if got := w.running("demo"); got != preview3 {
		t.Errorf("refused, so the running Pod stays: want %s, got %q", preview3, got)
	}
	w.annotate("demo", chroma.AnnotationAllowProductChange, chroma.AnnotationTrue)
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.ProductChangeAllowed)
	if got := w.message(reason.UpgradeBlocked); !strings.Contains(got, "sparse") || !strings.Contains(got, "BM25") {
		t.Errorf("message without the explanation: %s", got)
	}
	if got := w.chroma("demo").Status.DataVersions; got[chroma.ProductChroma] != "1.5.9" || got[chroma.ProductVecturaDB] != "1.0.0-preview.3" {
		t.Errorf("the ledger keeps the highest version per product: %v", got)
	}
	// The consent has done its work, and the explanation stays as long as Chroma runs on such data.
	w.annotate("demo", chroma.AnnotationAllowProductChange, "")
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.ProductChangeAllowed)
	if got := w.message(reason.UpgradeBlocked); !strings.Contains(got, "Do not write with Chroma") || w.running("demo") != image159 {
		t.Errorf("want %s running and the explanation, got %q: %s", image159, w.running("demo"), got)
	}
}

func TestARefusedImageKeepsTheRunningPod(t *testing.T) {
	cases := map[string]struct {
		reason  string
		image   string
		product chroma.Product
		want    reason.Reason
	}{
		"NotAllowed": {reason: "A repository that is not on the allow-list.", image: "example.org/chroma:1.5.9", want: reason.ImageNotAllowed},
		"Mismatch":   {reason: "A product that the repository does not hold.", image: image159, product: chroma.ProductVecturaDB, want: reason.ProductMismatch},
		"NoVersion":  {reason: "A tag that is no exact version.", image: "docker.io/chromadb/chroma:latest", want: reason.ImageWithoutVersion},
		"NoPassage":  {reason: "No trial from this version.", image: preview3, want: reason.ProductChangeNotKnown},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := ready(t, image158)
			before := w.pod("demo").GetUID()
			w.apply(chromaOf("demo", tc.image, func(c *chroma.Chroma) { c.Spec.Product = tc.product }))
			w.settle()
			w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, tc.want)
			if pod := w.pod("demo"); pod == nil || pod.GetUID() != before {
				t.Errorf("\n%s\nthe running Pod was replaced", tc.reason)
			}
		})
	}
}

func TestADeclarationThatDoesNothingSaysWhy(t *testing.T) {
	for name, value := range map[string]string{"Malformed": "1.5.9", "WrongCode": "1.5.9/0000", "NoVersion": "latest/"} {
		t.Run(name, func(t *testing.T) {
			w := ready(t, image159)
			w.edit("docker.io/chromadb/chroma:latest")
			if name == "NoVersion" {
				value += w.chroma("demo").Status.DataVersionUnknownIncident
			}
			w.annotate("demo", chroma.AnnotationDeclaredDataVersion, value)
			w.settle()
			w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.DataVersionUnknown)
			if got := w.message(reason.UpgradeBlocked); !strings.Contains(got, "does nothing") {
				t.Errorf("message does not say why: %s", got)
			}
		})
	}
}

func TestAnImageWhoseProductIsNotKnownIsRefusedUntilTheSpecSaysWhichItIs(t *testing.T) {
	const image = "registry.example.org/search/database:1.5.9"
	w := newWorld(t, func(c *simulator.Config) {
		c.Composites[0].Input.Fields["images"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
			"allowed": structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStringValue("registry.example.org/search/database"), structpb.NewStringValue("docker.io/chromadb/chroma")}}),
		}})
	})
	w.apply(chromaOf("demo", image158, nil))
	w.settle()
	w.apply(chromaOf("demo", image, nil))
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.UnknownProduct)
	if got := w.running("demo"); got != image158 {
		t.Errorf("the running server stays: got %q", got)
	}
	w.apply(chromaOf("demo", image, func(c *chroma.Chroma) { c.Spec.Product = chroma.ProductChroma }))
	w.settle()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionFalse, reason.NotBlocked)
	if got := w.running("demo"); got != image {
		t.Errorf("running: want %s, got %q", image, got)
	}
}
