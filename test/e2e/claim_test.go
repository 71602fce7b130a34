//go:build e2e && linux

package e2e

import (
	"testing"
	"time"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// TestClaimDeleted deletes the claim under its running server. The server goes on until a person ends it, and nothing is
// started on an empty volume without a person's word.
func TestClaimDeleted(t *testing.T) {
	s := newScene(t, 2)
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.write("demo")
	claim, pod := s.claim("demo").UID, s.pod("demo").UID
	s.kubectl("delete", "pvc", chroma.ClaimName("demo"), "--wait=false")

	s.waitCondition("demo", "UpgradeBlocked", "True", "ClaimTerminating")
	// Not even a change of the spec ends the server.
	s.apply(manifest("demo", "1.5.9", func(spec map[string]any) { spec["config"] = map[string]any{"maxPayloadSizeBytes": 1 << 20} }))
	time.Sleep(5 * time.Second)
	if got := s.pod("demo"); got == nil || got.UID != pod || got.DeletionTimestamp != nil {
		t.Fatal("the only holder of the data was ended")
	}
	s.verify("demo")

	s.kubectl("delete", "pod", chroma.PodName("demo"), "--wait=false")
	s.waitCondition("demo", "ServerReady", "False", "ClaimLost")
	time.Sleep(5 * time.Second)
	if got := s.claim("demo"); got != nil {
		t.Fatalf("a new claim was made without a person's word: %s", got.UID)
	}
	s.kubectl("annotate", "chroma", "demo", chroma.AnnotationAcceptClaim+"="+chroma.AcceptNewClaimPrefix+string(claim))
	s.waitReady("demo", "1.5.9")
	if got := s.claim("demo").UID; got == claim {
		t.Error("the lost claim is back")
	}
}

// TestSecondPod has another Pod mount the claim while the server is replaced.
func TestSecondPod(t *testing.T) {
	s := newScene(t, 1)
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.write("demo")
	s.apply(map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "reader"},
		"spec": map[string]any{
			"terminationGracePeriodSeconds": 1,
			"containers": []any{map[string]any{
				"name": "pause", "image": "e2e.local/pause:1",
				"volumeMounts": []any{map[string]any{"name": "data", "mountPath": "/data"}},
			}},
			"volumes": []any{map[string]any{"name": "data", "persistentVolumeClaim": map[string]any{"claimName": chroma.ClaimName("demo")}}},
		},
	})
	s.kubectl("delete", "pod", chroma.PodName("demo"), "--wait=false")
	s.waitCondition("demo", "ServerReady", "False", "ClaimInUse")
	time.Sleep(3 * time.Second)
	if s.pod("demo") != nil {
		t.Fatal("two Pods have the volume")
	}
	s.kubectl("delete", "pod", "reader")
	s.waitReady("demo", "1.5.9")
	s.verify("demo")
}

// TestObjectDeleted deletes the Objects behind which the claim and its record are.
func TestObjectDeleted(t *testing.T) {
	s := newScene(t, 1)
	s.apply(manifest("demo", "1.5.9", policy(chroma.PVCDelete)))
	s.waitReady("demo", "1.5.9")
	s.write("demo")
	claim, pod := s.claim("demo").UID, s.pod("demo").UID
	for _, name := range []string{chroma.ClaimObjectName("demo"), chroma.LedgerObjectName("demo")} {
		object, err := s.get(t.Context(), kindObject, s.namespace, name)
		if err != nil || object == nil {
			t.Fatalf("cannot find Object %s: %v", name, err)
		}
		s.kubectl("delete", "objects.kubernetes.m.crossplane.io", name, "--wait=false")
		s.wait(name+" made anew", patience, func() (string, bool) {
			now, err := s.get(t.Context(), kindObject, s.namespace, name)
			return "", err == nil && now != nil && now.GetUID() != object.GetUID()
		})
	}
	s.waitReady("demo", "1.5.9")
	s.verify("demo")
	if s.claim("demo").UID != claim || s.pod("demo").UID != pod {
		t.Error("claim or Pod were replaced")
	}
}
