// Package simulation drives the function in a simulated cluster: scenarios by name here, random ones in property_test.go.
package simulation

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

const (
	namespace = simulator.Namespace
	image158  = "docker.io/chromadb/chroma:1.5.8"
	image159  = "docker.io/chromadb/chroma:1.5.9"
	image141  = "docker.io/chromadb/chroma:1.4.1"
)

var (
	kindChroma = chroma.GroupVersionKind()
	// kindXChroma is what stands behind a Chroma that is a claim.
	kindXChroma = kindChroma.GroupVersion().WithKind(chroma.KindXChroma)
	// kindRival is claimed too, where Chromas are composite resources themselves. No cluster has both definitions of Chromas:
	// the kind stands for the claims of a definition that was there before, or comes next.
	kindRival = kindChroma.GroupVersion().WithKind("Rival")
	kindPod   = corev1.SchemeGroupVersion.WithKind("Pod")
	kindClaim = corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")

	kindPriorityClass = schedulingv1.SchemeGroupVersion.WithKind("PriorityClass")
)

// world is a simulated cluster with the function in it.
type world struct {
	*simulator.Cluster
	t       *testing.T
	passes  []*simulator.Pass
	changes []store.Change
	// alter the answers, as another version of the function would give them.
	alter func(*fnv1.RunFunctionResponse)
}

// RunFunction in the version under test, altered.
func (a altered) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp, err := a.fn.RunFunction(ctx, req)
	if err == nil && a.w.alter != nil {
		a.w.alter(rsp)
	}
	return rsp, err
}

type altered struct {
	fn simulator.Function
	w  *world
}

// newWorld that tells its passes when the test fails.
func newWorld(t *testing.T, change func(*simulator.Config)) *world {
	t.Helper()
	w := build(t, change)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(w.trace())
		}
	})
	return w
}

func build(t *testing.T, change func(*simulator.Config)) *world {
	t.Helper()
	w := &world{t: t}
	fn, err := composition.New(logging.NewNopLogger(), settings.Environment{}, func() time.Time { return w.Now() })
	if err != nil {
		t.Fatal(err)
	}
	input, err := structpb.NewStruct(map[string]any{
		"apiVersion": "chroma.fn.crossplane.io/v1beta1", "kind": "Input",
		"claims": map[string]any{"providerConfigRef": map[string]any{"kind": "ProviderConfig", "name": "default"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	config := simulator.Config{
		Composites: []simulator.Composite{{Kind: kindChroma, Function: altered{fn: fn, w: w}, Input: input}},
		Passed:     func(p *simulator.Pass) { w.passes = append(w.passes, p) },
		Changed:    func(c store.Change) { w.changes = append(w.changes, c) },
	}
	if change != nil {
		change(&config)
	}
	if w.Cluster, err = simulator.New(config); err != nil {
		t.Fatal(err)
	}
	return w
}

// claimBacked makes Chromas the claims of cluster-scoped XChromas.
func claimBacked(config *simulator.Config) {
	config.Composites[0].Claim, config.Composites[0].Kind = kindChroma, kindXChroma
}

// withRivals adds a second kind of Chromas, whose claims can have the name of a Chroma in its namespace.
func withRivals(config *simulator.Config) {
	rival := config.Composites[0]
	rival.Claim, rival.Kind = kindRival, kindXChroma
	config.Composites = append(config.Composites, rival)
}

// xrs are the composite resources of all Chromas.
func (w *world) xrs() []*chroma.Chroma {
	w.t.Helper()
	var out []*chroma.Chroma
	for _, kind := range []schema.GroupVersionKind{kindChroma, kindXChroma} {
		for _, xr := range w.Store().List(kind, "") {
			if _, isClaim, _ := unstructured.NestedMap(xr.Object, "spec", "resourceRef"); !isClaim {
				out = append(out, decode[chroma.Chroma](w.t, xr))
			}
		}
	}
	return out
}

// xr of a Chroma: itself, or what stands behind it. Nil when there is none.
func (w *world) xr(name string) *unstructured.Unstructured {
	of := w.Get(kindChroma, namespace, name)
	if of == nil {
		return nil
	}
	if behind, isClaim, _ := unstructured.NestedString(of.Object, "spec", "resourceRef", "name"); isClaim {
		return w.Get(kindXChroma, "", behind)
	}
	return of
}

// trace of the passes, for a failed test.
func (w *world) trace() string {
	out := ""
	for _, p := range w.passes {
		out += fmt.Sprintf("pass %d at %s, ttl %s: %s %v\n", p.Number, p.At.Format("04:05.000"), p.TTL, p.Outcome, p.Err)
		if len(p.Calls) > 0 {
			for _, c := range p.Calls[len(p.Calls)-1].Response.GetConditions() {
				out += fmt.Sprintf("    %s=%s %s: %s\n", c.GetType(), c.GetStatus(), c.GetReason(), c.GetMessage())
			}
			for _, r := range p.Calls[len(p.Calls)-1].Response.GetResults() {
				out += fmt.Sprintf("    %s %s: %s\n", r.GetSeverity(), r.GetReason(), r.GetMessage())
			}
		}
		for _, x := range p.Writes {
			out += fmt.Sprintf("  %s %s %s %s %s %v %v\n", x.Verb, x.Outcome, x.Role, x.Key, x.Subresource, x.Changed, x.Err)
		}
	}
	return out
}

// chromaOf a name and an image, with what else to change.
func chromaOf(name, image string, change func(*chroma.Chroma)) *unstructured.Unstructured {
	of := map[string]any{
		"apiVersion": kindChroma.GroupVersion().String(), "kind": kindChroma.Kind,
		"metadata": map[string]any{"name": name, "namespace": namespace},
		"spec":     map[string]any{"storage": map[string]any{"size": "10Gi"}},
	}
	typed := &chroma.Chroma{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(of, typed); err != nil {
		panic(err)
	}
	typed.Spec.Image = image
	if change != nil {
		change(typed)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		panic(err)
	}
	delete(content, "status")
	return &unstructured.Unstructured{Object: content}
}

func (w *world) apply(objects ...*unstructured.Unstructured) {
	w.t.Helper()
	if err := w.Apply(objects...); err != nil {
		w.t.Fatal(err)
	}
}

// settle for as long as any wait of the protocol lasts, and until nothing but timers is left.
func (w *world) settle() {
	w.t.Helper()
	w.Advance(3 * time.Minute)
	if err := w.Settle(5000); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) chroma(name string) *chroma.Chroma {
	w.t.Helper()
	return decode[chroma.Chroma](w.t, w.Get(kindChroma, namespace, name))
}

// pod of a Chroma, or nil.
func (w *world) pod(name string) *corev1.Pod {
	w.t.Helper()
	return decode[corev1.Pod](w.t, w.Get(kindPod, namespace, chroma.PodName(name)))
}

// claim of a Chroma, or nil.
func (w *world) claim(name string) *corev1.PersistentVolumeClaim {
	w.t.Helper()
	return decode[corev1.PersistentVolumeClaim](w.t, w.Get(kindClaim, namespace, chroma.ClaimName(name)))
}

func decode[T any](t *testing.T, from *unstructured.Unstructured) *T {
	t.Helper()
	if from == nil {
		return nil
	}
	out := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// condition of a Chroma: status and reason.
func (w *world) condition(name string, kind reason.ConditionType) string {
	w.t.Helper()
	status, because, _ := simulator.Condition(w.Get(kindChroma, namespace, name), string(kind))
	return status + " " + because
}

// want a condition with a status and a reason.
func (w *world) want(name string, kind reason.ConditionType, status metav1.ConditionStatus, because reason.Reason) {
	w.t.Helper()
	if got, want := w.condition(name, kind), string(status)+" "+string(because); got != want {
		w.t.Errorf("%s of Chroma %s: want %s, got %s", kind, name, want, got)
	}
}

// running image of a Chroma, empty when no Pod is ready.
func (w *world) running(name string) string {
	w.t.Helper()
	pod := w.pod(name)
	if pod == nil || len(pod.Spec.Containers) == 0 {
		return ""
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return pod.Spec.Containers[0].Image
		}
	}
	return ""
}

func (w *world) annotate(name, key, value string) {
	w.t.Helper()
	if err := w.Annotate(kindChroma, namespace, name, key, value); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}
