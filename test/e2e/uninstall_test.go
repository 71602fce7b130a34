//go:build e2e && linux

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
)

// TestConfigurationRemoved uninstalls in the wrong order: the Configuration goes before the Chroma. The server runs on, the
// Chroma can be deleted, and after another installation one of its name has the data.
func TestConfigurationRemoved(t *testing.T) {
	const name = "configuration-chroma"
	s := newScene(t, 1)
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.write("demo")
	pod := s.pod("demo").UID
	source := s.removeConfiguration(t.Context(), name)
	installed := false
	t.Cleanup(func() {
		if installed {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if _, err := s.run(ctx, nil, "kubectl", "delete", "chroma", "demo", "-n", s.namespace, "--ignore-not-found", "--timeout=1m"); err != nil {
			t.Error(err)
		}
		s.waitNoDefinitions(ctx, name)
		s.installConfiguration(ctx, name, source)
	})

	s.waitCondition("demo", "Synced", "False", "ReconcileError")
	s.says(s.chromaCommand(unhealthy, "status", "demo"), "Crossplane has no Composition for it, so nobody decides", "kubectl chroma install")
	// Crossplane has looked at what is left of its definition more than once by now.
	time.Sleep(20 * time.Second)
	if now := s.chroma("demo"); now == nil || now.DeletionTimestamp != nil {
		t.Error("the Chroma was deleted with the Configuration")
	}
	if now := s.pod("demo"); now == nil || now.UID != pod || now.DeletionTimestamp != nil {
		t.Error("the server does not run on")
	}
	s.verify("demo")

	claim := s.claim("demo").UID
	s.says(s.chromaCommand(fine, "delete", "demo", "--keep-data", "--wait", "--yes"), "The claim "+chroma.ClaimName("demo")+" stayed")
	s.waitNoDefinitions(t.Context(), name)
	s.installConfiguration(t.Context(), name, source)
	installed = true
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.verify("demo")
	if s.claim("demo").UID != claim {
		t.Error("the claim is another one")
	}
}

// removeConfiguration and say what its package was.
func (s *scene) removeConfiguration(ctx context.Context, name string) (source string) {
	s.Helper()
	object, err := s.get(ctx, kindConfiguration, "", name)
	if err != nil || object == nil {
		s.Fatalf("cannot find Configuration %s: %v", name, err)
	}
	if _, err := s.run(ctx, nil, "kubectl", "delete", "configuration", name, "--timeout=2m"); err != nil {
		s.Fatal(err)
	}
	return object.Object["spec"].(map[string]any)["package"].(string)
}

// waitNoDefinitions until those of a Configuration that was removed are gone. Crossplane deletes no object of a namespaced
// definition, and waits for those that are there: what earlier tests have made may still be going.
func (s *scene) waitNoDefinitions(ctx context.Context, of string) {
	s.Helper()
	err := s.until(ctx, "definitions of "+of+" gone", 2*time.Minute, func(ctx context.Context) (string, bool) {
		output, err := s.run(ctx, nil, "kubectl", "get", "xrd", "-o", "name")
		return output, err == nil && !strings.Contains(output, chroma.Group) && !strings.Contains(output, valdv1.Group)
	})
	if err != nil {
		s.Fatal(err)
	}
}

// installConfiguration and wait until Chromas are served.
func (s *scene) installConfiguration(ctx context.Context, name, source string) {
	s.Helper()
	if err := s.applyText(ctx, fmt.Appendf(nil, `
apiVersion: pkg.crossplane.io/v1
kind: Configuration
metadata: {name: %s}
spec: {package: %q}
`, name, source)); err != nil {
		s.Fatal(err)
	}
	if err := s.untilHealthy(ctx, kindConfiguration); err != nil {
		s.Fatal(err)
	}
	err := s.until(ctx, "kind Chroma served by "+name, 2*time.Minute, func(ctx context.Context) (string, bool) {
		output, err := s.run(ctx, nil, "kubectl", "get", "chromas", "-A")
		return output, err == nil
	})
	if err != nil {
		s.Fatal(err)
	}
}

// replaceConfiguration installs another Configuration in the place of one.
func (s *scene) replaceConfiguration(before, after string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.Context()), 5*time.Minute)
	defer cancel()
	source := s.removeConfiguration(ctx, before)
	s.waitNoDefinitions(ctx, before)
	s.installConfiguration(ctx, after, strings.Replace(source, before, after, 1))
}
