package lifecycle

import (
	"testing"

	"github.com/function-chroma/function-chroma/apis/definition"
	"github.com/function-chroma/function-chroma/apis/definition/validation"
	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
)

// TestTheAPIDeclaresEverythingThatTheStatusSays: with one undeclared field Crossplane writes nothing of a status, and no
// condition, for ever.
func TestTheAPIDeclaresEverythingThatTheStatusSays(t *testing.T) {
	v, err := validation.New(definition.KindValdOperatorRelease)
	if err != nil {
		t.Fatal(err)
	}
	c := newCrossplane(object())
	c.edit(func(vor *valdv1.ValdOperatorRelease) {
		vor.Spec.VectorEngine.Vald.Agent.PersistentVolume = &valdv1.PersistentVolume{Enabled: true}
	})
	c.settle(t)
	for _, object := range c.objects {
		object.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Deployed", "status": "True"}}}
	}
	c.forbidden = map[string]string{"ValdRelease/search-prod-blue-a": "no"}
	c.edit(func(vor *valdv1.ValdOperatorRelease) { vor.Spec.VectorEngine.Vald.Agent.NGT.Dimension = 3 })
	c.pass(t)
	c.pass(t)
	if status := c.status(t); len(status.Retries) != 1 || status.Clusters[0].Deployed == nil || status.Clusters[0].Volume == "" {
		t.Fatalf("want a status with everything in it, got %+v", status)
	}
	unknown, err := v.UnknownFields(c.xr.Object)
	if err != nil || len(unknown) > 0 {
		t.Errorf("UnknownFields(...): %v, %v", unknown, err)
	}
	if errs := v.Validate(c.xr.Object, nil); len(errs) > 0 {
		t.Errorf("Validate(...): %v", errs.ToAggregate())
	}
}
