package simulator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHappyPath(t *testing.T) {
	f := &fake{}
	var passes []*Pass
	c := newFake(t, f, func(config *Config) { config.Passed = func(p *Pass) { passes = append(passes, p) } })
	applied(t, c, server("demo", "docker.io/chromadb/chroma:1.5.9"))
	for _, p := range passes {
		t.Logf("pass %d at %s: %s %v", p.Number, p.At.Format("04:05.000"), p.Outcome, p.Err)
		for _, w := range p.Writes {
			t.Logf("  %s %s %s %s %s %v %v", w.Verb, w.Outcome, w.Role, w.Key, w.Subresource, w.Changed, w.Err)
		}
	}
	pod := c.Get(kindPod(), Namespace, "demo-1")
	if status, _, _ := Condition(pod, "Ready"); status != statusTrue {
		t.Errorf("the Pod is not ready: %v", pod)
	}
	if diff := cmp.Diff("Bound", stringAt(c.Get(kindClaim(), Namespace, "demo-1"), "status", "phase")); diff != "" {
		t.Errorf("phase of the claim: -want, +got:\n%s", diff)
	}
	volume := c.Volume(c.Get(kindClaim(), Namespace, "demo-1").GetUID())
	if volume == nil || len(volume.Running()) != 1 {
		t.Errorf("want one running server on the volume, got %v", volume)
	}
	xr := c.Get(kindServer(), Namespace, "demo")
	for _, kind := range []string{"Synced", "Ready", "ServerReady", "Responsive"} {
		if status, reason, message := Condition(xr, kind); status != statusTrue {
			t.Errorf("%s is %s %s %s", kind, status, reason, message)
		}
	}
}
