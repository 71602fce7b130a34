package lifecycle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

func TestObjectsOfOthersAreRefusedAndThoseOfTheValdOperatorAdopted(t *testing.T) {
	const label = `labels: {vald.vdaas.org/managed-resource: ValdRelease}`
	owner := func(apiVersion, kind, name, uid string) string {
		return fmt.Sprintf("ownerReferences: [{apiVersion: %s, kind: %s, name: %s, uid: %s, controller: true}]", apiVersion, kind, name, uid)
	}
	cases := map[string]struct {
		reason   string
		metadata string
		// adopted: it is composed. Otherwise it stays as it is.
		adopted bool
		want    string
		ttl     bool
	}{
		"NobodysWithLabel": {"The Vald Operator left it behind.", label, true, atRest, false},
		"NobodysWithout":   {"Somebody made it by hand.", "labels: {a: b}", false, provisioned + " WaitingCreateVrs=False/Failed", false},
		"Somebodys":        {"It has another controller, whatever its labels.", label + ", " + owner("apps/v1", "Deployment", "my-vor", "x"), false, provisioned + " WaitingCreateVrs=False/Failed", false},
		"AnotherObjects":   {"Another ValdOperatorRelease has it.", label + ", " + owner("vald.vdaas.org/v1", "ValdOperatorRelease", "other", "x"), false, provisioned + " WaitingCreateVrs=False/Failed", false},
		"AnotherGroups":    {"A kind of the same name in another group.", owner("example.org/v1", "ValdOperatorRelease", "my-vor", "x"), false, provisioned + " WaitingCreateVrs=False/Failed", false},
		"OursAlready":      {"It is ours, and only its role was lost.", owner("vald.vdaas.org/v1", "ValdOperatorRelease", "my-vor", "xr-uid"), true, atRest, false},
		"Predecessors":     {"An earlier object of this name is being cleaned up.", owner("vald.vdaas.org/v1", "ValdOperatorRelease", "my-vor", "old"), false, provisioned + " WaitingCreateVrs=False/Failed", true},
		"SomebodysLeaving": {"It is going away.", label + ", deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [a]", false, provisioned + " WaitingCreateVrs=False/Failed", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCrossplane(object())
			foreign := c.put("{apiVersion: vald.vdaas.org/v1, kind: ValdRelease, metadata: {name: search-prod-green-a, namespace: search-prod, " + tc.metadata + "}, spec: {theirs: true}}")
			uid, before := foreign.GetUID(), foreign.DeepCopy()
			answer := c.settle(t)
			if short(answer) != tc.want || answer.Ready != tc.adopted {
				t.Errorf("\n%s\nwant %s, got %s: %s", tc.reason, tc.want, short(answer), answer.Conditions[len(answer.Conditions)-1].Message)
			}
			after := c.objects["ValdRelease/search-prod-green-a"]
			if after.GetUID() != uid {
				t.Errorf("\n%s\nit was replaced", tc.reason)
			}
			if diff := cmp.Diff(before.Object, after.Object); (diff == "") == tc.adopted {
				t.Errorf("\n%s\nwant adopted: %v, got -before, +after:\n%s", tc.reason, tc.adopted, diff)
			}
			if len(c.names("ValdRelease")) != 4 {
				t.Errorf("\n%s\nwant the other three composed, got %v", tc.reason, c.names("ValdRelease"))
			}
			if !tc.adopted && (answer.TTL == vanishingTTL) != tc.ttl {
				t.Errorf("\n%s\nwant to wait for it: %v, got a TTL of %s", tc.reason, tc.ttl, answer.TTL)
			}
		})
	}
}

func TestANameConflictIsAnEventOnceAndEndsWhenTheNameIsFree(t *testing.T) {
	c := newCrossplane(object())
	c.put("{apiVersion: vald.vdaas.org/v1, kind: ValdRelease, metadata: {name: search-prod-green-a, namespace: search-prod}}")
	answer := c.pass(t)
	if len(answer.Events) != 1 || answer.Events[0].Reason != reason.NameConflict || !answer.Events[0].Warning {
		t.Errorf("want one warning about the name, got %v", answer.Events)
	}
	if message := answer.Conditions[1].Message; !strings.HasPrefix(message, "failed: search-prod-green-a: an object of this name belongs to somebody else") {
		t.Errorf("got message %q", message)
	}
	if answer = c.pass(t); len(answer.Events) != 0 {
		t.Errorf("want no event again, got %v", answer.Events)
	}
	delete(c.objects, "ValdRelease/search-prod-green-a")
	if answer = c.settle(t); short(answer) != atRest {
		t.Errorf("want %s, got %s", atRest, short(answer))
	}
}

// TestNothingIsPrunedWhileANameIsTaken: what is no longer built goes only when all that replaces it is there.
func TestNothingIsPrunedWhileANameIsTaken(t *testing.T) {
	c := newCrossplane(object())
	c.settle(t)
	c.put("{apiVersion: vald.vdaas.org/v1, kind: ValdRelease, metadata: {name: search-prod-new, namespace: search-prod}}")
	c.edit(func(v *valdv1.ValdOperatorRelease) {
		v.Spec.Infrastructure[0].Clusters = []valdv1.Cluster{{ID: "id", Name: "new"}}
	})
	c.settle(t)
	if len(c.names("ValdRelease")) != 5 {
		t.Errorf("want all four and the foreign one, got %v", c.names("ValdRelease"))
	}
}

func TestRolesAreShortenedSafely(t *testing.T) {
	long := strings.Repeat("a", 61)
	cases := map[string]struct{ reason, cluster, want string }{
		"Short":   {"As it is.", "green-a", "valdrelease-green-a"},
		"Longest": {"63 characters.", long[:51], "valdrelease-" + long[:51]},
		"Longer":  {"With a hash of the whole.", long[:52], "valdrelease-" + long[:40] + "-a2667b5159"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := localRole(tc.cluster); got != tc.want || len(got) > 63 {
				t.Errorf("\n%s\nlocalRole(%q): want %q, got %q", tc.reason, tc.cluster, tc.want, got)
			}
		})
	}
	if localRole(long) == localRole(long[:60]) || deliveryRole(long) == deliveryRole(long[:60]) {
		t.Errorf("two names give one role")
	}
	if got := deliveryRole("green-a"); got != "delivery-green-a" {
		t.Errorf("deliveryRole(green-a): got %q", got)
	}
}

// TestNamespacedRequirementsNameTheNamespace: without it Crossplane answers that there is nothing.
func TestNamespacedRequirementsNameTheNamespace(t *testing.T) {
	c := newCrossplane(object())
	c.settings.DefaultTemplateFrom.Name, c.settings.DefaultTemplateFrom.Key = "template", "vrs.yaml"
	c.settings.Config = map[string]any{"operator": map[string]any{"node_pool": map[string]any{"require_match": true, "label_prefix": "example.com"}}}
	answer, err := Decide(c.request(nil))
	if err != nil {
		t.Fatal(err)
	}
	release := func(name string) pass.Requirement {
		return pass.Requirement{APIVersion: "vald.vdaas.org/v1", Kind: "ValdRelease", Namespace: "search-prod", Name: "search-prod-" + name}
	}
	want := map[string]pass.Requirement{
		"default-template":            {APIVersion: "v1", Kind: "ConfigMap", Namespace: "search-prod", Name: "template"},
		"nodes":                       {APIVersion: "v1", Kind: "Node", Labels: map[string]string{"example.com/namespace": "search-prod"}},
		"name-of-valdrelease-green-a": release("green-a"),
		"name-of-valdrelease-green-b": release("green-b"),
		"name-of-valdrelease-blue-a":  release("blue-a"),
		"name-of-valdrelease-blue-b":  release("blue-b"),
	}
	if diff := cmp.Diff(want, answer.Requirements); diff != "" {
		t.Errorf("requirements: -want, +got:\n%s", diff)
	}
	if len(answer.Objects) != 0 {
		t.Errorf("nothing may be composed before the names are known to be free, got %v", answer.Objects)
	}
}
