package simulator

import (
	"strconv"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/durationpb"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

func TestCompositionPass(t *testing.T) {
	cases := map[string]struct {
		reason string
		run    func(*testing.T)
	}{
		"RequiredResourceWithoutNamespaceHasNoItems": {
			reason: "A namespaced kind that is asked for without its namespace is answered with no items, even while it exists.",
			run: func(t *testing.T) {
				t.Helper()
				f := &fake{change: func(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
					r.Requirements.Resources["pod"] = selector("Pod", "", "demo-1")
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
				t.Helper()
				f := &fake{}
				c := newFake(t, f, nil)
				applied(t, c, server("demo", newer))
				f.calls = nil
				must(t, c.Delete(kindServer(), Namespace, "demo", metav1.DeletePropagationForeground))
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
				t.Helper()
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
				t.Helper()
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
				t.Helper()
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
				t.Helper()
				schema := &extv1.JSONSchemaProps{Properties: map[string]extv1.JSONSchemaProps{"status": {Properties: map[string]extv1.JSONSchemaProps{"serial": {Type: "string"}}}}}
				c := newFake(t, &fake{}, func(config *Config) { config.Composites[0].Schema = schema })
				must(t, c.Apply(server("demo", newer)))
				c.Advance(30 * time.Second)
				if status := at(xrOf(c), "status"); status != nil {
					t.Errorf("want no status, got %v", status)
				}
				if c.Get(kindPod(), Namespace, "demo-1") == nil {
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
				t.Helper()
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
				t.Helper()
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
				t.Helper()
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
				if c.Get(kindPod(), Namespace, "demo-1") == nil {
					t.Error("the Pod must be composed")
				}
			},
		},
		"FunctionDownShowsNowhere": {
			reason: "The call waits for its connection: no condition, no event; the answer comes up to 26 s after it is back.",
			run: func(t *testing.T) {
				t.Helper()
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
				t.Helper()
				f := &fake{}
				c := newFake(t, f, nil)
				c.DenyRead(kindClaim().GroupKind(), true)
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
				t.Helper()
				n := 0
				f := &fake{change: func(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
					n++
					r.Requirements.Resources[strconv.Itoa(n)] = selector("Pod", Namespace, "x")
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
				t.Helper()
				var passes []time.Time
				f := &fake{change: func(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
					r.Meta.Ttl = durationpb.New(2 * time.Second)
				}}
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
