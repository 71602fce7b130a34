//go:build e2e && linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// TestPluginClaims leads Chromas that are claims through their life with the plugin alone. What it writes goes to the
// claim, and takes effect through the composite.
func TestPluginClaims(t *testing.T) {
	s := newScene(t, 3)
	s.useClaims()
	s.apply(manifest("demo", "1.4.1", nil))
	// Each has its turn: Crossplane looks only now and then at one that changes too often.
	s.apply(manifest("old", "1.5.9", nil))
	s.apply(manifest("gone", "1.5.9", nil))
	s.says(s.chromaCommand(fine, "status", "demo", "-w"), "demo  Ready", "1.4.1")
	s.write("demo")
	composite := s.composite("demo").GetName()

	t.Log("Looking")
	s.says(s.chromaCommand(fine, "status", "demo"), "XChroma "+composite, "Chroma 1.4.1", chroma.ClaimName("demo")+"  Bound", "nothing is held back")
	s.says(s.chromaCommand(fine, "status", "-A"), s.namespace, "1.4.1", "Ready")
	s.says(s.chromaCommand(fine, "tree", "demo"), "XChroma "+composite, chroma.PodName("demo"), chroma.ServiceName("demo"),
		chroma.ClaimObjectName("demo"), "PersistentVolumeClaim "+chroma.ClaimName("demo"))
	s.says(s.chromaCommand(fine, "events", "demo"), "XChroma "+composite, "Pod "+chroma.PodName("demo"))
	s.says(s.chromaCommand(fine, "explain", "demo"), "PodReady")
	s.says(s.chromaCommand(fine, "check", "demo"), "a collection was created, written to and removed", "Rights of Crossplane")
	s.says(s.chromaCommand(fine, "endpoint", "demo"), chroma.Endpoint("demo", s.namespace))
	s.says(s.chromaCommand(fine, "logs", "demo"), "Connect to")

	t.Log("Upgrading")
	s.says(s.chromaCommand(fine, "upgrade", "check", "demo", "--image", image("1.5.9")), "allowed", "1.5.9")
	s.says(s.chromaCommand(refused, "upgrade", "check", "demo", "--image", image("1.1.1")), "DowngradeChangesFormat")
	s.says(s.chromaCommand(fine, "upgrade", "plan", "demo", "--image", image("1.5.9")), "changes", "Pod "+s.namespace+"/"+chroma.PodName("demo"))
	s.says(s.chromaCommand(fine, "upgrade", "apply", "demo", "--image", image("1.5.9"), "--wait", "--yes"), "demo  Ready", "1.5.9")
	s.settledNow("demo", "1.5.9")
	s.verify("demo")

	t.Log("Restarting")
	before := s.pod("demo").UID
	s.says(s.chromaCommand(fine, "restart", "demo", "--wait", "--yes"), "demo  Ready")
	if now := s.pod("demo"); now == nil || now.UID == before {
		t.Error("the Pod is the one from before the restart")
	}

	t.Log("Going back")
	s.waitReady("old", "1.5.9")
	s.apply(manifest("old", "1.5.0", nil))
	s.waitCondition("old", "UpgradeBlocked", "True", "Downgrade")
	s.says(s.chromaCommand(fine, "status", "old"), "Downgrade", "kubectl chroma allow downgrade -n "+s.namespace+" old")
	s.chromaCommand(fine, "allow", "downgrade", "old", "--yes")
	s.annotated("old", chroma.AnnotationAllowDowngrade, true)
	s.waitReady("old", "1.5.0")
	s.chromaCommand(fine, "allow", "downgrade", "old", "--revoke")
	s.annotated("old", chroma.AnnotationAllowDowngrade, false)

	t.Log("A report")
	archive := filepath.Join(t.TempDir(), "report.zip")
	s.chromaCommand(fine, "report", "demo", "-f", archive)
	s.checkReport(archive, "chroma-demo", "xchroma-"+composite, "pod-demo-1")

	t.Log("Deleting")
	kept := s.claim("demo").UID
	s.says(s.chromaCommand(fine, "delete", "demo", "--keep-data", "--wait", "--yes"), chroma.ClaimName("demo"))
	if claim := s.claim("demo"); claim == nil || claim.UID != kept || claim.DeletionTimestamp != nil || s.chroma("demo") != nil {
		t.Fatal("the claim is lost, or the Chroma is there")
	}
	s.says(s.chromaCommand(fine, "delete", "gone", "--delete-data", "--wait", "--yes"), chroma.ClaimName("gone"))
	// It is on its way out until the Pod has ended.
	s.wait("claim gone", time.Minute, func() (string, bool) { return "it is there", s.claim("gone") == nil })
	s.chromaCommand(fine, "delete", "old", "--keep-data", "--wait", "--yes")
	unused := s.chromaCommand(fine, "claims", "--unused")
	s.says(unused, chroma.ClaimName("demo"), "1.5.9", chroma.ClaimName("old"))
	if strings.Contains(unused, chroma.ClaimName("gone")) {
		t.Errorf("a claim that is gone is listed:\n%s", unused)
	}
	if left := s.kubectl("get", "xchromas", "-o", "name"); strings.TrimSpace(left) != "" {
		t.Errorf("composites are left: %s", left)
	}
}

// annotated waits until the claim and the composite behind it have an annotation, or neither has.
func (s *scene) annotated(name, annotation string, want bool) {
	s.Helper()
	if _, got := s.chroma(name).Annotations[annotation]; got != want {
		s.Errorf("the annotation %s of the claim: want it there %t, got %t", annotation, want, got)
	}
	s.wait("annotation of the composite", patience, func() (string, bool) {
		value, got := s.composite(name).GetAnnotations()[annotation]
		return value, got == want
	})
}
