package simulator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

const (
	older = "docker.io/chromadb/chroma:1.5.8"
	newer = "docker.io/chromadb/chroma:1.5.9"
)

// told is a condition in one line.
func told(o *unstructured.Unstructured, kind string) string {
	status, reason, message := Condition(o, kind)
	if message == "" {
		return status + " " + reason
	}
	return status + " " + reason + " " + message
}

func xrOf(c *Cluster) *unstructured.Unstructured { return c.Get(kindServer(), Namespace, "demo") }

// withoutPod leaves the Pod out of desired.
func withoutPod(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
	delete(r.GetDesired().GetResources(), "pod")
}

// metadata sets a field of the desired Pod's metadata.
func podMetadata(field string, value func(request *fnv1.RunFunctionRequest) any) answer {
	return func(request *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
		content := r.GetDesired().GetResources()["pod"].GetResource().AsMap()
		if v := value(request); v != nil {
			content["metadata"].(map[string]any)[field] = v
			r.Desired.Resources["pod"].Resource = message(content)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRefusedWrites(t *testing.T) {
	quota := object(kindQuota(), Namespace, "few", map[string]any{"spec": map[string]any{"hard": map[string]any{"pods": "0"}}})
	tooMuch := func(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
		content := podOf("demo", newer)
		content["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)["resources"] = map[string]any{
			"requests": map[string]any{"memory": "2Gi"}, "limits": map[string]any{"memory": "1Gi"},
		}
		r.Desired.Resources["pod"] = &fnv1.Resource{Resource: message(content)}
	}
	type want struct{ synced, ready, custom, image, event string }
	const forbidden = `cannot compose resources: cannot apply composed resource "pod": pods "demo-1" is forbidden: exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0`
	cases := map[string]struct {
		reason string
		before func(*testing.T, *Cluster)
		change answer
		want   want
	}{
		"403AbortsBeforeTheStatusIsWritten": {
			reason: "A 403 ends the pass: custom conditions turn Unknown, Ready keeps its value and the status is not written.",
			before: func(t *testing.T, c *Cluster) { t.Helper(); must(t, c.Apply(quota)) },
			want:   want{synced: "False ReconcileError " + forbidden, ready: "True Available", custom: "Unknown FatalError " + textFatal, image: older, event: forbidden},
		},
		"403WithoutRightsOnTheStatusNamesThem": {
			reason: "When Crossplane lacks a verb on pods/status, a 403 of any cause says so too.",
			before: func(t *testing.T, c *Cluster) {
				t.Helper()
				must(t, c.Apply(quota))
				c.DenyVerb(kindPod(), "pods/status/v1")
			},
			want: want{
				synced: "False ReconcileError [" + forbidden + ", system:serviceaccount:crossplane-system:crossplane is not allowed to [get, list, watch, create, update, patch, delete] resource pods/status/v1 in namespace default]",
				ready:  "True Available", custom: "Unknown FatalError " + textFatal, image: older, event: forbidden,
			},
		},
		"422GoesOn": {
			reason: "A 422 is in an event only; the pass goes on and writes status and custom conditions.",
			change: tooMuch,
			want: want{
				synced: "False ReconcileError Unsynced resources: pod", ready: "False Creating Unready resources: pod", custom: "True PodReady", image: newer,
				event: `cannot apply composed resource "pod": Pod "demo-1" is invalid: spec.containers[0].resources.requests: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi`,
			},
		},
		"409IsSilent": {
			reason: "A 409 ends the pass without a trace, and the pass is repeated.",
			before: func(_ *testing.T, c *Cluster) { c.Refuse(&Refusal{Kind: "Pod", Actor: "crossplane", Code: 409}) },
			want:   want{synced: "True ReconcileSuccess", ready: "True Available", custom: "True PodReady", image: older},
		},
		"FatalChangesNothing": {
			reason: "A fatal result writes its own conditions, no status; Ready keeps its value.",
			change: func(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
				r.Results = []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: "cannot parse"}}
				r.Conditions = nil
			},
			want: want{
				synced: `False ReconcileError cannot compose resources: pipeline step "compose" returned a fatal result: cannot parse`,
				ready:  "True Available", custom: "Unknown FatalError " + textFatal, image: older,
				event: `cannot compose resources: pipeline step "compose" returned a fatal result: cannot parse`,
			},
		},
		"NamespaceEnding": {
			reason: "In a Namespace that ends, creating is forbidden with this text.",
			before: func(t *testing.T, c *Cluster) {
				t.Helper()
				must(t, c.DeleteNamespace(Namespace))
			},
			want: want{
				synced: `False ReconcileError cannot compose resources: cannot apply composed resource "pod": pods "demo-1" is forbidden: unable to create new content in namespace default because it is being terminated`,
				ready:  "True Available", custom: "Unknown FatalError " + textFatal, image: older,
				event: `cannot compose resources: cannot apply composed resource "pod": pods "demo-1" is forbidden: unable to create new content in namespace default because it is being terminated`,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			c := newFake(t, f, nil)
			applied(t, c, server("demo", older))
			must(t, c.Delete(kindPod(), Namespace, "demo-1", ""))
			f.change = withoutPod
			settled(t, c)
			if tc.before != nil {
				tc.before(t, c)
			}
			f.change = tc.change
			must(t, c.Edit(kindServer(), Namespace, "demo", ManagerEdit, func(o *unstructured.Unstructured) {
				_ = unstructured.SetNestedField(o.Object, newer, "spec", "image")
			}))
			key := store.KeyOf(xrOf(c))
			// Two passes: the first raises the references and with them the version that a status update needs.
			for range 2 {
				c.reconcileComposite(key)
			}
			xr := xrOf(c)
			got := want{synced: told(xr, "Synced"), ready: told(xr, "Ready"), custom: told(xr, "ServerReady"), image: stringAt(xr, "status", "image")}
			for _, e := range c.Events() {
				if e.Type == EventWarning && e.Reason == eventCompose {
					got.event = e.Message
				}
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\npass: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestBackOffAfterARefusal(t *testing.T) {
	f := &fake{}
	var at []time.Duration
	c := newFake(t, f, func(config *Config) {
		config.Passed = func(p *Pass) {
			if p.Outcome == "failed" {
				at = append(at, p.At.Sub(config.Start))
			}
		}
		config.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	})
	c.Refuse(&Refusal{Kind: "Pod", Actor: "crossplane", Code: 403, Message: "no"})
	must(t, c.Apply(server("demo", newer)))
	c.Advance(2 * time.Minute)
	var waits []int
	// The composite resource's own changes start passes in between at first.
	for i := max(1, len(at)-4); i < len(at); i++ {
		waits = append(waits, int((at[i] - at[i-1]).Round(time.Second).Seconds()))
	}
	if diff := cmp.Diff([]int{16, 30, 30, 30}, waits); diff != "" {
		t.Errorf("waits between failed passes: -want, +got:\n%s", diff)
	}
}

func TestResourceVersionInDesired(t *testing.T) {
	t.Run("StaleIsRefusedSilently", func(t *testing.T) {
		f := &fake{change: podMetadata("resourceVersion", func(*fnv1.RunFunctionRequest) any { return "1" })}
		c := newFake(t, f, nil)
		must(t, c.Apply(server("demo", newer)))
		c.Advance(10 * time.Second)
		if c.Get(kindPod(), Namespace, "demo-1") == nil {
			t.Error("an apply with a resourceVersion must create what is absent")
		}
		version := c.store.Version()
		c.Advance(time.Minute)
		if _, err := c.store.Apply(func() *unstructured.Unstructured {
			u := &unstructured.Unstructured{Object: podOf("demo", newer)}
			u.SetNamespace(Namespace)
			u.SetResourceVersion("1")
			return u
		}(), store.Options{Manager: "m"}); err == nil || err.Error() != `Operation cannot be fulfilled on pods "demo-1": the object has been modified; please apply your changes to the latest version and try again` {
			t.Errorf("stale apply: got %v", err)
		}
		if got := c.store.Version(); got != version {
			t.Errorf("a version that is always stale must write nothing, got %s -> %s", version, got)
		}
		if len(c.Events()) > 0 && c.Events()[len(c.Events())-1].Reason == "Conflict" {
			t.Error("a conflict has no event")
		}
	})
	t.Run("ObservedOneIsANoOp", func(t *testing.T) {
		f := &fake{change: podMetadata("resourceVersion", func(r *fnv1.RunFunctionRequest) any {
			if o := r.GetObserved().GetResources()["pod"]; o != nil {
				return o.GetResource().GetFields()["metadata"].GetStructValue().GetFields()["resourceVersion"].GetStringValue()
			}
			return nil
		})}
		c := newFake(t, f, nil)
		applied(t, c, server("demo", newer))
		version := c.store.Version()
		c.Advance(5 * time.Minute)
		if got := c.store.Version(); got != version {
			t.Errorf("a settled server must write nothing, got %s -> %s", version, got)
		}
	})
	t.Run("UIDIsAHotLoop", func(t *testing.T) {
		f := &fake{change: podMetadata("uid", func(r *fnv1.RunFunctionRequest) any {
			if o := r.GetObserved().GetResources()["pod"]; o != nil {
				return o.GetResource().GetFields()["metadata"].GetStructValue().GetFields()["uid"].GetStringValue()
			}
			return nil
		})}
		c := newFake(t, f, nil)
		must(t, c.Apply(server("demo", newer)))
		c.Advance(90 * time.Second)
		if c.HotLoops() == 0 {
			t.Error("a uid in desired must loop until the circuit breaker opens")
		}
		if got := told(xrOf(c), conditionResponsive); !strings.HasPrefix(got, "False WatchCircuitOpen Too many watch events from ") {
			t.Errorf("Responsive: got %s", got)
		}
	})
}

func TestOnePassInOrder(t *testing.T) {
	f := &fake{}
	var last *Pass
	c := newFake(t, f, func(config *Config) { config.Passed = func(p *Pass) { last = p } })
	applied(t, c, server("demo", newer))
	f.change = withoutPod
	c.reconcileComposite(store.KeyOf(xrOf(c)))
	var got []string
	for _, w := range last.Writes {
		got = append(got, fmt.Sprintf("%s %s %s%s %s", w.Verb, w.Key.GVK.Kind, w.Outcome, w.Subresource, w.Changed))
	}
	want := []string{
		"update Pod updated [metadata.labels.crossplane.io/composite: demo -> (none)]",
		"delete Pod marked for deletion [metadata.deletionGracePeriodSeconds: (none) -> 30 metadata.deletionTimestamp: (none) -> 2026-01-01T00:00:31Z metadata.finalizers: (none) -> [foregroundDeletion]]",
	}
	if diff := cmp.Diff(want, got[:min(2, len(got))]); diff != "" {
		t.Errorf("first writes of a pass that drops the Pod: -want, +got:\n%s", diff)
	}
	if len(got) < 3 || last.Writes[2].Key.GVK != kindServer() || last.Writes[2].Subresource != "" {
		t.Errorf("the references are written third, got %v", got)
	}
	if refersTo(xrOf(c), false, store.Key{GVK: kindPod(), Namespace: Namespace, Name: "demo-1"}) {
		t.Error("the Pod must be out of the references")
	}
	f.calls = nil
	c.reconcileComposite(store.KeyOf(xrOf(c)))
	if _, observed := f.calls[0].GetObserved().GetResources()["pod"]; observed {
		t.Error("what left the references is no longer observed")
	}
	items := f.calls[1].GetRequiredResources()["pod"].GetItems()
	if len(items) != 1 || items[0].GetResource().GetFields()["metadata"].GetStructValue().GetFields()["deletionTimestamp"] == nil {
		t.Errorf("the required resource shows the terminating Pod, got %v", items)
	}
	settled(t, c)
	if c.Get(kindPod(), Namespace, "demo-1") != nil {
		t.Error("the Pod must be gone after its grace period")
	}
}
