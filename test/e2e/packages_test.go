//go:build e2e && linux

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/test/e2e/cluster"
)

// olderRelease has definitions from before some fields of the status.
const olderRelease = "v0.0.1"

// TestPackagesBack installs definitions whose status has fewer fields than the function knows, and goes forward again, as
// when the packages are upgraded in either order. Servers run on, and the status is written all the while.
func TestPackagesBack(t *testing.T) {
	s := newScene(t, 2)
	if s.node == nil {
		t.Skip("a package of other definitions is made for the node's own registry alone")
	}
	s.apply(manifest("demo", "1.5.0", nil))
	s.waitReady("demo", "1.5.0")
	s.write("demo")
	before := s.pod("demo").UID

	s.pushOlderConfiguration()
	t.Cleanup(func() { s.setConfiguration(contextOf(t), release, true) })
	s.setConfiguration(t.Context(), olderRelease, false)
	s.apply(manifest("new", "1.5.9", nil))
	s.waitReady("new", "1.5.9")
	s.apply(manifest("demo", "1.5.0", func(spec map[string]any) { spec["service"] = map[string]any{"type": "NodePort"} }))
	s.wait("status of the change", time.Minute, func() (string, bool) {
		now := s.chroma("demo")
		return fmt.Sprintf("generation %d of %d", now.Status.ObservedGeneration, now.Generation), now.Status.ObservedGeneration == now.Generation
	})

	s.setConfiguration(t.Context(), release, true)
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.verify("demo")
	if s.chroma("new").Status.LastReadySpec == "" {
		t.Error("the fields of the newer status are not written")
	}
	if s.pod("demo").UID == before {
		t.Error("the upgrade did not take place")
	}
}

// pushOlderConfiguration to the registry of the node: the same, less two fields of the status.
func (s *scene) pushOlderConfiguration() {
	s.Helper()
	folder := s.TempDir()
	text, err := os.ReadFile(filepath.Join(s.root, "apis", "chroma", "definition.yaml"))
	if err != nil {
		s.Fatal(err)
	}
	definition := map[string]any{}
	if err := yaml.Unmarshal(text, &definition); err != nil {
		s.Fatal(err)
	}
	version := definition["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	status, found, err := unstructured.NestedMap(version, "schema", "openAPIV3Schema", "properties", "status", "properties")
	if err != nil || !found {
		s.Fatalf("cannot find the status in the definition: %v", err)
	}
	for _, field := range []string{"lastReadySpec", "retries"} {
		if _, there := status[field]; !there {
			s.Fatalf("the status has no field %s", field)
		}
		delete(status, field)
	}
	if err := unstructured.SetNestedMap(version, status, "schema", "openAPIV3Schema", "properties", "status", "properties"); err != nil {
		s.Fatal(err)
	}
	composition, err := os.ReadFile(filepath.Join(s.root, "apis", "chroma", "composition.yaml"))
	if err != nil {
		s.Fatal(err)
	}
	older, err := yaml.Marshal(definition)
	if err != nil {
		s.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"definition.yaml":  older,
		"composition.yaml": composition,
		"crossplane.yaml":  []byte("apiVersion: meta.pkg.crossplane.io/v1\nkind: Configuration\nmetadata: {name: configuration-chroma}\nspec: {crossplane: {version: '>=v2.3.0'}}\n"),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			s.Fatal(err)
		}
	}
	crossplane, file := filepath.Join(s.binaries, "crossplane"), filepath.Join(s.TempDir(), "older.xpkg")
	output, err := exec.CommandContext(s.Context(), crossplane, "xpkg", "build", "--package-root="+folder, "--examples-root="+filepath.Join(folder, "none"), "--package-file="+file).CombinedOutput()
	if err != nil {
		s.Fatalf("cannot build a package: %v: %s", err, output)
	}
	if _, err := s.run(s.Context(), nil, crossplane, "xpkg", "push", "--package-files="+file, cluster.Registry+"/configuration-chroma:"+olderRelease); err != nil {
		s.Fatal(err)
	}
}

// setConfiguration to a release, and wait until the cluster serves its definition.
func (s *scene) setConfiguration(ctx context.Context, version string, newer bool) {
	s.Helper()
	if err := s.applyText(ctx, fmt.Appendf(nil, `
apiVersion: pkg.crossplane.io/v1
kind: Configuration
metadata: {name: configuration-chroma}
spec: {package: "%s/configuration-chroma:%s"}
`, cluster.Registry, version)); err != nil {
		s.Fatal(err)
	}
	err := s.until(ctx, "definition of "+version, 2*time.Minute, func(ctx context.Context) (string, bool) {
		output, err := s.run(ctx, nil, "kubectl", "get", "crd", "chromas.chroma.chromadotnet.org",
			"-o", "jsonpath={.spec.versions[0].schema.openAPIV3Schema.properties.status.properties.lastReadySpec.type}")
		return output, err == nil && (output == "string") == newer
	})
	if err != nil {
		s.Fatal(err)
	}
}
