package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
)

// TestTheGenerationLabelFollowsTheUsersSpecOnly: Crossplane writes the references to what it composed into the spec, and
// each such write raises the generation.
func TestTheGenerationLabelFollowsTheUsersSpecOnly(t *testing.T) {
	c := newCrossplane(object())
	c.raises = true
	c.settle(t)
	all := func(generation string) map[string]string {
		return map[string]string{
			"search-prod-green-a": generation, "search-prod-green-b": generation, "search-prod-blue-a": generation, "search-prod-blue-b": generation,
		}
	}
	if diff := cmp.Diff(all("1"), c.names("ValdRelease")); diff != "" {
		t.Errorf("created: -want, +got:\n%s", diff)
	}
	if status := c.status(t); status.ManagedGeneration != 1 || status.ObservedGeneration != 2 {
		t.Errorf("created: want managed generation 1 of 2, got %d of %d", status.ManagedGeneration, status.ObservedGeneration)
	}
	c.edit(func(v *valdv1.ValdOperatorRelease) { v.Spec.VectorEngine.Vald.Agent.NGT.Dimension = 3 })
	c.settle(t)
	if diff := cmp.Diff(all("3"), c.names("ValdRelease")); diff != "" {
		t.Errorf("changed: -want, +got:\n%s", diff)
	}
}

// TestNoLabelBeyondTheBuilds but the generation, under the configured key.
func TestNoLabelBeyondTheBuilds(t *testing.T) {
	c := newCrossplane(object())
	c.settings.Config = map[string]any{"operator": map[string]any{"vrs": map[string]any{"managed_generation_label": "example.com/generation"}}}
	c.settle(t)
	want := map[string]string{
		"app.kubernetes.io/managed-by": "vald.vdaas.org", "vald.vdaas.org/managed-resource": "ValdRelease",
		"type": "kind", "role": "green", "example.com/generation": "1",
	}
	if diff := cmp.Diff(want, c.objects["ValdRelease/search-prod-green-a"].GetLabels()); diff != "" {
		t.Errorf("labels: -want, +got:\n%s", diff)
	}
}
