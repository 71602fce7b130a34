package simulation

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/function-chroma/function-chroma/function/reason"
)

// TestThePodOfAPredecessorIsToldOfUntilItIsGone: it goes last. Each other object that goes meanwhile would change the
// condition, and back.
func TestThePodOfAPredecessorIsToldOfUntilItIsGone(t *testing.T) {
	w := ready(t, image159)
	w.must(w.Delete(kindChroma, namespace, "demo", metav1.DeletePropagationBackground))
	w.Until(1000, func() bool { return w.Get(kindChroma, namespace, "demo") == nil })
	w.passes = nil
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	var told []string
	for _, p := range w.passes {
		for _, c := range p.Calls[len(p.Calls)-1].Response.GetConditions() {
			if c.GetReason() == string(reason.WaitingForPredecessor) && c.GetType() == string(reason.ServerReady) {
				told = append(told, c.GetMessage())
			}
		}
	}
	told = slices.Compact(told)
	if len(told) == 0 || !strings.HasPrefix(told[0], "Pod demo-1 ") {
		t.Errorf("want the Pod first, got %q", told)
	}
	slices.Sort(told)
	if once := slices.Compact(slices.Clone(told)); len(once) != len(told) {
		t.Errorf("a message came back: %q", told)
	}
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
}
