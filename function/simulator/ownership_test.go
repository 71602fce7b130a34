package simulator

import (
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// owned is a claim behind an Object without Delete, with an owner reference in its manifest.
func owned(t *testing.T, c *Cluster, with bool) {
	t.Helper()
	owner := c.Get(store.Kind("v1", "ConfigMap"), Namespace, "owner")
	metadata := map[string]any{}
	if with {
		metadata["ownerReferences"] = []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uidOf(owner)}}
	}
	if pvc(c) != nil {
		metadata["uid"] = uidOf(pvc(c))
	}
	applied(t, c, objectFor("k9", withoutDelete(), claimManifest("1Gi", nil, metadata)))
}

func TestClaimEndsWithItsOwner(t *testing.T) {
	c := newFake(t, &fake{}, nil)
	must(t, c.Apply(object(store.Kind("v1", "ConfigMap"), Namespace, "owner", nil)))
	owned(t, c, true)
	if len(pvc(c).GetOwnerReferences()) != 1 {
		t.Errorf("the owner must be set at creation, got %v", pvc(c).GetOwnerReferences())
	}
	owned(t, c, false)
	if len(pvc(c).GetOwnerReferences()) != 0 {
		t.Errorf("the owner must go with the manifest's, got %v", pvc(c).GetOwnerReferences())
	}
	owned(t, c, true)
	c.SetProviderDown(true)
	must(t, c.Delete(store.Kind("v1", "ConfigMap"), Namespace, "owner", ""))
	c.Advance(time.Second)
	if pvc(c) != nil {
		t.Error("the claim must be collected with its owner, provider or not")
	}
	c.SetProviderDown(false)
	c.Advance(11 * time.Minute)
	if pvc(c) != nil || !strings.Contains(told(obj(c), "Synced"), "uid mismatch: ") {
		t.Errorf("an Object that lives on must not make it anew, got %v, %s", pvc(c), told(obj(c), "Synced"))
	}
}

func TestClaimOutlivesItsComposite(t *testing.T) {
	for name, propagation := range map[string]metav1.DeletionPropagation{"Background": metav1.DeletePropagationBackground, "Foreground": metav1.DeletePropagationForeground} {
		t.Run(name, func(t *testing.T) {
			c := newFake(t, &fake{}, nil)
			applied(t, c, server("demo", newer))
			must(t, c.Delete(kindServer(), Namespace, "demo", propagation))
			settled(t, c)
			for kind, o := range map[string]*unstructured.Unstructured{"Srv": xrOf(c), "Pod": c.Get(kindPod(), Namespace, "demo-1"), "Object": c.Get(kindObject(), Namespace, "demo-claim")} {
				if o != nil {
					t.Errorf("the %s must be gone, got %v", kind, o)
				}
			}
			if claim := c.Get(kindClaim(), Namespace, "demo-1"); claim == nil || deleting(claim) {
				t.Errorf("the claim must stay, got %v", claim)
			}
		})
	}
	t.Run("Orphan", func(t *testing.T) {
		c := newFake(t, &fake{}, nil)
		applied(t, c, server("demo", newer))
		must(t, c.Delete(kindServer(), Namespace, "demo", metav1.DeletePropagationOrphan))
		settled(t, c)
		pod := c.Get(kindPod(), Namespace, "demo-1")
		if xrOf(c) != nil || pod == nil || len(pod.GetOwnerReferences()) != 0 {
			t.Errorf("want the Pod without owner and no Srv, got %v", pod)
		}
	})
}

func TestClaimInUseStaysTerminating(t *testing.T) {
	f := &fake{}
	c := newFake(t, f, nil)
	applied(t, c, server("demo", newer))
	must(t, c.Delete(kindClaim(), Namespace, "demo-1", ""))
	c.Advance(5 * time.Minute)
	if claim := c.Get(kindClaim(), Namespace, "demo-1"); claim == nil || !deleting(claim) {
		t.Fatalf("a claim in use must stay, marked for deletion, got %v", claim)
	}
	f.change = func(_ *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
		delete(r.GetDesired().GetResources(), "pod")
		delete(r.GetDesired().GetResources(), "claim")
	}
	must(t, c.Annotate(kindServer(), Namespace, "demo", "look", "again"))
	settled(t, c)
	if c.Get(kindClaim(), Namespace, "demo-1") != nil {
		t.Error("the claim must go when its Pod has stopped")
	}
}
