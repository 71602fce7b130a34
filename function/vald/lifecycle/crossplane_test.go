package lifecycle

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/settings"
)

// A crossplane runs passes over one XR, in the order in which Crossplane does what it does: it observes, asks twice and
// more, deletes what left the answer, applies the rest, and writes the status last.
type crossplane struct {
	xr       *unstructured.Unstructured
	settings settings.Vald
	// objects of the namespace, and Nodes, by kind/name.
	objects map[string]*unstructured.Unstructured
	// refs are the composed objects of the previous pass: kind/name by role.
	refs map[string]string
	// raises: writing refs raises the generation of the XR, as it really does.
	raises bool
	// deleted and created in the last pass, kind/name.
	deleted, created []string
	uid              int
	// forbidden are the API server's words on writes of kind/name that it refuses: the pass ends there.
	forbidden map[string]string
	now       time.Time
}

func newCrossplane(vor *valdv1.ValdOperatorRelease) *crossplane {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(vor)
	if err != nil {
		panic(err)
	}
	c := &crossplane{xr: &unstructured.Unstructured{Object: content}, objects: map[string]*unstructured.Unstructured{}, refs: map[string]string{}, now: time.Unix(1000, 0)}
	c.xr.SetUID("xr-uid")
	c.xr.SetGeneration(max(vor.GetGeneration(), 1))
	return c
}

// edit the spec, as a person would.
func (c *crossplane) edit(change func(*valdv1.ValdOperatorRelease)) {
	var vor valdv1.ValdOperatorRelease
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(c.xr.Object, &vor); err != nil {
		panic(err)
	}
	change(&vor)
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&vor)
	if err != nil {
		panic(err)
	}
	spec := content["spec"].(map[string]any)
	if own, ok := c.xr.Object["spec"].(map[string]any)["crossplane"]; ok {
		spec["crossplane"] = own
	}
	c.xr.Object["spec"] = spec
	c.xr.SetGeneration(c.xr.GetGeneration() + 1)
}

// put an object into the cluster, from YAML.
func (c *crossplane) put(text string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		panic(err)
	}
	if object.GetUID() == "" {
		c.uid++
		object.SetUID(types.UID(fmt.Sprintf("uid-%d", c.uid)))
	}
	c.objects[key(object)] = object
	return object
}

func key(object *unstructured.Unstructured) string { return object.GetKind() + "/" + object.GetName() }

// remove an object as the API server does: at once, or marked when it has finalizers.
func (c *crossplane) remove(name string) {
	object := c.objects[name]
	if object == nil {
		return
	}
	if len(object.GetFinalizers()) > 0 {
		object.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(0, 0)})
		return
	}
	delete(c.objects, name)
}

// wire is how an object reaches a function: every number is a float64.
func wire(object *unstructured.Unstructured) *unstructured.Unstructured {
	text, err := json.Marshal(object.Object)
	if err != nil {
		panic(err)
	}
	out := &unstructured.Unstructured{}
	if err := json.Unmarshal(text, &out.Object); err != nil {
		panic(err)
	}
	return out
}

// request of a pass, with the answers so far.
func (c *crossplane) request(required map[string]pass.Found) pass.Request {
	observed := map[string]*unstructured.Unstructured{}
	for role, name := range c.refs {
		if object, ok := c.objects[name]; ok {
			observed[role] = wire(object)
		}
	}
	return pass.Request{
		XR: wire(c.xr), Name: c.xr.GetName(), Namespace: c.xr.GetNamespace(),
		Observed: observed, Required: required, Settings: settings.Settings{Vald: c.settings}, Now: c.now,
	}
}

// answers to requirements.
func (c *crossplane) answers(requirements map[string]pass.Requirement) map[string]pass.Found {
	out := map[string]pass.Found{}
	for name, requirement := range requirements {
		found := pass.Found{Answered: true}
		for _, at := range slices.Sorted(maps.Keys(c.objects)) {
			object := c.objects[at]
			// Without the namespace Crossplane finds nothing of a namespaced kind.
			if object.GetKind() != requirement.Kind || object.GetAPIVersion() != requirement.APIVersion || object.GetNamespace() != requirement.Namespace {
				continue
			}
			if requirement.Name != "" && object.GetName() != requirement.Name {
				continue
			}
			if requirement.Name == "" && !labels.SelectorFromSet(requirement.Labels).Matches(labels.Set(object.GetLabels())) {
				continue
			}
			found.Objects = append(found.Objects, wire(object))
		}
		out[name] = found
	}
	return out
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// pass once.
func (c *crossplane) pass(t fataler) pass.Answer {
	t.Helper()
	var answer pass.Answer
	var required map[string]pass.Found
	for i := 0; ; i++ {
		var err error
		if answer, err = Decide(c.request(required)); err != nil {
			t.Fatalf("Decide(...): %v", err)
		}
		answers := c.answers(answer.Requirements)
		if i > 0 && maps.Equal(asked(answers), asked(required)) {
			break
		}
		if i == 5 {
			t.Fatalf("Decide(...): the requirements do not come to rest: %v", answer.Requirements)
		}
		required = answers
	}
	c.apply(t, answer)
	return answer
}

func asked(answers map[string]pass.Found) map[string]bool {
	out := map[string]bool{}
	for name := range answers {
		out[name] = true
	}
	return out
}

// apply an answer.
func (c *crossplane) apply(t fataler, answer pass.Answer) {
	t.Helper()
	c.deleted, c.created = nil, nil
	refs := map[string]string{}
	manifests := map[string]*unstructured.Unstructured{}
	for _, object := range answer.Objects {
		manifest := wire(&unstructured.Unstructured{Object: object.Manifest.(map[string]any)})
		if manifest.GetUID() != "" {
			t.Fatalf("role %s: a UID in desired has Crossplane loop", object.Role)
		}
		if _, twice := refs[object.Role]; twice {
			t.Fatalf("role %s is there twice", object.Role)
		}
		refs[object.Role], manifests[object.Role] = key(manifest), manifest
	}
	for _, role := range slices.Sorted(maps.Keys(c.refs)) {
		if _, ok := refs[role]; !ok && c.objects[c.refs[role]] != nil {
			c.deleted = append(c.deleted, c.refs[role])
			c.remove(c.refs[role])
		}
	}
	if c.raises && !maps.Equal(refs, c.refs) {
		spec := c.xr.Object["spec"].(map[string]any)
		spec["crossplane"] = map[string]any{"resourceRefs": fmt.Sprint(refs)}
		c.xr.SetGeneration(c.xr.GetGeneration() + 1)
	}
	c.refs = refs
	for _, role := range slices.Sorted(maps.Keys(refs)) {
		manifest, existing := manifests[role], c.objects[refs[role]]
		yes := true
		manifest.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "vald.vdaas.org/v1", Kind: "ValdOperatorRelease", Name: c.xr.GetName(), UID: "xr-uid", Controller: &yes}})
		// A write that changes nothing is none.
		unchanged := existing != nil && reflect.DeepEqual(wire(existing).Object["spec"], manifest.Object["spec"])
		if words, ok := c.forbidden[refs[role]]; ok && !unchanged {
			c.synced("False", fmt.Sprintf("cannot compose resources: cannot apply composed resource %q: %s", role, words))
			return
		}
		if existing == nil {
			c.created = append(c.created, refs[role])
			c.uid++
			manifest.SetUID(types.UID(fmt.Sprintf("uid-%d", c.uid)))
		} else {
			manifest.SetUID(existing.GetUID())
			manifest.SetFinalizers(existing.GetFinalizers())
			manifest.SetDeletionTimestamp(existing.GetDeletionTimestamp())
			if status, ok := existing.Object["status"]; ok {
				manifest.Object["status"] = status
			}
		}
		c.objects[refs[role]] = manifest
	}
	c.writeStatus(answer)
	c.synced("True", "")
}

// synced sets Crossplane's own condition.
func (c *crossplane) synced(status, message string) {
	of, ok := c.xr.Object["status"].(map[string]any)
	if !ok {
		of = map[string]any{}
		c.xr.Object["status"] = of
	}
	conditions, _ := of["conditions"].([]any)
	conditions = slices.DeleteFunc(conditions, func(item any) bool { return item.(map[string]any)["type"] == "Synced" })
	of["conditions"] = append(conditions, map[string]any{
		"type": "Synced", "status": status, "reason": "Reconcile", "message": message, "lastTransitionTime": "2026-01-01T00:00:00Z",
	})
}

func (c *crossplane) writeStatus(answer pass.Answer) {
	status, err := runtime.DefaultUnstructuredConverter.ToUnstructured(answer.Status)
	if err != nil {
		panic(err)
	}
	// Crossplane keeps the conditions that a function does not return.
	before, _, _ := unstructured.NestedSlice(c.xr.Object, "status", "conditions")
	var conditions []any
	for _, item := range before {
		if !slices.ContainsFunc(answer.Conditions, func(condition pass.Condition) bool { return string(condition.Type) == item.(map[string]any)["type"] }) {
			conditions = append(conditions, item)
		}
	}
	for _, condition := range answer.Conditions {
		conditions = append(conditions, map[string]any{
			"type": string(condition.Type), "status": string(condition.Status), "reason": string(condition.Reason), "message": condition.Message,
			"lastTransitionTime": "2026-01-01T00:00:00Z",
		})
	}
	status["conditions"] = conditions
	c.xr.Object["status"] = status
}

// settle runs passes until one changes nothing.
func (c *crossplane) settle(t fataler) pass.Answer {
	t.Helper()
	for range 10 {
		before := c.snapshot()
		answer := c.pass(t)
		if c.snapshot() == before {
			return answer
		}
	}
	t.Fatalf("it does not come to rest")
	return pass.Answer{}
}

func (c *crossplane) snapshot() string {
	text, err := json.Marshal([]any{c.xr.Object, c.objects, c.refs})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// names of the objects of a kind, with their generation label.
func (c *crossplane) names(kind string) map[string]string {
	out := map[string]string{}
	for _, object := range c.objects {
		if object.GetKind() == kind {
			out[object.GetName()] = object.GetLabels()["managed-generation"]
		}
	}
	return out
}

// status of the XR, as written.
func (c *crossplane) status(t *testing.T) valdv1.ValdOperatorReleaseStatus {
	t.Helper()
	var vor valdv1.ValdOperatorRelease
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(wire(c.xr).Object, &vor); err != nil {
		t.Fatal(err)
	}
	return vor.Status
}

// snapshotOfObjects in the cluster.
func (c *crossplane) snapshotOfObjects() map[string]any {
	out := map[string]any{}
	for name, object := range c.objects {
		out[name] = wire(object).Object
	}
	return out
}
