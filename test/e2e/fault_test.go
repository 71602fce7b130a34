//go:build e2e && linux

package e2e

import (
	"os"
	"strconv"
	"testing"
	"time"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// rounds of the faults: one, or as many as E2E_ROUNDS says.
func rounds(t *testing.T) int {
	text := os.Getenv("E2E_ROUNDS")
	if text == "" {
		return 1
	}
	count, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("cannot read E2E_ROUNDS: %v", err)
	}
	return count
}

// TestFaults kills each part of the system while a server is upgraded. Afterwards the upgrade is done, the data is there and
// the record tells of it; and at no time did the record say less than what ran.
func TestFaults(t *testing.T) {
	if world.node == nil {
		t.Skip("the parts of a developer's own cluster are not killed")
	}
	faults := []struct {
		name string
		do   func(*scene)
	}{
		{"function", func(s *scene) { s.killPods(functionPods) }},
		{"Crossplane", func(s *scene) { s.killPods("app=crossplane") }},
		{"provider", func(s *scene) { s.killPods(providerPods) }},
		{"API server", func(s *scene) { s.do("kill", "kube-apiserver") }},
		{"etcd", func(s *scene) { s.do("kill", "etcd") }},
		{"kubelet", func(s *scene) { s.do("kill", "kubelet") }},
	}
	// Into the upgrade: before the record is raised, while the old Pod ends, while the new one starts.
	delays := []time.Duration{0, 100 * time.Millisecond, 700 * time.Millisecond, 2500 * time.Millisecond}
	for round := range rounds(t) {
		for i, fault := range faults {
			t.Run(fault.name, func(t *testing.T) {
				s := newScene(t, 1)
				s.apply(manifest("demo", "1.4.1", nil))
				s.waitReady("demo", "1.4.1")
				s.write("demo")
				claim := s.claim("demo").UID

				delay := delays[(round+i)%len(delays)]
				began := time.Now()
				s.apply(manifest("demo", "1.5.9", nil))
				time.Sleep(delay)
				fault.do(s)
				s.waitUpgraded()
				s.verify("demo")
				s.sayf("TestFaults: %s killed %s into the upgrade, which took %.1f s", fault.name, delay, time.Since(began).Seconds())
				if got := s.claim("demo"); got.UID != claim || got.Annotations[chroma.AnnotationDataVersion] != "1.5.9" {
					t.Errorf("the claim has UID %s and record %q, want %s and 1.5.9", got.UID, got.Annotations[chroma.AnnotationDataVersion], claim)
				}
			})
		}
	}
}

// waitUpgraded watches the record all the way: it is never below the Pod's version.
func (s *scene) waitUpgraded() {
	s.Helper()
	s.wait("the upgrade", 4*time.Minute, func() (string, bool) {
		// The Pod first: the record may rise between the two reads, and never sinks.
		pod := s.pod("demo")
		claim := s.claim("demo")
		if pod != nil && claim != nil && pod.Spec.Containers[0].Image == image("1.5.9") && claim.Annotations[chroma.AnnotationDataVersion] != "1.5.9" {
			s.Errorf("a Pod with 1.5.9 exists, and the record says %q", claim.Annotations[chroma.AnnotationDataVersion])
		}
		return s.settled("demo", image("1.5.9"))
	})
}

// killPods of the system, without grace.
func (s *scene) killPods(selector string) {
	s.Helper()
	if _, err := s.run(s.Context(), nil, "kubectl", "-n", crossplaneNamespace, "delete", "pod", "-l", selector, "--force", "--grace-period=0"); err != nil {
		s.Fatal(err)
	}
}

// do a command on the node.
func (s *scene) do(command ...string) {
	s.Helper()
	if err := s.node.Do(s.Context(), command...); err != nil {
		s.Fatal(err)
	}
}
