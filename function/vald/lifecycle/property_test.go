package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// TestWhateverHappens: people edit the object and the settings, others make and delete objects, providers and helm
// operators come late. After every pass nothing that should live is gone, nothing of others is touched, and no condition
// disappears; and when the disturbances end, everything that was asked for is there and nothing else.
func TestWhateverHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCrossplane(object())
		c.raises = true
		foreign := map[string]map[string]any{}
		var before []reason.ConditionType

		check := func(answer pass.Answer) {
			now := conditionTypes(answer)
			if len(now) < len(before) || !slices.Equal(before, now[:len(before)]) {
				t.Fatalf("a condition disappeared: before %v, now %v", before, now)
			}
			before = now
			if len(c.deleted) > 0 && !strings.HasPrefix(short(answer), provisioned+" WaitingCreateVrs=True/Succeeded") {
				// Only what is being deleted already may be left out of a pass that is not complete.
				for _, name := range c.deleted {
					if object := c.objects[name]; object == nil || object.GetDeletionTimestamp() == nil {
						t.Fatalf("%s was deleted in a pass that is not complete: %s", name, short(answer))
					}
				}
			}
			for name, want := range foreign {
				if object := c.objects[name]; object != nil && cmp.Diff(want, object.Object) != "" {
					t.Fatalf("%s is somebody else's and was touched", name)
				}
			}
			progress := c.xr.Object["status"].(map[string]any)["progress"].(map[string]any)
			if want := int64(strings.Count(short(answer), "=True/")); progress["completed"] != want {
				t.Fatalf("progress says %v of %s", progress, short(answer))
			}
		}

		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			entry := rapid.IntRange(0, 2).Draw(t, "entry")
			name := rapid.SampledFrom([]string{"green-a", "green-b", "blue-a", "blue-b", "standby-a", "new"}).Draw(t, "cluster")
			kind := rapid.SampledFrom([]string{"ValdRelease", "Object"}).Draw(t, "kind")
			at := kind + "/search-prod-" + name
			switch rapid.SampledFrom([]string{"pass", "id", "active", "remove", "add", "overlay", "delivery", "delete", "finalize", "foreign", "provide", "config"}).Draw(t, "step") {
			case "id":
				id := rapid.SampledFrom([]string{"", "id"}).Draw(t, "id")
				c.edit(func(v *valdv1.ValdOperatorRelease) {
					for i := range v.Spec.Infrastructure[entry].Clusters {
						v.Spec.Infrastructure[entry].Clusters[i].ID = id
					}
				})
			case "active":
				c.edit(func(v *valdv1.ValdOperatorRelease) {
					v.Spec.Infrastructure[entry].Active = !v.Spec.Infrastructure[entry].Active
				})
			case "remove":
				c.edit(func(v *valdv1.ValdOperatorRelease) {
					if clusters := v.Spec.Infrastructure[entry].Clusters; len(clusters) > 0 {
						v.Spec.Infrastructure[entry].Clusters = clusters[1:]
					}
				})
			case "add":
				c.edit(func(v *valdv1.ValdOperatorRelease) {
					for _, other := range v.Spec.Infrastructure {
						for _, cluster := range other.Clusters {
							if cluster.Name == name {
								return
							}
						}
					}
					v.Spec.Infrastructure[entry].Clusters = append(v.Spec.Infrastructure[entry].Clusters, valdv1.Cluster{ID: "id", Name: name})
				})
			case "overlay":
				text := rapid.SampledFrom([]string{"{}", "[]", `{"spec":{"agent":1}}`, `{"spec":{"agent":{"minReplicas":5}}}`}).Draw(t, "overlay")
				c.edit(func(v *valdv1.ValdOperatorRelease) { v.Spec.VectorEngine.Vald.Overlay = overlay(text) })
			case "delivery":
				c.settings.DeliverObjects = !c.settings.DeliverObjects
			case "delete":
				delete(foreign, at)
				c.remove(at)
			case "finalize":
				if object := c.objects[at]; object != nil && foreign[at] == nil {
					if object.GetDeletionTimestamp() != nil {
						delete(c.objects, at)
					} else {
						object.SetFinalizers([]string{"example.org/late"})
					}
				}
			case "foreign":
				if c.objects[at] == nil {
					apiVersion := map[string]string{"ValdRelease": "vald.vdaas.org/v1", "Object": "kubernetes.m.crossplane.io/v1alpha1"}[kind]
					c.put(fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: search-prod-%s, namespace: search-prod}, spec: {theirs: true}}", apiVersion, kind, name))
					foreign[at] = c.objects[at].DeepCopy().Object
				}
			case "provide":
				c.provide(foreign)
			case "config":
				c.settings.Config = map[string]any{"operator": rapid.SampledFrom([]any{map[string]any{}, map[string]any{"unknown": 1}}).Draw(t, "config")}
			default:
				check(c.pass(t))
			}
		}

		// The disturbances end.
		for name := range foreign {
			delete(c.objects, name)
		}
		foreign = map[string]map[string]any{}
		c.settings.Config = nil
		c.edit(func(v *valdv1.ValdOperatorRelease) {
			v.Spec = object().Spec
			v.Spec.VectorEngine.Vald.Agent.NGT.Dimension = 99
		})
		var answer pass.Answer
		for range 8 {
			answer = c.pass(t)
			check(answer)
			c.provide(nil)
			for name, object := range c.objects {
				if object.GetDeletionTimestamp() != nil {
					delete(c.objects, name)
				}
			}
		}
		kind, other := "ValdRelease", "Object"
		if c.settings.DeliverObjects {
			kind, other = other, kind
		}
		if short(answer) != atRest || !answer.Ready || len(c.names(kind)) != 4 || len(c.names(other)) != 0 {
			t.Fatalf("want %s and four objects of kind %s, got %s and %v", atRest, kind, short(answer), c.snapshotOfObjects())
		}
		for name, object := range c.objects {
			if !strings.Contains(fmt.Sprint(object.Object), "dimension:99") {
				t.Fatalf("%s does not follow the object", name)
			}
		}
	})
}

func conditionTypes(answer pass.Answer) []reason.ConditionType {
	out := make([]reason.ConditionType, 0, len(answer.Conditions))
	for _, condition := range answer.Conditions {
		out = append(out, condition.Type)
	}
	return out
}
