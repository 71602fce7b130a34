package simulator

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/durationpb"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

func xrOf(c *Cluster) *unstructured.Unstructured { return c.Get(kindServer, Namespace, "demo") }

// without leaves a role out of desired.
func without(role string) answer {
	return func(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) { delete(r.Desired.Resources, role) }
}

// metadata sets a field of the desired Pod's metadata.
func podMetadata(field string, value func(request *fnv1.RunFunctionRequest) any) answer {
	return func(request *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
		content := r.Desired.Resources["pod"].Resource.AsMap()
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
	quota := object(kindQuota, Namespace, "few", map[string]any{"spec": map[string]any{"hard": map[string]any{"pods": "0"}}})
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
			before: func(t *testing.T, c *Cluster) { must(t, c.Apply(quota)) },
			want:   want{synced: "False ReconcileError " + forbidden, ready: "True Available", custom: "Unknown FatalError " + textFatal, image: older, event: forbidden},
		},
		"403WithoutRightsOnTheStatusNamesThem": {
			reason: "When Crossplane lacks a verb on pods/status, a 403 of any cause says so too.",
			before: func(t *testing.T, c *Cluster) {
				must(t, c.Apply(quota))
				c.DenyVerb(kindPod, "pods/status/v1")
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
			must(t, c.Delete(kindPod, Namespace, "demo-1", ""))
			f.change = without("pod")
			settled(t, c)
			if tc.before != nil {
				tc.before(t, c)
			}
			f.change = tc.change
			must(t, c.Edit(kindServer, Namespace, "demo", ManagerEdit, func(o *unstructured.Unstructured) {
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
		waits = append(waits, int((at[i]-at[i-1]).Round(time.Second).Seconds()))
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
		if c.Get(kindPod, Namespace, "demo-1") == nil {
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
	f.change = without("pod")
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
	if len(got) < 3 || last.Writes[2].Key.GVK != kindServer || last.Writes[2].Subresource != "" {
		t.Errorf("the references are written third, got %v", got)
	}
	if refersTo(xrOf(c), false, store.Key{GVK: kindPod, Namespace: Namespace, Name: "demo-1"}) {
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
	if c.Get(kindPod, Namespace, "demo-1") != nil {
		t.Error("the Pod must be gone after its grace period")
	}
}

func TestCompositionPass(t *testing.T) {
	cases := map[string]struct {
		reason string
		run    func(*testing.T)
	}{
		"RequiredResourceWithoutNamespaceHasNoItems": {
			reason: "A namespaced kind that is asked for without its namespace is answered with no items, even while it exists.",
			run: func(t *testing.T) {
				f := &fake{change: func(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
					r.Requirements.Resources["pod"] = selector("v1", "Pod", "", "demo-1")
				}}
				c := newFake(t, f, nil)
				applied(t, c, server("demo", newer))
				required, asked := f.calls[len(f.calls)-1].GetRequiredResources()["pod"]
				if !asked || len(required.GetItems()) != 0 {
					t.Errorf("want the key with no items, got %v %v", asked, required)
				}
			},
		},
		"FunctionIsNotCalledOnceTheCompositeIsBeingDeleted": {
			reason: "The garbage collector does the rest by owner references.",
			run: func(t *testing.T) {
				f := &fake{}
				c := newFake(t, f, nil)
				applied(t, c, server("demo", newer))
				f.calls = nil
				must(t, c.Delete(kindServer, Namespace, "demo", metav1.DeletePropagationForeground))
				settled(t, c)
				if len(f.calls) != 0 {
					t.Errorf("want no call, got %d", len(f.calls))
				}
				for _, o := range c.Objects() {
					if len(o.GetOwnerReferences()) > 0 || o.GetKind() == "Srv" {
						t.Errorf("%s must be gone", store.KeyOf(o))
					}
				}
			},
		},
		"CompositeReadinessWinsOverResources": {
			reason: "desired.composite.ready wins both ways, without a message.",
			run: func(t *testing.T) {
				f := &fake{change: func(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
					r.Desired.Composite.Ready = fnv1.Ready_READY_FALSE
				}}
				c := newFake(t, f, nil)
				applied(t, c, server("demo", newer))
				if got := told(xrOf(c), "Ready"); got != "False Creating" {
					t.Errorf("READY_FALSE with all ready: got %s", got)
				}
				f.change = func(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
					r.Desired.Composite.Ready = fnv1.Ready_READY_TRUE
					r.Desired.Resources["pod"].Ready = fnv1.Ready_READY_FALSE
				}
				c.Advance(2 * time.Minute)
				if got := told(xrOf(c), "Ready"); got != "True Available" {
					t.Errorf("READY_TRUE with an unready Pod: got %s", got)
				}
			},
		},
		"SettledIsQuiet": {
			reason: "A settled server has one pass a minute with a TTL of 60 s, and writes nothing.",
			run: func(t *testing.T) {
				passes := 0
				c := newFake(t, &fake{}, func(config *Config) { config.Passed = func(*Pass) { passes++ } })
				applied(t, c, server("demo", newer))
				version := c.store.Version()
				passes = 0
				c.Advance(4 * time.Minute)
				if got := c.store.Version(); got != version || passes < 3 || passes > 5 {
					t.Errorf("want 4 passes without a write, got %d passes and version %s -> %s", passes, version, got)
				}
			},
		},
		"StatusFieldThatIsLeftOutIsRemoved": {
			reason: "Status is applied server-side: what a later pass leaves out goes.",
			run: func(t *testing.T) {
				f := &fake{}
				c := newFake(t, f, nil)
				applied(t, c, server("demo", newer))
				f.change = func(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) { r.Desired.Composite = nil }
				generation := xrOf(c).GetGeneration()
				c.Advance(2 * time.Minute)
				if got := stringAt(xrOf(c), "status", "image"); got != "" {
					t.Errorf("status.image: got %s", got)
				}
				if got := xrOf(c).GetGeneration(); got != generation {
					t.Errorf("a status write must not raise the generation, got %d -> %d", generation, got)
				}
			},
		},
		"UndeclaredStatusFieldFailsTheWholeStatus": {
			reason: "Nothing of status and no condition is written; composed objects are.",
			run: func(t *testing.T) {
				schema := &extv1.JSONSchemaProps{Properties: map[string]extv1.JSONSchemaProps{"status": {Properties: map[string]extv1.JSONSchemaProps{"serial": {Type: "string"}}}}}
				c := newFake(t, &fake{}, func(config *Config) { config.Composites[0].Schema = schema })
				must(t, c.Apply(server("demo", newer)))
				c.Advance(30 * time.Second)
				if status := at(xrOf(c), "status"); status != nil {
					t.Errorf("want no status, got %v", status)
				}
				if c.Get(kindPod, Namespace, "demo-1") == nil {
					t.Error("composed objects must be written")
				}
				want := `cannot compose resources: cannot apply composite resource status: failed to create typed patch object (default/demo; proto.example.org/v1, Kind=Srv): .status.conditions: field not declared in schema`
				if e := c.Events(); len(e) == 0 || e[0].Message != want {
					t.Errorf("event: got %v", e)
				}
			},
		},
		"ComposedObjectWithoutItsRoleFailsTheComposite": {
			reason: "An object that loses the annotation composition-resource-name fails every pass.",
			run: func(t *testing.T) {
				c := newFake(t, &fake{}, nil)
				applied(t, c, server("demo", newer))
				must(t, c.Annotate(store.Kind("v1", "ConfigMap"), Namespace, "demo-config", annotationRole, ""))
				c.Advance(5 * time.Second)
				want := `False ReconcileError cannot compose resources: cannot get existing composed resources: encountered composed resource without required "crossplane.io/composition-resource-name" annotation`
				if got := told(xrOf(c), "Synced"); got != want {
					t.Errorf("Synced: got %s", got)
				}
			},
		},
		"UncontrolledObjectIsTakenOver": {
			reason: "An object of the name without a controller is taken over silently, its other fields stay.",
			run: func(t *testing.T) {
				c := newFake(t, &fake{}, nil)
				must(t, c.Apply(object(store.Kind("v1", "ConfigMap"), Namespace, "demo-config", map[string]any{"data": map[string]any{"theirs": "1"}})))
				applied(t, c, server("demo", newer))
				config := c.Get(store.Kind("v1", "ConfigMap"), Namespace, "demo-config")
				if metav1.GetControllerOf(config) == nil || at(config, "data", "theirs") != "1" || at(config, "data", "config.yaml") == nil {
					t.Errorf("want it controlled, with both keys, got %v", config)
				}
			},
		},
		"ControlledObjectOfAnotherIsA422": {
			reason: "An object with another controller is invalid; the XR's other objects go on.",
			run: func(t *testing.T) {
				c := newFake(t, &fake{}, nil)
				owner := object(store.Kind("v1", "ConfigMap"), Namespace, "owner", nil)
				must(t, c.Apply(owner))
				yes := true
				theirs := object(store.Kind("v1", "ConfigMap"), Namespace, "demo-config", nil)
				theirs.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: c.Get(store.Kind("v1", "ConfigMap"), Namespace, "owner").GetUID(), Controller: &yes}})
				must(t, c.Apply(theirs, server("demo", newer)))
				c.Advance(5 * time.Second)
				if got := told(xrOf(c), "Synced"); got != "False ReconcileError Unsynced resources: config" {
					t.Errorf("Synced: got %s", got)
				}
				if c.Get(kindPod, Namespace, "demo-1") == nil {
					t.Error("the Pod must be composed")
				}
			},
		},
		"FunctionDownShowsNowhere": {
			reason: "The call waits for its connection: no condition, no event; the answer comes up to 26 s after it is back.",
			run: func(t *testing.T) {
				c := newFake(t, &fake{}, nil)
				applied(t, c, server("demo", older))
				c.SetFunctionDown(true)
				must(t, c.Apply(server("demo", newer)))
				c.Advance(time.Minute)
				if got := told(xrOf(c), "Synced") + ", " + told(xrOf(c), "ServerReady"); got != "True ReconcileSuccess, True PodReady" {
					t.Errorf("conditions: got %s", got)
				}
				c.SetFunctionDown(false)
				c.Advance(30 * time.Second)
				if got := stringAt(xrOf(c), "status", "image"); got != newer {
					t.Errorf("status.image after the function is back: got %s", got)
				}
			},
		},
		"UnreadableRequiredKindHangsSilently": {
			reason: "Without the right to list a kind the pass hangs before the second call: no event, no condition.",
			run: func(t *testing.T) {
				f := &fake{}
				c := newFake(t, f, nil)
				c.DenyRead(kindClaim.GroupKind(), true)
				must(t, c.Apply(server("demo", newer)))
				c.Advance(30 * time.Second)
				if len(f.calls) == 0 || f.calls[len(f.calls)-1].GetRequiredResources() != nil || at(xrOf(c), "status") != nil || len(c.Events()) != 0 {
					t.Errorf("want first calls only and an empty status, got %d calls, %v, %v", len(f.calls), at(xrOf(c), "status"), c.Events())
				}
			},
		},
		"RequirementsMustGetStable": {
			reason: "A function that asks for something else each time is given up after five iterations.",
			run: func(t *testing.T) {
				n := 0
				f := &fake{change: func(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
					n++
					r.Requirements.Resources[fmt.Sprint(n)] = selector("v1", "Pod", Namespace, "x")
				}}
				c := newFake(t, f, nil)
				must(t, c.Apply(server("demo", newer)))
				c.Advance(500 * time.Millisecond)
				if got := told(xrOf(c), "Synced"); len(f.calls)%6 != 0 || got != `False ReconcileError cannot compose resources: cannot run Composition pipeline step "compose": cannot run Function "function": requirements didn't stabilize after the maximum number of iterations (5)` {
					t.Errorf("after %d calls: %s", len(f.calls), got)
				}
			},
		},
		"TimeToLiveStartsTheNextPass": {
			reason: "TTLs are met to about a tenth.",
			run: func(t *testing.T) {
				var passes []time.Time
				f := &fake{change: func(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) { r.Meta.Ttl = durationpb.New(2 * time.Second) }}
				c := newFake(t, f, func(config *Config) { config.Passed = func(p *Pass) { passes = append(passes, p.At) } })
				applied(t, c, server("demo", newer))
				passes = nil
				c.Advance(time.Minute)
				for i := 1; i < len(passes); i++ {
					if wait := passes[i].Sub(passes[i-1]); wait < 1800*time.Millisecond || wait > 2200*time.Millisecond {
						t.Errorf("wait between passes: got %s", wait)
					}
				}
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			tc.run(t)
		})
	}
}

func TestCrashAfterAnyWrite(t *testing.T) {
	for _, after := range []bool{false, true} {
		for n := 1; n < 40; n++ {
			c := newFake(t, &fake{}, nil)
			c.CrashCrossplane(n, after)
			applied(t, c, server("demo", newer))
			if got := told(xrOf(c), "Ready"); got != "True Available" {
				t.Errorf("crash at write %d (after: %v): Ready is %s", n, after, got)
			}
		}
	}
	if !errors.Is(wrap(errCrashed, "x"), errCrashed) {
		t.Error("a crash must be recognized through wrapping")
	}
}

func TestHeldUpPassCreatesAPodAnew(t *testing.T) {
	c := newFake(t, &fake{}, nil)
	applied(t, c, server("demo", newer))
	first := c.Get(kindPod, Namespace, "demo-1").GetUID()
	c.HoldNextPass(5 * time.Second)
	c.reconcileComposite(store.KeyOf(xrOf(c)))
	must(t, c.Delete(kindPod, Namespace, "demo-1", ""))
	c.Advance(4 * time.Second)
	if c.Get(kindPod, Namespace, "demo-1") != nil {
		t.Fatal("the Pod must be gone while the pass is held up: passes never overlap")
	}
	c.Advance(1100 * time.Millisecond)
	if pod := c.Get(kindPod, Namespace, "demo-1"); pod == nil || pod.GetUID() == first {
		t.Error("the late apply must create the Pod anew")
	}
}

func TestApplyOntoATerminatingPodIsAccepted(t *testing.T) {
	c := newFake(t, &fake{}, nil)
	applied(t, c, server("demo", older))
	before := c.Get(kindPod, Namespace, "demo-1")
	must(t, c.Delete(kindPod, Namespace, "demo-1", ""))
	must(t, c.Apply(server("demo", newer)))
	c.reconcileComposite(store.KeyOf(xrOf(c)))
	pod := c.Get(kindPod, Namespace, "demo-1")
	if pod.GetUID() != before.GetUID() || !deleting(pod) || image(pod) != newer {
		t.Errorf("want the terminating Pod with the new image, got %v", pod)
	}
	if _, err := c.store.Create(&unstructured.Unstructured{Object: before.DeepCopy().Object}, store.Options{Manager: "kubectl-create"}); err == nil || err.Error() != `object is being deleted: pods "demo-1" already exists` {
		t.Errorf("create beside a terminating Pod: got %v", err)
	}
	settled(t, c)
	volume := c.Volume(c.Get(kindClaim, Namespace, "demo-1").GetUID())
	if len(volume.Openings) != 2 {
		t.Errorf("a terminating Pod does not restart its container, a new Pod starts: got %v", volume.Openings)
	}
}

func TestStaleCache(t *testing.T) {
	f := &fake{}
	c := newFake(t, f, nil)
	applied(t, c, server("demo", newer))
	c.FreezeCaches(kindPod, kindClaim)
	must(t, c.Annotate(kindClaim, Namespace, "demo-1", "serial", "7"))
	f.calls = nil
	c.reconcileComposite(store.KeyOf(xrOf(c)))
	seen := func() string {
		required := f.calls[len(f.calls)-1].GetRequiredResources()["claim"].GetItems()[0].GetResource()
		return required.GetFields()["metadata"].GetStructValue().GetFields()["annotations"].GetStructValue().GetFields()["serial"].GetStringValue()
	}
	if got := seen(); got != "1" {
		t.Errorf("serial in the stale cache: want 1, got %s", got)
	}
	c.ThawCaches()
	c.reconcileComposite(store.KeyOf(xrOf(c)))
	if got := seen(); got != "7" {
		t.Errorf("serial in the fresh cache: want 7, got %s", got)
	}
}
