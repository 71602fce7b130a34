package simulation

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// says tells which of some texts the message of a condition lacks.
func (w *world) says(kind reason.ConditionType, texts ...string) {
	w.t.Helper()
	for _, text := range texts {
		if got := w.message(kind); !strings.Contains(got, text) {
			w.t.Errorf("%s does not say %q: %s", kind, text, got)
		}
	}
}

// TestARefusalWithoutWordsSaysWhereTheyAre: those of a 422 are in an event only.
func TestARefusalWithoutWordsSaysWhereTheyAre(t *testing.T) {
	cases := map[string]struct {
		kind string
		want reason.Reason
	}{
		"Pod":       {"Pod", reason.PodRefused},
		"ConfigMap": {"ConfigMap", reason.ConfigRefused},
		"Service":   {"Service", reason.ServiceRefused},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.Refuse(&simulator.Refusal{Actor: simulator.ActorCrossplane, Kind: tc.kind, Code: 422, Message: "must be less than or equal to memory limit"})
			w.apply(chromaOf("demo", image159, nil))
			w.Advance(10 * time.Minute)
			w.want("demo", reason.ServerReady, metav1.ConditionFalse, tc.want)
			w.says(reason.ServerReady, "kubectl events -n default --for=chroma."+chroma.Group+"/demo")
			w.AcceptAll()
			w.settle()
			w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
		})
	}
}

func TestAfterAReplacementPodRefusedNamesTheLastSpecThatRan(t *testing.T) {
	limited := func(memory string) func(*chroma.Chroma) {
		return func(c *chroma.Chroma) {
			c.Spec.Resources = &chroma.Resources{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}}
		}
	}
	w := newWorld(t, nil)
	w.apply(chromaOf("demo", image158, limited("1Gi")))
	w.settle()
	w.Admit(func(request *store.Request) error {
		if request.Key.GVK != kindPod || request.Before != nil || request.Object == nil {
			return nil
		}
		containers, _, _ := unstructured.NestedSlice(request.Object.Object, "spec", "containers")
		if memory, _, _ := unstructured.NestedString(containers[0].(map[string]any), "resources", "limits", "memory"); memory != "1Gi" {
			return store.NewForbidden(request.Key, "maximum memory usage per Container is 1Gi, but limit is "+memory)
		}
		return nil
	})
	w.apply(chromaOf("demo", image159, limited("2Gi")))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.PodRefused)
	w.says(reason.ServerReady, "maximum memory usage per Container is 1Gi", "The last spec that ran: "+image158+", limits memory=1Gi.")
	w.apply(chromaOf("demo", image159, limited("1Gi"))) // What is asked for instead is tried at once.
	w.settle()
	if got := w.running("demo"); got != image159 {
		t.Errorf("running: want %s, got %q", image159, got)
	}
}

// TestAClaimThatStaysPendingSaysHowToBeginAnew, and the commands that it says do.
func TestAClaimThatStaysPendingSaysHowToBeginAnew(t *testing.T) {
	sized := func(size string) func(*chroma.Chroma) {
		return func(c *chroma.Chroma) { c.Spec.Storage = storageOf(size) }
	}
	w := newWorld(t, nil)
	w.SetUnschedulable(true) // As with a class that does not exist, no volume is made.
	w.apply(chromaOf("demo", image159, sized("900Gi")))
	w.Advance(5 * time.Minute)
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.Unschedulable)
	w.says(reason.ServerReady, "it never held data, so begin anew: kubectl delete chroma -n default demo; kubectl delete pvc -n default demo-1")
	w.apply(chromaOf("demo", image159, sized("10Gi")))
	w.Advance(5 * time.Minute)
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.StorageFixed)
	w.says(reason.UpgradeBlocked, "it never held data: delete the Chroma and the claim to begin anew")

	w.deleteChroma("demo", metav1.DeletePropagationBackground)
	w.must(w.Delete(kindClaim, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.SetUnschedulable(false)
	w.apply(chromaOf("demo", image159, sized("10Gi")))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
	if got := w.claim("demo").Spec.Resources.Requests.Storage().String(); got != "10Gi" {
		t.Errorf("size: want 10Gi, got %s", got)
	}
}

func TestAClaimThatIsBeingDeletedSaysToCopyTheDataOutFirst(t *testing.T) {
	w := ready(t, image159)
	w.must(w.Delete(kindClaim, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.ClaimTerminating)
	w.says(reason.UpgradeBlocked, "copy the data out of the running server first", "Nothing is replaced or started meanwhile")
}

func TestALostNodeIsAwaitedAndTheConditionSaysTheWaysOut(t *testing.T) {
	w := ready(t, image159)
	w.SetNodeLost("node-1", true)
	w.Advance(time.Minute)
	w.must(w.Delete(kindPod, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.Advance(20 * time.Minute)
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.NodeLost)
	w.says(reason.ServerReady, "Bring it back", "kubectl taint node node-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute")
	running := w.Volume(w.claim("demo").GetUID()).Running()
	if len(running) != 1 || running[0].Forced || w.pod("demo") == nil {
		t.Errorf("the Pod was removed by force, or a second server started: %v", running)
	}
}

// TestARefusedConfigDoesNotHideThatTheClaimIsLost: without a claim it is not written, so that nobody learns whether the API would
// still refuse it.
func TestARefusedConfigDoesNotHideThatTheClaimIsLost(t *testing.T) {
	w := newWorld(t, nil)
	w.Refuse(&simulator.Refusal{Actor: simulator.ActorCrossplane, Kind: "ConfigMap", Code: 403, Message: "exceeded quota: few"})
	w.apply(chromaOf("demo", image159, nil))
	w.Advance(5 * time.Minute)
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.ConfigRefused)
	w.must(w.Delete(kindClaim, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.Advance(5 * time.Minute)
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.ClaimLost)
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.ClaimLost)
	if held := w.chroma("demo").Status.Retries; len(held) > 0 {
		t.Errorf("what is not tried is held as refused: %v", held)
	}
}
