package simulation

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
)

// everTold tells whether any answer had a condition with the reason.
func (w *world) everTold(because reason.Reason) bool {
	for _, p := range w.passes {
		for _, call := range p.Calls {
			for _, c := range call.Response.GetConditions() {
				if c.GetReason() == string(because) {
					return true
				}
			}
		}
	}
	return false
}

// composed objects of the Chroma "demo", by kind.
func composed() map[schema.GroupVersionKind][]string {
	return map[schema.GroupVersionKind][]string{
		kindPod: {chroma.PodName("demo")},
		corev1.SchemeGroupVersion.WithKind("ConfigMap"): {chroma.ConfigName("demo")},
		corev1.SchemeGroupVersion.WithKind("Service"):   {chroma.ServiceName("demo")},
		simulatorKindObject():                           {chroma.ClaimObjectName("demo"), chroma.LedgerObjectName("demo")},
	}
}

func TestAPredecessorIsAwaitedAndNeverTakenForSomebodyElse(t *testing.T) {
	for _, policy := range []chroma.PVCDeletionPolicy{chroma.PVCRetain, chroma.PVCDelete} {
		t.Run(string(policy), func(t *testing.T) {
			w := newWorld(t, nil)
			w.apply(chromaOf("demo", image159, withPolicy(policy)))
			w.settle()
			w.SetProviderDown(true) // The Objects wait for it with their finalizers.
			w.must(w.Delete(kindChroma, namespace, "demo", metav1.DeletePropagationBackground))
			w.Until(1000, func() bool { return w.Get(kindChroma, namespace, "demo") == nil })
			w.apply(chromaOf("demo", image159, withPolicy(policy)))
			w.Advance(30 * time.Second)
			w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.WaitingForPredecessor)
			for kind, names := range composed() {
				for _, name := range names {
					if o := w.Get(kind, namespace, name); o != nil && controlledBy(o, w.chroma("demo").GetUID()) {
						t.Errorf("%s %s was composed meanwhile", kind.Kind, name)
					}
				}
			}
			w.SetProviderDown(false)
			w.settle()
			w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
			if w.everTold(reason.NameConflict) {
				t.Errorf("it was told of a NameConflict")
			}
		})
	}
}

func TestEveryOrphanIsTakenOverAndNoneIsANameConflict(t *testing.T) {
	w := ready(t, image159)
	before := map[string]types.UID{}
	for kind, names := range composed() {
		for _, name := range names {
			before[name+" "+kind.Kind] = w.Get(kind, namespace, name).GetUID()
		}
	}
	w.deleteChroma("demo", metav1.DeletePropagationOrphan)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	for kind, names := range composed() {
		for _, name := range names {
			o := w.Get(kind, namespace, name)
			if o == nil || o.GetUID() != before[name+" "+kind.Kind] || !controlledBy(o, w.chroma("demo").GetUID()) {
				t.Errorf("%s %s was not taken over: %v", kind.Kind, name, o)
			}
		}
	}
	if w.everTold(reason.NameConflict) {
		t.Errorf("it was told of a NameConflict")
	}
}

func TestWhatAPassHasSeenIsNotLostWithAChromaThatIsDeletedWhileTheProviderIsDown(t *testing.T) {
	for _, propagation := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationOrphan} {
		t.Run(string(propagation), func(t *testing.T) {
			w := ready(t, image158)
			w.SetProviderDown(true)
			w.edit("docker.io/chromadb/chroma:latest")
			w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.DataVersionUnknown)
			w.must(w.Delete(kindChroma, namespace, "demo", propagation))
			w.Until(1000, func() bool { return w.Get(kindChroma, namespace, "demo") == nil })
			if propagation == metav1.DeletePropagationOrphan {
				w.must(w.Delete(kindPod, namespace, "demo-1", metav1.DeletePropagationBackground)) // It would tell by itself.
				w.Until(1000, func() bool { return w.Get(kindPod, namespace, "demo-1") == nil })
			}
			w.apply(chromaOf("demo", image158, nil))
			w.Advance(30 * time.Second)
			w.SetProviderDown(false)
			w.settle()
			w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.DataVersionUnknown)
			if w.Get(kindPod, namespace, "demo-1") != nil {
				t.Error("a Pod was started on data whose version is not known")
			}
		})
	}
}
