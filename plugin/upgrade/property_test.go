package upgrade_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/apis/definition"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/simulator"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/fixture"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/simulation"
)

const vectura = "ghcr.io/vecturadb/vecturadb:"

// images of a history: formats, products, what may not run, what has no version.
func images() []string {
	return []string{
		repository + "1.1.1", repository + "1.4.1", repository + "1.5.8", repository + "1.5.9", repository + "1.5.10", repository + "latest",
		vectura + "1.0.0-preview.2", vectura + "1.0.0-preview.3", "example.org/chroma:1.5.9",
	}
}

// A world is a simulated cluster with the Chroma "demo" in it, as a composite or as a claim of one.
type world struct {
	*simulation.Simulation
	composite schema.GroupVersionKind
}

func newWorld(t rapid.TB, claims bool) world {
	t.Helper()
	s, err := simulation.New(simulation.Setting{Claims: claims, ProviderConfigs: []*unstructured.Unstructured{
		simulation.ProviderConfig("default", settings.ProviderConfig{Kind: "ClusterProviderConfig", Name: "default"}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defaults, err := definition.NewDefaults()
	if err != nil {
		t.Fatal(err)
	}
	of := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"storage": map[string]any{"size": "10Gi"}}}}
	of.SetGroupVersionKind(chroma.GroupVersionKind())
	of.SetNamespace("default")
	of.SetName("demo")
	defaults.Default(of.Object)
	if err := s.Apply(of); err != nil {
		t.Fatal(err)
	}
	w := world{Simulation: s, composite: chroma.GroupVersionKind()}
	if claims {
		w.composite = cluster.XChroma()
	}
	w.run()
	return w
}

// run long enough for a server to be replaced, or for a write to be refused once.
func (w world) run() { w.Advance(6 * time.Second) }

func (w world) set(t rapid.TB, image string) {
	t.Helper()
	if err := w.Edit(chroma.GroupVersionKind(), "default", "demo", simulator.ManagerEdit, func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, image, "spec", "image")
	}); err != nil {
		t.Fatal(err)
	}
}

func (w world) annotate(t rapid.TB, key string) {
	t.Helper()
	if err := w.Annotate(chroma.GroupVersionKind(), "default", "demo", key, chroma.AnnotationTrue); err != nil {
		t.Fatal(err)
	}
}

// xr is the composite itself, or the one behind the claim.
func (w world) xr() *unstructured.Unstructured {
	of := w.Get(chroma.GroupVersionKind(), "default", "demo")
	if w.composite == chroma.GroupVersionKind() {
		return of
	}
	return w.Get(w.composite, "", live.Text(of, "spec", "resourceRef", "name"))
}

// story has had some images and annotations, some of them VecturaDB.
func story(t *rapid.T) world {
	w := newWorld(t, rapid.Bool().Draw(t, "claim"))
	if rapid.Bool().Draw(t, "VecturaDB") {
		for _, image := range []string{repository + "1.5.9", vectura + "1.0.0-preview.3"} {
			w.set(t, image)
			w.run()
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		switch {
		case rapid.IntRange(0, 3).Draw(t, "by hand at 0") > 0:
			w.set(t, rapid.SampledFrom(images()).Draw(t, "image"))
		case w.Get(cluster.Pod(), "default", "demo-1") != nil:
			if err := w.SetImage("default", "demo-1", rapid.SampledFrom(images()).Draw(t, "image by hand")); err != nil {
				t.Fatal(err)
			}
		}
		if key := rapid.SampledFrom([]string{"", chroma.AnnotationAllowDowngrade, chroma.AnnotationAllowProductChange}).Draw(t, "annotation"); key != "" {
			w.annotate(t, key)
		}
		w.run()
	}
	return w
}

// check by the plugin, which reads the world through its API server.
func (w world) check(t *testing.T, image string) (v1.UpgradeCheck, error) {
	t.Helper()
	server := fixture.Serve(t, fixture.Dump(t, w.Simulation, w.composite, nil)...)
	got := fixture.Run(t, server, "", "upgrade", "check", "demo", "-n", "default", "--image", image, "-o", "json")
	var list v1.UpgradeCheckList
	if err := json.Unmarshal([]byte(got.Out), &list); err != nil || len(list.Items) != 1 {
		return v1.UpgradeCheck{}, fmt.Errorf("cannot read the answer: %w: %s", err, got)
	}
	return list.Items[0], nil
}

// decide lets the function decide in the cluster: the reason of the first pass that sees the image.
func (w world) decide(t rapid.TB, image string) live.Condition {
	w.set(t, image)
	seen := func() bool { return live.Text(w.xr(), "spec", "image") == image }
	// A claim's spec reaches its composite with a write of its own.
	w.Until(100, seen)
	w.Steps = nil
	w.Until(100, func() bool { return len(w.Steps) > 0 && w.Steps[len(w.Steps)-1].Pass != nil })
	return live.ConditionOf(w.xr(), string(reason.UpgradeBlocked))
}

// disagree tells in what the plugin's answer differs from the function's. Empty: in nothing.
func disagree(check v1.UpgradeCheck, function live.Condition) string {
	if check.Reason == function.Reason && check.Allowed == (function.Status != "True") {
		return ""
	}
	return fmt.Sprintf("%s: the plugin says %s (allowed: %v), the function %s (blocked: %s)", check.To, check.Reason, check.Allowed, function.Reason, function.Status)
}

// TestCheckGivesTheFunctionsOwnReason asks the plugin first, and then does it in the cluster.
func TestCheckGivesTheFunctionsOwnReason(t *testing.T) {
	met := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		w := story(rt)
		image := rapid.SampledFrom(images()).Draw(rt, "wanted")
		met[w.composite.Kind]++
		met[live.Text(w.xr(), "status", "dataProduct")]++
		check, err := w.check(t, image)
		if err != nil {
			rt.Fatal(err)
		}
		function := w.decide(rt, image)
		met[function.Reason]++
		if difference := disagree(check, function); difference != "" {
			rt.Error(difference)
		}
	})
	for _, world := range []string{
		chroma.Kind, chroma.KindXChroma, string(chroma.ProductChroma), string(chroma.ProductVecturaDB),
		string(reason.DataVersionUnknown), string(reason.ProductChangeNotKnown), string(reason.ImageNotAllowed),
	} {
		if met[world] == 0 && !t.Failed() {
			t.Errorf("no world was met with %s: %v", world, met)
		}
	}
	t.Logf("met: %v", met)
}

// TestTheComparisonCanFail asks the plugin about one image, and gives the cluster another.
func TestTheComparisonCanFail(t *testing.T) {
	for name, claims := range map[string]bool{"Composite": false, "Claim": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, claims)
			w.set(t, repository+"1.5.9")
			w.run()
			check, err := w.check(t, repository+"1.5.10")
			if err != nil {
				t.Fatal(err)
			}
			if got := disagree(check, w.decide(t, repository+"1.4.1")); got == "" {
				t.Errorf("want a disagreement about 1.5.10 and 1.4.1, got none: %+v", check)
			}
		})
	}
}
