//go:build e2e && linux

package e2e

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// policy of a manifest.
func policy(of chroma.PVCDeletionPolicy) func(map[string]any) {
	return func(spec map[string]any) { spec["pvcDeletionPolicy"] = string(of) }
}

// waitEffective until the policy in effect is the given one.
func (s *scene) waitEffective(name string, want chroma.PVCDeletionPolicy) {
	s.Helper()
	s.wait("policy in effect "+string(want), patience, func() (string, bool) {
		got := s.chroma(name).Status.PVCDeletionPolicy
		return string(got), got == want
	})
}

// waitGone until the Chroma, its Pod and its Objects are gone. The garbage collector learns of new kinds every 30 s.
func (s *scene) waitGone(name string) {
	s.Helper()
	s.wait(name+" gone", 90*time.Second, func() (string, bool) {
		seen, err := s.tryKubectl("get", "chromas,objects.kubernetes.m.crossplane.io,pods,configmaps,services", "-l", chroma.LabelChroma+"="+name, "--ignore-not-found", "-o", "name")
		return seen, err == nil && strings.TrimSpace(seen) == "" && s.chroma(name) == nil
	})
}

// TestDeletion deletes a Chroma in every way. The claim goes or stays as promised, and a claim that stays does so for good.
func TestDeletion(t *testing.T) {
	cases := map[string]struct {
		reason string
		policy chroma.PVCDeletionPolicy
		// before the deletion.
		before func(*scene)
		delete []string
		stays  bool
	}{
		"Retain": {
			reason: "The claim of a Chroma that says Retain outlives it.",
			policy: chroma.PVCRetain, delete: []string{"delete", "chroma", "demo", "--wait=false"}, stays: true,
		},
		"Delete": {
			reason: "The claim of a Chroma that says Delete goes with it.",
			policy: chroma.PVCDelete, delete: []string{"delete", "chroma", "demo", "--wait=false"},
		},
		"Foreground": {
			reason: "How the deletion propagates changes nothing.",
			policy: chroma.PVCRetain, delete: []string{"delete", "chroma", "demo", "--wait=false", "--cascade=foreground"}, stays: true,
		},
		"ForegroundDelete": {
			reason: "How the deletion propagates changes nothing.",
			policy: chroma.PVCDelete, delete: []string{"delete", "chroma", "demo", "--wait=false", "--cascade=foreground"},
		},
		"ObjectsDeleted": {
			reason: "An Object that is deleted by hand takes no data along.",
			policy: chroma.PVCRetain, delete: []string{"delete", "chroma", "demo", "--wait=false"}, stays: true,
			before: func(s *scene) { s.kubectl("delete", "objects.kubernetes.m.crossplane.io", "--all", "--wait=false") },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, 1)
			s.apply(manifest("demo", "1.5.9", policy(tc.policy)))
			s.waitReady("demo", "1.5.9")
			s.waitEffective("demo", tc.policy)
			uid := s.claim("demo").UID
			if tc.before != nil {
				tc.before(s)
			}
			s.kubectl(tc.delete...)
			s.waitGone("demo")
			if !tc.stays {
				s.wait("claim gone", time.Minute, func() (string, bool) { return "it is there", s.claim("demo") == nil })
				return
			}
			// Whatever would still come for the claim has come by then.
			time.Sleep(3 * time.Second)
			if claim := s.claim("demo"); claim == nil || claim.UID != uid || claim.DeletionTimestamp != nil {
				t.Errorf("\n%s\nthe claim with UID %s is not there any more: %+v", tc.reason, uid, claim)
			}
		})
	}
}

// TestRetainRightBefore switches to Retain and deletes at once, several times: either the deletion is refused, or the claim
// stays.
func TestRetainRightBefore(t *testing.T) {
	names := []string{"one", "two", "three", "four"}
	s := newScene(t, len(names))
	claims := map[string]types.UID{}
	for _, name := range names {
		s.apply(manifest(name, "1.5.9", policy(chroma.PVCDelete)))
	}
	for _, name := range names {
		s.waitReady(name, "1.5.9")
		s.waitEffective(name, chroma.PVCDelete)
		claims[name] = s.claim(name).UID
	}
	var refused []string
	for _, name := range names {
		s.kubectl("patch", "chroma", name, "--type=merge", "-p", `{"spec":{"pvcDeletionPolicy":"Retain"}}`)
		if output, err := s.tryKubectl("delete", "chroma", name, "--wait=false"); err != nil {
			refused = append(refused, name)
			if !strings.Contains(output, "would still be deleted") {
				t.Errorf("the refusal says the way out, got:\n%s", output)
			}
		}
	}
	for _, name := range refused {
		s.waitEffective(name, chroma.PVCRetain)
		s.kubectl("delete", "chroma", name, "--wait=false")
	}
	for _, name := range names {
		s.waitGone(name)
		if claim := s.claim(name); claim == nil || claim.UID != claims[name] || claim.DeletionTimestamp != nil {
			t.Errorf("the claim of %s is lost", name)
		}
	}
	s.sayf("TestRetainRightBefore: %d of %d deletions were refused at first", len(refused), len(names))
}

// TestNamespaceDeletion deletes a Namespace with a Chroma in it that may not be deleted: the Namespace goes.
func TestNamespaceDeletion(t *testing.T) {
	s := newScene(t, 1)
	s.apply(manifest("demo", "1.5.9", policy(chroma.PVCDelete)))
	s.waitReady("demo", "1.5.9")
	s.waitEffective("demo", chroma.PVCDelete)
	up := func() {}
	if s.node != nil {
		// Nobody carries out the switch to Retain, so that the policy refuses for good to delete this Chroma alone.
		up = s.takeDown(functionPods)
		s.kubectl("patch", "chroma", "demo", "--type=merge", "-p", `{"spec":{"pvcDeletionPolicy":"Retain"}}`)
		if _, err := s.tryKubectl("delete", "chroma", "demo", "--wait=false"); err == nil {
			t.Fatal("the deletion takes the claim along, though the spec says Retain")
		}
	}
	if _, err := s.run(t.Context(), nil, "kubectl", "delete", "namespace", s.namespace, "--wait=false"); err != nil {
		t.Fatal(err)
	}
	s.wait("deletion of the Chroma", time.Minute, func() (string, bool) {
		of := s.chroma("demo")
		return "it stays", of == nil || of.DeletionTimestamp != nil
	})
	up() // Crossplane waits up to two minutes for a function that does not answer before it goes on with the deletion.
	s.wait("namespace gone", 2*time.Minute, func() (string, bool) {
		object, err := s.get(t.Context(), kindNamespace, "", s.namespace)
		if object == nil || err != nil {
			return "", err == nil
		}
		_, _, message := conditionOf(object, "NamespaceContentRemaining")
		return message, false
	})
}

// TestAdoption makes a Chroma anew where an earlier one's claim was retained: it takes the claim over, and its record.
func TestAdoption(t *testing.T) {
	s := newScene(t, 1)
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.write("demo")
	uid := s.claim("demo").UID
	first := s.chroma("demo").UID
	s.kubectl("delete", "chroma", "demo")
	// At once: the objects of the first one are still going.
	s.apply(manifest("demo", "1.5.0", nil))
	if s.pod("demo") == nil {
		t.Log("the first one's Pod went before the second Chroma was made")
	}
	if got := s.chroma("demo").UID; got == first {
		t.Fatal("the first Chroma was applied to, not a second one made")
	}
	s.waitCondition("demo", "UpgradeBlocked", "True", "Downgrade")
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.verify("demo")
	if got := s.claim("demo").UID; got != uid {
		t.Errorf("the claim is another: want UID %s, got %s", uid, got)
	}
}
