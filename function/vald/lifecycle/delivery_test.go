package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
)

func overlay(text string) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: []byte(text)} }

// provide is what provider-kubernetes does with the Objects: each is ready once its manifest was written. Those of
// others are left alone.
func (c *crossplane) provide(others map[string]map[string]any) {
	for name, object := range c.objects {
		if object.GetKind() == "Object" && others[name] == nil {
			object.Object["status"] = map[string]any{
				"conditions": []any{map[string]any{"type": "Ready", "status": "True"}},
				"atProvider": map[string]any{"manifest": object.Object["spec"].(map[string]any)["forProvider"].(map[string]any)["manifest"]},
			}
		}
	}
}

func TestDeliveryWrapsEachReleaseForItsCluster(t *testing.T) {
	cases := map[string]struct{ reason, template, want string }{
		"ID":       {"Named after the cluster's id.", "", "id-green-a"},
		"Template": {"Or by a template.", "{type}-{role}-{name}.{id}", "kind-green-green-a.id-green-a"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			local := newCrossplane(object())
			local.settle(t)
			c := newCrossplane(object())
			c.settings.DeliverObjects, c.settings.ProviderConfigName = true, tc.template
			c.pass(t)
			got := c.objects[c.refs["delivery-green-a"]]
			if got == nil || len(c.refs) != 4 || len(c.names("ValdRelease")) != 0 {
				t.Fatalf("\n%s\nwant four Objects and no ValdRelease, got %v", tc.reason, c.refs)
			}
			manifest := wire(local.objects["ValdRelease/search-prod-green-a"])
			manifest.SetOwnerReferences(nil)
			manifest.SetUID("")
			want := map[string]any{
				"forProvider":       map[string]any{"manifest": manifest.Object},
				"providerConfigRef": map[string]any{"kind": "ProviderConfig", "name": tc.want},
			}
			if diff := cmp.Diff(want, got.Object["spec"]); diff != "" {
				t.Errorf("\n%s\nspec of the Object: -want, +got:\n%s", tc.reason, diff)
			}
			if got.GetAPIVersion() != "kubernetes.m.crossplane.io/v1alpha1" || got.GetName() != "search-prod-green-a" || got.GetNamespace() != "search-prod" {
				t.Errorf("\n%s\ngot %s %s/%s", tc.reason, got.GetAPIVersion(), got.GetNamespace(), got.GetName())
			}
		})
	}
}

// TestADeliveryIsCompleteOnceItHasArrived: the Object alone says nothing about the other cluster.
func TestADeliveryIsCompleteOnceItHasArrived(t *testing.T) {
	c := newCrossplane(object())
	c.settings.DeliverObjects = true
	answer := c.settle(t)
	if want := provisioned + " WaitingCreateVrs=Unknown/Progressing"; short(answer) != want || answer.Ready {
		t.Errorf("want %s, got %s", want, short(answer))
	}
	if want := "Waiting for VRS creation. Not yet in their clusters, see the Objects: search-prod-green-a, search-prod-green-b, search-prod-blue-a, search-prod-blue-b"; answer.Conditions[1].Message != want {
		t.Errorf("want %q, got %q", want, answer.Conditions[1].Message)
	}
	c.provide(nil)
	if answer = c.settle(t); short(answer) != atRest || !answer.Ready {
		t.Errorf("want %s, got %s", atRest, short(answer))
	}
}

// TestAChangeThatTheOtherClusterRefusesIsTold: the Object is still ready then, its last change has not arrived.
func TestAChangeThatTheOtherClusterRefusesIsTold(t *testing.T) {
	c := newCrossplane(object())
	c.settings.DeliverObjects = true
	c.settle(t)
	c.provide(nil)
	c.settle(t)
	conditions := c.objects["Object/search-prod-green-a"].Object["status"].(map[string]any)
	conditions["conditions"] = append(conditions["conditions"].([]any), map[string]any{"type": "Synced", "status": "False"})
	answer := c.settle(t)
	if want := "Waiting for VRS creation. Not yet in their clusters, see the Objects: search-prod-green-a"; answer.Conditions[1].Message != want || answer.Ready {
		t.Errorf("want %q, got %q", want, answer.Conditions[1].Message)
	}
}

// TestTheOtherFormIsDroppedOnlyAfterTheNewOneIsThere in both directions, and no release is ever without one.
func TestTheOtherFormIsDroppedOnlyAfterTheNewOneIsThere(t *testing.T) {
	c := newCrossplane(object())
	c.settle(t)

	c.settings.DeliverObjects = true
	c.settle(t)
	if len(c.names("ValdRelease")) != 4 || len(c.names("Object")) != 4 {
		t.Fatalf("to Objects: want both forms until the new one has arrived, got %v", c.refs)
	}
	c.provide(nil)
	c.settle(t)
	if len(c.names("ValdRelease")) != 0 || len(c.names("Object")) != 4 {
		t.Fatalf("to Objects: want the Objects alone, got %v", c.refs)
	}

	c.settings.DeliverObjects = false
	c.pass(t)
	if len(c.names("ValdRelease")) != 4 || len(c.names("Object")) != 4 {
		t.Fatalf("back: want both forms until the new one is observed, got %v", c.refs)
	}
	answer := c.pass(t)
	if len(c.names("ValdRelease")) != 4 || len(c.names("Object")) != 0 || short(answer) != atRest {
		t.Fatalf("back: want the ValdReleases alone, got %v, %s", c.refs, short(answer))
	}
}

func TestAnObjectOfSomebodyElseIsNotTakenOver(t *testing.T) {
	c := newCrossplane(object())
	c.settings.DeliverObjects = true
	c.put("{apiVersion: kubernetes.m.crossplane.io/v1alpha1, kind: Object, metadata: {name: search-prod-green-a, namespace: search-prod, labels: {vald.vdaas.org/managed-resource: ValdRelease}}, spec: {theirs: true}}")
	answer := c.settle(t)
	if want := provisioned + " WaitingCreateVrs=False/Failed"; short(answer) != want {
		t.Errorf("want %s, got %s", want, short(answer))
	}
	if c.objects["Object/search-prod-green-a"].Object["spec"].(map[string]any)["theirs"] != true {
		t.Errorf("it was taken over")
	}
}

func TestStatusListsEveryClusterWithItsSizeAndWhatTheHelmOperatorReports(t *testing.T) {
	yes, no := true, false
	conditions := func(pairs ...string) map[string]any {
		var list []any
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, map[string]any{"type": pairs[i], "status": pairs[i+1]})
		}
		return map[string]any{"conditions": list}
	}
	c := newCrossplane(object())
	c.edit(func(v *valdv1.ValdOperatorRelease) {
		v.Spec.VectorEngine.Vald.Agent.PersistentVolume = &valdv1.PersistentVolume{Enabled: true}
		v.Spec.VectorEngine.Vald.Overlay = overlay(`{"spec":{"agent":{"minReplicas":5}}}`)
	})
	c.settle(t)
	c.objects["ValdRelease/search-prod-green-a"].Object["status"] = conditions("Initialized", "True", "Deployed", "True")
	c.objects["ValdRelease/search-prod-green-b"].Object["status"] = conditions("Deployed", "True", "ReleaseFailed", "True")
	c.objects["ValdRelease/search-prod-blue-a"].Object["status"] = conditions("Deployed", "False")
	c.settle(t)

	cluster := func(name, role string, active, created bool, agents int64, deployed *bool) valdv1.ClusterStatus {
		return valdv1.ClusterStatus{
			Name: name, ID: "id-" + name, Role: role, Active: active, Release: "search-prod-" + name, Created: created,
			// What the overlay makes of it counts for those that were built.
			Agents: agents, CPU: "2400m", Memory: "10308M", Volume: "15Gi", Deployed: deployed,
		}
	}
	want := []valdv1.ClusterStatus{
		cluster("green-a", "green", true, true, 5, &yes),
		cluster("green-b", "green", true, true, 5, &no),
		cluster("standby-a", "standby", false, false, 12, nil),
		cluster("blue-a", "blue", true, true, 5, &no),
		cluster("blue-b", "blue", true, true, 5, nil),
	}
	if diff := cmp.Diff(want, c.status(t).Clusters); diff != "" {
		t.Errorf("status.clusters: -want, +got:\n%s", diff)
	}
}

func TestADeliveredReleaseReportsWhatTheOtherClustersHelmOperatorSays(t *testing.T) {
	c := newCrossplane(object())
	c.settings.DeliverObjects = true
	c.settle(t)
	c.provide(nil)
	remote := c.objects["Object/search-prod-green-a"]
	if err := unstructured.SetNestedField(remote.Object, []any{map[string]any{"type": "Deployed", "status": "True"}}, "status", "atProvider", "manifest", "status", "conditions"); err != nil {
		t.Fatal(err)
	}
	c.settle(t)
	got := c.status(t).Clusters
	if got[0].Deployed == nil || !*got[0].Deployed || got[1].Deployed != nil {
		t.Errorf("want green-a deployed and green-b silent, got %+v", got[:2])
	}
}
