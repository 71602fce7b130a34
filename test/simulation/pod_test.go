package simulation

import (
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/previous"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
)

func simulatorKindObject() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "kubernetes.m.crossplane.io", Version: "v1alpha1", Kind: "Object"}
}

func TestEachTroubleOfAPodHasItsOwnReason(t *testing.T) {
	cases := map[string]struct {
		reason string
		fault  simulator.ImageFault
		want   reason.Reason
	}{
		"Pull":         {reason: "An image that is not there.", fault: simulator.ImageFault{Pull: true}, want: reason.ImagePullBackOff},
		"Crash":        {reason: "A server that panics.", fault: simulator.ImageFault{Exits: true, ExitCode: 101}, want: reason.CrashLoopBackOff},
		"OutOfMemory":  {reason: "A limit that is too low.", fault: simulator.ImageFault{Exits: true, ExitCode: 137, OOM: true}, want: reason.OOMKilled},
		"Segmentation": {reason: "Exit code 139.", fault: simulator.ImageFault{Exits: true, ExitCode: 139}, want: reason.SegmentationFault},
		"Instruction":  {reason: "Exit code 132.", fault: simulator.ImageFault{Exits: true, ExitCode: 132}, want: reason.IllegalInstruction},
		"Completed":    {reason: "A server that exits 0 has failed.", fault: simulator.ImageFault{Exits: true}, want: reason.Completed},
		"NotReady":     {reason: "A server that does not answer.", fault: simulator.ImageFault{NeverReady: true}, want: reason.PodNotReady},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.SetImageFault(image159, tc.fault)
			w.apply(chromaOf("demo", image159, nil))
			w.Advance(5 * time.Minute)
			if got := w.condition("demo", reason.ServerReady); got != "False "+string(tc.want) {
				t.Errorf("\n%s\nServerReady: want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

func TestAPodThatNoNodeTakesIsUnschedulable(t *testing.T) {
	w := newWorld(t, nil)
	w.SetUnschedulable(true)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.Unschedulable)
}

func TestAnEvictedPodIsReplaced(t *testing.T) {
	for _, phase := range []string{"Failed", "Succeeded"} {
		t.Run(phase, func(t *testing.T) {
			w := ready(t, image159)
			before := w.pod("demo").GetUID()
			if !w.EvictPod(namespace, "demo-1", phase) {
				t.Fatal("cannot evict")
			}
			w.settle()
			if got := w.running("demo"); got != image159 || w.pod("demo").GetUID() == before {
				t.Errorf("want a new Pod, got %q", got)
			}
		})
	}
}

func TestAPodOnALostNodeIsNotReplacedBeforeTheNodeIsBackOrOut(t *testing.T) {
	w := ready(t, image158)
	w.SetNodeLost("node-1", true)
	w.Advance(time.Minute)
	w.apply(chromaOf("demo", image159, nil))
	w.Advance(20 * time.Minute)
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.NodeLost)
	claim := w.claim("demo").GetUID()
	if n := len(w.Volume(claim).Running()); n != 1 {
		t.Errorf("servers on the volume: %d", n)
	}
	w.SetNodeLost("node-1", false)
	w.Advance(2 * time.Minute)
	w.settle()
	if got := w.running("demo"); got != image159 {
		t.Errorf("running: want %s, got %q", image159, got)
	}
}

func TestARefusedPodLastsInAConditionAndIsTriedAgain(t *testing.T) {
	for name, code := range map[string]int{"Quota403": 403, "Invalid422": 422} {
		t.Run(name, func(t *testing.T) {
			w := ready(t, image158)
			w.Refuse(&simulator.Refusal{Actor: "crossplane", Kind: "Pod", Code: code, Message: "exceeded quota: few"})
			w.must(w.Delete(kindPod, namespace, "demo-1", metav1.DeletePropagationBackground))
			w.settle()
			w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.PodRefused)
			_, _, message := simulator.Condition(w.Get(kindChroma, namespace, "demo"), string(reason.ServerReady))
			if code == 403 && !strings.Contains(message, "exceeded quota: few") {
				t.Errorf("message without the API's words: %s", message)
			}
			if !strings.Contains(message, "The last spec that ran: "+image158) {
				t.Errorf("message without the last spec that ran: %s", message)
			}
			w.AcceptAll()
			w.settle()
			w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
			if got := len(w.chroma("demo").Status.Retries); got != 0 {
				t.Errorf("retries are left in the status: %d", got)
			}
		})
	}
}

func TestNamesOfOthersAreNeverTouched(t *testing.T) {
	cases := map[string]*unstructured.Unstructured{
		"ConfigMap": {Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "demo-config", "namespace": namespace}, "data": map[string]any{"mine": "yes"}}},
		"Service":   {Object: map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "demo-rw", "namespace": namespace}, "spec": map[string]any{"ports": []any{map[string]any{"port": int64(80)}}}}},
		"Pod": {Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "demo-1", "namespace": namespace},
			"spec": map[string]any{"containers": []any{map[string]any{"name": "mine", "image": "busybox:1"}}}}},
	}
	cases["ObjectOfTheClaim"], cases["ObjectOfTheRecord"] = observingObject("demo-claim"), observingObject("demo-ledger")
	for name, theirs := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.apply(theirs)
			before := w.Get(theirs.GroupVersionKind(), namespace, theirs.GetName()).GetUID()
			w.apply(chromaOf("demo", image159, nil))
			w.settle()
			w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.NameConflict)
			after := w.Get(theirs.GroupVersionKind(), namespace, theirs.GetName())
			if after == nil || after.GetUID() != before || metav1.GetControllerOf(after) != nil || after.GetLabels()[chroma.LabelChroma] != "" {
				t.Fatalf("it was touched: %v", after)
			}
			for _, entry := range after.GetManagedFields() {
				if strings.HasPrefix(entry.Manager, previous.ManagerPrefix) {
					t.Errorf("Crossplane wrote to it: %v", entry)
				}
			}
		})
	}
}

func TestAnotherTemplateOfANewerFunctionReplacesNothing(t *testing.T) {
	w := newWorld(t, nil)
	// An older function had another template: another grace period, and no startup probe.
	w.alter = func(rsp *fnv1.RunFunctionResponse) {
		pod := rsp.GetDesired().GetResources()[chroma.RolePod]
		if pod == nil {
			return
		}
		spec := pod.GetResource().GetFields()["spec"].GetStructValue()
		spec.Fields["terminationGracePeriodSeconds"] = structpb.NewNumberValue(45)
		delete(spec.GetFields()["containers"].GetListValue().GetValues()[0].GetStructValue().GetFields(), "startupProbe")
	}
	w.apply(chromaOf("demo", image158, nil))
	w.settle()
	if grace := w.pod("demo").Spec.TerminationGracePeriodSeconds; grace == nil || *grace != 45 {
		t.Fatalf("the older template was not applied: %v", grace)
	}
	w.alter = nil
	before := len(w.changes)
	w.Advance(10 * time.Minute)
	for _, change := range w.changes[before:] {
		if change.Key.GVK == kindPod {
			t.Errorf("a Pod was written to: %s %s", change.Verb, change.Manager)
		}
	}
	// The next replacement takes the new template.
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	if pod := w.pod("demo"); *pod.Spec.TerminationGracePeriodSeconds != 30 || pod.Spec.Containers[0].StartupProbe == nil {
		t.Errorf("the replacement does not have the new template: %+v", pod.Spec)
	}
}
