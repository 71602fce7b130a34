//go:build e2e && linux

package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/test/e2e/cluster"
	"github.com/function-chroma/function-chroma/test/e2e/images"
)

// TestExample applies what the README shows.
func TestExample(t *testing.T) {
	s := newScene(t, 1)
	text, err := os.ReadFile(filepath.Join(s.root, "examples", "single-node.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	object := map[string]any{}
	if err := yaml.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	object["metadata"].(map[string]any)["namespace"] = s.namespace
	began := time.Now()
	s.apply(object)
	s.sayf("TestExample: kubectl apply took %.2f s", time.Since(began).Seconds())
	s.wait("Pod created", time.Minute, func() (string, bool) { seen, _ := s.settled("demo", ""); return seen, s.pod("demo") != nil })
	created := time.Since(began)
	s.waitReady("demo", "1.5.9")
	s.sayf("TestExample: from apply to Pod created %.2f s, to Ready %.2f s", created.Seconds(), time.Since(began).Seconds())
	s.write("demo")
	s.verify("demo")
	if got, want := s.chroma("demo").Status.Endpoint, chroma.Endpoint("demo", s.namespace); got != want {
		t.Errorf("status.endpoint: want %s, got %s", want, got)
	}
}

// TestImageSize of the function's package, which is also its runtime image.
func TestImageSize(t *testing.T) {
	s := newScene(t, 0)
	if s.node == nil {
		t.Skip("the registry of a developer's own cluster is not asked")
	}
	size, err := images.Size(t.Context(), cluster.Registry+"/function-chroma:"+release, s.node.Transport())
	if err != nil {
		t.Fatal(err)
	}
	s.sayf("TestImageSize: %.1f MB compressed", float64(size)/1e6)
	if size > 40e6 {
		t.Errorf("the function's image has %.1f MB, more than 40", float64(size)/1e6)
	}
}

// TestDataStays writes data once and looks for it after everything that happens to a server in its life.
func TestDataStays(t *testing.T) {
	s := newScene(t, 1)
	s.apply(manifest("demo", "1.4.1", nil))
	s.waitReady("demo", "1.4.1")
	s.write("demo")
	s.verify("demo")

	// Each step says whether it replaces the Pod.
	steps := []struct {
		name     string
		version  string
		do       func()
		replaced bool
	}{
		{"Pod deleted", "1.4.1", func() { s.kubectl("delete", "pod", chroma.PodName("demo"), "--wait=false") }, true},
		{"configuration changed", "1.4.1", func() {
			s.apply(manifest("demo", "1.4.1", func(spec map[string]any) { spec["config"] = map[string]any{"maxPayloadSizeBytes": 1 << 20} }))
		}, true},
		{"upgraded", "1.5.9", func() {
			s.apply(manifest("demo", "1.5.9", func(spec map[string]any) { spec["config"] = map[string]any{"maxPayloadSizeBytes": 1 << 20} }))
		}, true},
		{"Crossplane restarted", "1.5.9", func() { s.rollout(crossplaneNamespace, "crossplane") }, false},
		{"function killed", "1.5.9", s.killFunction, false},
	}
	for _, step := range steps {
		before := s.pod("demo").UID
		began := time.Now()
		step.do()
		if step.replaced {
			s.wait(step.name+": old Pod gone", 2*time.Minute, func() (string, bool) {
				seen, _ := s.settled("demo", "")
				pod := s.pod("demo")
				return seen, pod == nil || pod.UID != before
			})
		}
		s.waitReady("demo", step.version)
		s.sayf("TestDataStays: %s: %.2f s", step.name, time.Since(began).Seconds())
		s.verify("demo")
		if replaced := s.pod("demo").UID != before; replaced != step.replaced {
			t.Errorf("%s: Pod replaced: want %t, got %t", step.name, step.replaced, replaced)
		}
	}
	if got := s.chroma("demo").Status.DataVersion; got != "1.5.9" {
		t.Errorf("status.dataVersion: want 1.5.9, got %q", got)
	}
	if got := s.claim("demo").Annotations[chroma.AnnotationDataVersion]; got != "1.5.9" {
		t.Errorf("the claim's record: want 1.5.9, got %q", got)
	}
}

// TestNodeRestart cuts the power of the node.
func TestNodeRestart(t *testing.T) {
	s := newScene(t, 1)
	if s.node == nil {
		t.Skip("a developer's own cluster is not restarted")
	}
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.write("demo")
	s.do("reboot")
	s.wait("a server that was started again", 3*time.Minute, func() (string, bool) {
		seen, ready := s.settled("demo", image("1.5.9"))
		pod := s.pod("demo")
		return seen, ready && pod != nil && len(pod.Status.ContainerStatuses) == 1 && pod.Status.ContainerStatuses[0].RestartCount > 0
	})
	s.verify("demo")
}

// TestPrompt changes a Chroma that has just become Ready. Crossplane's circuit breaker lets through some 50 updates at once
// and then, for five minutes, one watch event in 30 s: whoever composes too busily makes users wait.
func TestPrompt(t *testing.T) {
	s := newScene(t, 1)
	s.apply(manifest("demo", "1.5.0", nil))
	s.waitReady("demo", "1.5.0")
	s.apply(manifest("demo", "1.5.9", nil))
	took := s.wait("old Pod ending", patience, func() (string, bool) {
		pod := s.pod("demo")
		seen, _ := s.settled("demo", "")
		return seen, pod == nil || pod.DeletionTimestamp != nil || pod.Spec.Containers[0].Image == image("1.5.9")
	})
	if limit := 15 * time.Second; took > limit {
		t.Errorf("the change took effect after %.0f s, not within %s", took.Seconds(), limit)
	}
	gap := s.wait("new server", patience, func() (string, bool) {
		pod := s.pod("demo")
		seen, _ := s.settled("demo", "")
		return seen, pod != nil && pod.DeletionTimestamp == nil && pod.Spec.Containers[0].Image == image("1.5.9") && podReady(pod)
	})
	s.sayf("TestPrompt: %.1f s without a server", gap.Seconds())
	if limit := 5 * time.Second; gap > limit {
		t.Errorf("there was no server for %.1f s, not at most %s", gap.Seconds(), limit)
	}
	s.waitReady("demo", "1.5.9")
}
