//go:build e2e && linux

package e2e

import (
	"context"
	"testing"
	"time"
)

// rollout a Deployment of the system and wait for its end.
func (s *scene) rollout(namespace, deployment string) {
	s.Helper()
	for _, verb := range []string{"restart", "status"} {
		if _, err := s.run(s.Context(), nil, "kubectl", "-n", namespace, "rollout", verb, "deployment/"+deployment); err != nil {
			s.Fatal(err)
		}
	}
}

// killFunction ends every Pod of the function at once, and waits until it serves again.
func (s *scene) killFunction() {
	s.Helper()
	s.killPods(functionPods)
	s.waitPods(functionPods, true)
}

// contextOf a test's clean-up, when its own context has ended.
func contextOf(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
