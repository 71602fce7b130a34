package apiserver

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// TestWatchSeesAnUpgradeToItsEnd follows a Chroma whose Pod is not ready, and then is.
func TestWatchSeesAnUpgradeToItsEnd(t *testing.T) {
	s := start(t)
	s.load(t, "ready")
	var demo, pod *unstructured.Unstructured
	for _, of := range fixture.Load(t, "ready") {
		switch of.GetKind() {
		case "Chroma":
			demo = of
		case "Pod":
			pod = of
		}
	}
	settled := s.get(t, "demo").Object["status"]
	s.phase(t, demo, settled, "Updating", "PodTerminating", "The old Pod ends.")
	s.ready(t, pod, "False")
	ended := make(chan fixture.Result)
	go func() { ended <- s.run(t, "status", "demo", "--watch", "--timeout", "2m") }()
	time.Sleep(3 * time.Second)
	s.phase(t, demo, settled, "Updating", "PodStarting", "The new Pod starts.")
	time.Sleep(3 * time.Second)
	s.ready(t, pod, "True")
	s.status(t, demo, settled)
	got := <-ended
	frames := strings.Count(got.Out, "Chroma default/demo")
	if got.Code != exit.Fine || frames < 2 || !strings.Contains(got.Out[strings.LastIndex(got.Out, "Chroma default/demo"):], "Ready") {
		t.Errorf("want frames that end with Ready and exit code 0, got %d:\n%s", frames, got)
	}
}

// phase of a Chroma in the middle of an upgrade.
func (s *server) phase(t *testing.T, demo *unstructured.Unstructured, settled any, phase, because, message string) {
	t.Helper()
	of := &unstructured.Unstructured{Object: map[string]any{"status": settled}}
	of = of.DeepCopy()
	_ = unstructured.SetNestedField(of.Object, phase, "status", "phase")
	conditions, _, _ := unstructured.NestedSlice(of.Object, "status", "conditions")
	for i, one := range conditions {
		condition, _ := one.(map[string]any)
		switch condition["type"] {
		case "ServerReady", "Ready":
			condition["status"], condition["reason"], condition["message"] = "False", because, message
			conditions[i] = condition
		}
	}
	_ = unstructured.SetNestedSlice(of.Object, conditions, "status", "conditions")
	s.status(t, demo, of.Object["status"])
}

// ready or not, as the kubelet says of a Pod.
func (s *server) ready(t *testing.T, pod *unstructured.Unstructured, ready string) {
	t.Helper()
	of := pod.DeepCopy()
	conditions, _, _ := unstructured.NestedSlice(of.Object, "status", "conditions")
	for i, one := range conditions {
		if condition, _ := one.(map[string]any); condition["type"] == "Ready" {
			condition["status"] = ready
			conditions[i] = condition
		}
	}
	_ = unstructured.SetNestedSlice(of.Object, conditions, "status", "conditions")
	s.status(t, pod, of.Object["status"])
}
