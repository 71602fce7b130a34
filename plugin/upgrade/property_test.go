package upgrade_test

import (
	"encoding/json"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

// images of a history: formats, products, what may not run, what has no version.
func images() []string {
	return []string{
		repository + "1.1.1", repository + "1.4.1", repository + "1.5.8", repository + "1.5.9", repository + "1.5.10", repository + "latest",
		"ghcr.io/vecturadb/vecturadb:1.0.0-preview.2", "ghcr.io/vecturadb/vecturadb:1.0.0-preview.3", "example.org/chroma:1.5.9",
	}
}

// story is a cluster whose Chroma "demo" has had some images and annotations.
func story(t *rapid.T, defaults definition.Defaults) *simulation.Simulation {
	s, err := simulation.New(simulation.Setting{ProviderConfigs: []*unstructured.Unstructured{
		simulation.ProviderConfig("default", settings.ProviderConfig{Kind: "ClusterProviderConfig", Name: "default"}),
	}})
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
	run(s)
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		if rapid.Bool().Draw(t, "by hand") {
			if s.Get(cluster.Pod(), "default", "demo-1") != nil {
				if err := s.SetImage("default", "demo-1", rapid.SampledFrom(images()).Draw(t, "image by hand")); err != nil {
					t.Fatal(err)
				}
			}
		} else {
			set(t, s, rapid.SampledFrom(images()).Draw(t, "image"))
		}
		key := rapid.SampledFrom([]string{"", chroma.AnnotationAllowDowngrade, chroma.AnnotationAllowProductChange}).Draw(t, "annotation")
		if key != "" {
			if err := s.Annotate(chroma.GroupVersionKind(), "default", "demo", key, "true"); err != nil {
				t.Fatal(err)
			}
		}
		run(s)
	}
	return s
}

func set(t *rapid.T, s *simulation.Simulation, image string) {
	if err := s.Edit(chroma.GroupVersionKind(), "default", "demo", simulator.ManagerEdit, func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, image, "spec", "image")
	}); err != nil {
		t.Fatal(err)
	}
}

// run long enough for a server to be replaced, or for a write to be refused once.
func run(s *simulation.Simulation) { s.Advance(10 * time.Second) }

// TestCheckGivesTheFunctionsOwnReason asks the plugin first, and then does it in the cluster.
func TestCheckGivesTheFunctionsOwnReason(t *testing.T) {
	defaults, err := definition.NewDefaults()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := story(rt, defaults)
		image := rapid.SampledFrom(images()).Draw(rt, "wanted")
		server := fixture.Serve(t, fixture.Dump(t, s, chroma.GroupVersionKind(), nil)...)
		got := fixture.Run(t, server, "", "upgrade", "check", "demo", "-n", "default", "--image", image, "-o", "json")
		var list v1.UpgradeCheckList
		if err := json.Unmarshal([]byte(got.Out), &list); err != nil || len(list.Items) != 1 {
			rt.Fatalf("%v: %s", err, got)
		}
		set(rt, s, image)
		s.Steps = nil
		s.Until(100, func() bool { return len(s.Steps) > 0 && s.Steps[len(s.Steps)-1].Pass != nil })
		want := live.ConditionOf(s.Get(chroma.GroupVersionKind(), "default", "demo"), string(reason.UpgradeBlocked))
		if check := list.Items[0]; check.Reason != want.Reason || check.Allowed == (want.Status == "True") {
			rt.Errorf("%s: the plugin says %s (allowed: %v), the function %s (blocked: %s)", image, check.Reason, check.Allowed, want.Reason, want.Status)
		}
	})
}
