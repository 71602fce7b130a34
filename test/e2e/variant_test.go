//go:build e2e && linux

package e2e

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// TestClaimsVariant is the last test, with the Configuration with claims.
func TestClaimsVariant(t *testing.T) {
	s := newScene(t, 2)
	s.useClaims()
	s.apply(manifest("kept", "1.5.0", nil))
	s.apply(manifest("gone", "1.5.9", policy(chroma.PVCDelete)))
	s.waitReady("kept", "1.5.0")
	s.waitReady("gone", "1.5.9")
	s.waitEffective("gone", chroma.PVCDelete)
	s.write("kept")
	s.apply(manifest("kept", "1.5.9", nil))
	s.waitReady("kept", "1.5.9")
	s.verify("kept")
	// The overrides are annotations of the claim.
	s.apply(manifest("kept", "1.5.0", nil))
	s.waitCondition("kept", "UpgradeBlocked", "True", "Downgrade")
	s.kubectl("annotate", "chroma", "kept", chroma.AnnotationAllowDowngrade+"=true")
	s.waitReady("kept", "1.5.0")
	s.verify("kept")

	uid := s.claim("kept").UID
	s.kubectl("delete", "chroma", "kept", "--wait=false")
	s.kubectl("delete", "chroma", "gone", "--wait=false", "--cascade=foreground")
	s.waitGone("kept")
	s.waitGone("gone")
	s.wait("claim of gone", time.Minute, func() (string, bool) { return "it is there", s.claim("gone") == nil })
	if claim := s.claim("kept"); claim == nil || claim.UID != uid || claim.DeletionTimestamp != nil {
		t.Errorf("the claim of kept is lost")
	}
}

// useClaims replaces the Configuration by the one with claims until the test ends. The two serve the same kind, so that
// nothing of another test can be there: the tests that use claims are the last ones.
func (s *scene) useClaims() {
	s.Helper()
	s.Cleanup(func() { s.replaceConfiguration("configuration-chroma-claims", "configuration-chroma") })
	s.replaceConfiguration("configuration-chroma", "configuration-chroma-claims")
}

// composite behind a claim.
func (s *scene) composite(name string) *unstructured.Unstructured {
	s.Helper()
	claim, err := s.get(s.Context(), kindChroma, s.namespace, name)
	if err != nil || claim == nil {
		s.Fatalf("cannot find the claim %s: %v", name, err)
	}
	reference, _, _ := unstructured.NestedString(claim.Object, "spec", "resourceRef", "name")
	composite, err := s.get(s.Context(), kindXChroma, "", reference)
	if err != nil || composite == nil {
		s.Fatalf("cannot find the composite %q of %s: %v", reference, name, err)
	}
	return composite
}
