package simulator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

func kindXServer() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "proto.example.org", Version: "v1", Kind: "XSrv"}
}

func kindServerClaim() schema.GroupVersionKind { return kindServer() }

// claimed composes for a cluster-scoped composite resource, in its claim's namespace and under its claim's name.
func claimed(request *fnv1.RunFunctionRequest, r *fnv1.RunFunctionResponse) {
	reference := request.GetObserved().GetComposite().GetResource().AsMap()["spec"].(map[string]any)["claimRef"].(map[string]any)
	name, namespace := reference["name"].(string), reference["namespace"].(string)
	for role, content := range map[string]map[string]any{"pod": podOf(name, newer), "claim": claimObject(name, namespace), "config": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name + "-config"}}} {
		content["metadata"].(map[string]any)["namespace"] = namespace
		r.Desired.Resources[role].Resource = message(content)
	}
}

func newClaimed(t *testing.T) *Cluster {
	t.Helper()
	c, err := New(Config{Seed: 1, Composites: []Composite{{Kind: kindXServer(), Claim: kindServerClaim(), Function: &fake{change: claimed}}}})
	must(t, err)
	claim := object(kindServerClaim(), Namespace, "demo", map[string]any{"spec": map[string]any{"image": newer}})
	claim.SetAnnotations(map[string]string{"allow": "true", "kubectl.kubernetes.io/last": "x"})
	applied(t, c, claim)
	return c
}

func xServer(t *testing.T, c *Cluster) *unstructured.Unstructured {
	t.Helper()
	list := c.store.List(kindXServer(), "")
	if len(list) != 1 {
		t.Fatalf("want one composite resource, got %v", list)
	}
	return list[0]
}

func TestClaimBackedKind(t *testing.T) {
	c := newClaimed(t)
	xr, claim := xServer(t, c), c.Get(kindServerClaim(), Namespace, "demo")
	if diff := cmp.Diff(map[string]string{"allow": "true"}, xr.GetAnnotations()); diff != "" {
		t.Errorf("annotations of the claim reach the composite resource, but for kubectl's own: -want, +got:\n%s", diff)
	}
	if got := told(claim, "Ready") + ", " + told(claim, "ServerReady") + ", " + stringAt(claim, "status", "image"); got != "True Available, True PodReady, "+newer {
		t.Errorf("conditions and status flow to the claim, got %s", got)
	}
	if pod := podIn(c); pod == nil || metav1.GetControllerOf(pod).Name != xr.GetName() || pod.GetLabels()[labelClaimName] != "demo" {
		t.Errorf("the Pod stands in the claim's namespace, controlled by the composite resource, got %v", pod)
	}
	must(t, c.Annotate(kindServerClaim(), Namespace, "demo", "allow", ""))
	settled(t, c)
	if got := xServer(t, c).GetAnnotations()["allow"]; got != "" {
		t.Errorf("a removed annotation goes from the composite resource too, got %s", got)
	}
}

func TestClaimBackedKindIsDeleted(t *testing.T) {
	for _, propagation := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground} {
		t.Run(string(propagation), func(t *testing.T) {
			c := newClaimed(t)
			must(t, c.Delete(kindServerClaim(), Namespace, "demo", propagation))
			settled(t, c)
			for _, o := range []*unstructured.Unstructured{c.Get(kindServerClaim(), Namespace, "demo"), podIn(c), c.Get(kindObject(), Namespace, "demo-claim")} {
				if o != nil {
					t.Errorf("%s must be gone", store.KeyOf(o))
				}
			}
			if c.Get(kindClaim(), Namespace, "demo-1") == nil {
				t.Error("the claim of the volume must stay")
			}
		})
	}
	t.Run("RefusedByAPolicy", func(t *testing.T) {
		c := newClaimed(t)
		c.Admit(func(r *store.Request) error {
			if r.Verb == store.VerbDelete && r.Key.GVK == kindXServer() {
				return store.NewForbidden(r.Key, "ValidatingAdmissionPolicy 'guard' with binding 'guard' denied request: no")
			}
			return nil
		})
		must(t, c.Delete(kindServerClaim(), Namespace, "demo", ""))
		c.Advance(10_000_000_000)
		claim := c.Get(kindServerClaim(), Namespace, "demo")
		want := `False ReconcileError cannot delete bound composite resource: xsrvs.proto.example.org "` + xServer(t, c).GetName() + `" is forbidden: ValidatingAdmissionPolicy 'guard' with binding 'guard' denied request: no`
		if diff := cmp.Diff(want, told(claim, "Synced")); diff != "" {
			t.Errorf("Synced of the claim that hangs: -want, +got:\n%s", diff)
		}
	})
}
