package simulator

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// objectFor is an Object for a claim, as a user would apply it.
func objectFor(name string, policies []any, manifest map[string]any) *unstructured.Unstructured {
	manifest["apiVersion"], manifest["kind"] = "v1", "PersistentVolumeClaim"
	return object(kindObject(), Namespace, name, map[string]any{"spec": map[string]any{
		"managementPolicies": policies, "providerConfigRef": map[string]any{"name": "default", "kind": "ProviderConfig"},
		"forProvider": map[string]any{"manifest": manifest},
	}})
}

func claimManifest(size string, annotations map[string]any, metadata map[string]any) map[string]any {
	m := map[string]any{"name": "k9-pvc", "namespace": Namespace}
	if annotations != nil {
		m["annotations"] = annotations
	}
	maps.Copy(m, metadata)
	manifest := map[string]any{"metadata": m}
	if size != "" {
		manifest["spec"] = map[string]any{"accessModes": []any{"ReadWriteOnce"}, "resources": map[string]any{"requests": map[string]any{"storage": size}}}
	}
	return manifest
}

func withoutDelete() []any { return []any{"Observe", "Create", "Update"} }
func withoutCreate() []any { return []any{"Observe", "Update"} }
func everything() []any    { return []any{"*"} }

func pvc(c *Cluster) *unstructured.Unstructured { return c.Get(kindClaim(), Namespace, "k9-pvc") }
func obj(c *Cluster) *unstructured.Unstructured { return c.Get(kindObject(), Namespace, "k9") }

// bound makes the claim Bound with its requested size.
func bound(t *testing.T, c *Cluster) {
	t.Helper()
	must(t, c.Edit(kindClaim(), Namespace, "k9-pvc", managerScheduler, func(o *unstructured.Unstructured) {
		o.SetAnnotations(with(o.GetAnnotations(), annotationNode, "node-1"))
	}))
	settled(t, c)
	if got := stringAt(pvc(c), "status", "phase"); got != "Bound" {
		t.Fatalf("phase: got %s", got)
	}
}

func TestProviderKubernetes(t *testing.T) {
	cases := map[string]struct {
		reason string
		run    func(*testing.T, *Cluster)
	}{
		"CreatesAndCopiesToStatus": {
			reason: "The claim appears, its copy stands in the Object's status, Ready and Synced are True.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("1Gi", map[string]any{"serial": "1"}, nil)))
				got := told(obj(c), "Ready") + ", " + told(obj(c), "Synced") + ", " + stringAt(obj(c), "status", "atProvider", "manifest", "metadata", "uid")
				if diff := cmp.Diff("True Available, True ReconcileSuccess, "+uidOf(pvc(c)), got); diff != "" {
					t.Errorf("Object: -want, +got:\n%s", diff)
				}
				if !slices.ContainsFunc(pvc(c).GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool {
					return e.Manager == "provider-kubernetes/k9" && e.Operation == metav1.ManagedFieldsOperationApply
				}) {
					t.Errorf("manager: got %v", pvc(c).GetManagedFields())
				}
			},
		},
		"ManifestChangeReachesTheClaimWithin100Milliseconds": {
			reason: "An annotation in the manifest is on the claim at once, and in the Object's status.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("1Gi", map[string]any{"serial": "1"}, nil)))
				must(t, c.Apply(objectFor("k9", withoutDelete(), claimManifest("1Gi", map[string]any{"serial": "2"}, nil))))
				c.Advance(100 * time.Millisecond)
				got := pvc(c).GetAnnotations()["serial"] + stringAt(obj(c), "status", "atProvider", "manifest", "metadata", "annotations", "serial")
				if got != "22" {
					t.Errorf("serial on the claim and in the status: got %s", got)
				}
			},
		},
		"ClaimsOwnChangesAreSeenAtThePoll": {
			reason: "The Object's copy is as old as ten minutes; the Object of a deleted claim says Ready and Synced until then.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("1Gi", nil, map[string]any{})))
				c.Advance(time.Minute)
				first := pvc(c).GetUID()
				must(t, c.Delete(kindClaim(), Namespace, "k9-pvc", ""))
				c.Advance(8 * time.Minute)
				if pvc(c) != nil || told(obj(c), "Ready") != "True Available" || told(obj(c), "Synced") != "True ReconcileSuccess" {
					t.Errorf("before the poll: %v %s %s", pvc(c), told(obj(c), "Ready"), told(obj(c), "Synced"))
				}
				c.Advance(3 * time.Minute)
				if pvc(c) == nil || pvc(c).GetUID() == first {
					t.Error("after the poll a new, empty claim must be there")
				}
			},
		},
		"UpdateAloneCreatesALostClaim": {
			reason: "The provider's update is a server-side apply, which creates: leaving out Create does not protect.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("1Gi", nil, nil)))
				applied(t, c, objectFor("k9", withoutCreate(), claimManifest("1Gi", nil, nil)))
				c.Advance(time.Minute)
				must(t, c.Delete(kindClaim(), Namespace, "k9-pvc", ""))
				c.Advance(11 * time.Minute)
				if pvc(c) == nil {
					t.Error("the claim must be made anew")
				}
				if !slices.ContainsFunc(c.Events(), func(e Event) bool { return e.Reason == "UpdatedExternalResource" }) {
					t.Errorf("events: %v", c.Events())
				}
			},
		},
		"YoungObjectsWaitForExistence": {
			reason: "A claim that vanishes within 30 s of its creation is waited for.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("1Gi", nil, nil)))
				must(t, c.Delete(kindClaim(), Namespace, "k9-pvc", ""))
				c.Advance(time.Second)
				must(t, c.Annotate(kindObject(), Namespace, "k9", "look", "again"))
				c.Advance(10 * time.Second)
				if pvc(c) != nil || !slices.ContainsFunc(c.Events(), func(e Event) bool {
					return e.Reason == "PendingExternalResource" && e.Message == "Waiting for external resource existence to be confirmed"
				}) {
					t.Errorf("claim %v, events %v", pvc(c), c.Events())
				}
			},
		},
		"UIDInTheManifestGuardsAgainstUpdate": {
			reason: "With the claim's UID in the manifest nothing is made in its place; Ready stays True without Create.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("1Gi", nil, nil)))
				uid := uidOf(pvc(c))
				applied(t, c, objectFor("k9", withoutCreate(), claimManifest("1Gi", map[string]any{"serial": "1"}, map[string]any{"uid": uid})))
				if pvc(c).GetAnnotations()["serial"] != "1" {
					t.Error("with the right UID annotations go on as before")
				}
				must(t, c.Delete(kindClaim(), Namespace, "k9-pvc", ""))
				c.Advance(11 * time.Minute)
				want := `True Available, False ReconcileError update failed: cannot apply object: cannot create object: Operation cannot be fulfilled on persistentvolumeclaims "k9-pvc": uid mismatch: the provided object specified uid ` + uid + `, and no existing object was found`
				if diff := cmp.Diff(want, told(obj(c), "Ready")+", "+told(obj(c), "Synced")); diff != "" || pvc(c) != nil {
					t.Errorf("claim %v, Object: -want, +got:\n%s", pvc(c), diff)
				}
			},
		},
		"UIDInTheManifestGuardsAgainstCreate": {
			reason: "The same with Create: Ready turns False.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("1Gi", nil, nil)))
				uid := uidOf(pvc(c))
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("1Gi", nil, map[string]any{"uid": uid})))
				must(t, c.Delete(kindClaim(), Namespace, "k9-pvc", ""))
				c.Advance(11 * time.Minute)
				want := `False Creating, False ReconcileError create failed: cannot create object: cannot create object: Operation cannot be fulfilled on persistentvolumeclaims "k9-pvc": uid mismatch: the provided object specified uid ` + uid + `, and no existing object was found`
				if diff := cmp.Diff(want, told(obj(c), "Ready")+", "+told(obj(c), "Synced")); diff != "" || pvc(c) != nil {
					t.Errorf("claim %v, Object: -want, +got:\n%s", pvc(c), diff)
				}
			},
		},
		"ExistingClaimIsAdoptedByForce": {
			reason: "What the manifest names is overwritten, other labels and annotations stay.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				manifest := claimManifest("1Gi", map[string]any{"serial": "99", "theirs": "1"}, nil)
				must(t, c.Apply(object(kindClaim(), Namespace, "k9-pvc", map[string]any{"metadata": manifest["metadata"], "spec": manifest["spec"]})))
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("1Gi", map[string]any{"serial": "1"}, nil)))
				if got := pvc(c).GetAnnotations(); got["serial"] != "1" || got["theirs"] != "1" {
					t.Errorf("annotations: got %v", got)
				}
			},
		},
		"QuotaRefusesTheCreation": {
			reason: "Synced=False with these words, Ready=False Creating.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				must(t, c.Apply(object(kindQuota(), Namespace, "few", map[string]any{"spec": map[string]any{"hard": map[string]any{"persistentvolumeclaims": "0"}}})))
				must(t, c.Apply(objectFor("k9", withoutDelete(), claimManifest("1Gi", nil, nil))))
				c.Advance(5 * time.Second)
				want := `False Creating, False ReconcileError create failed: cannot create object: cannot create object: persistentvolumeclaims "k9-pvc" is forbidden: exceeded quota: few, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=0, limited: persistentvolumeclaims=0`
				if diff := cmp.Diff(want, told(obj(c), "Ready")+", "+told(obj(c), "Synced")); diff != "" {
					t.Errorf("Object: -want, +got:\n%s", diff)
				}
			},
		},
		"ShrunkSizeHoldsBackItsAnnotations": {
			reason: "A smaller size is refused in the dry run; Ready stays True and the manifest's annotations are not written.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("2Gi", map[string]any{"serial": "1"}, nil)))
				bound(t, c)
				must(t, c.Apply(objectFor("k9", withoutDelete(), claimManifest("1Gi", map[string]any{"serial": "2"}, nil))))
				c.Advance(5 * time.Second)
				want := `1, True Available, False ReconcileError observe failed: cannot get desired state: cannot dry run SSA: PersistentVolumeClaim "k9-pvc" is invalid: spec.resources.requests.storage: Forbidden: field can not be less than status.capacity`
				if diff := cmp.Diff(want, pvc(c).GetAnnotations()["serial"]+", "+told(obj(c), "Ready")+", "+told(obj(c), "Synced")); diff != "" {
					t.Errorf("Object: -want, +got:\n%s", diff)
				}
			},
		},
		"PendingClaimsCannotChangeTheirSize": {
			reason: "While a claim is Pending its spec is immutable.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("1Gi", nil, nil)))
				must(t, c.Apply(objectFor("k9", withoutDelete(), claimManifest("2Gi", nil, nil))))
				c.Advance(5 * time.Second)
				if got := told(obj(c), "Synced"); !strings.HasSuffix(got, `PersistentVolumeClaim "k9-pvc" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims`) {
					t.Errorf("Synced: got %s", got)
				}
			},
		},
		"BoundClaimsGrow": {
			reason: "A larger size reaches the claim's capacity when its class allows it.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("1Gi", nil, nil)))
				bound(t, c)
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("3Gi", nil, nil)))
				if got := stringAt(pvc(c), "status", "capacity", "storage"); got != "3Gi" {
					t.Errorf("capacity: got %s", got)
				}
			},
		},
		"SecondObjectForTheLedger": {
			reason: "An Object with name, UID and annotations alone works beside the first, also while the first one's size is refused.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("2Gi", map[string]any{"serial": "1"}, nil)))
				bound(t, c)
				uid := map[string]any{"uid": uidOf(pvc(c))}
				must(t, c.Apply(objectFor("k9", withoutDelete(), claimManifest("1Gi", map[string]any{"serial": "2"}, uid))))
				must(t, c.Apply(objectFor("k9-ledger", withoutCreate(), claimManifest("", map[string]any{"version": "1.5.9"}, uid))))
				c.Advance(10 * time.Second)
				if got := pvc(c).GetAnnotations(); got["version"] != "1.5.9" || got["serial"] != "1" {
					t.Errorf("annotations: got %v", got)
				}
				if got := told(c.Get(kindObject(), Namespace, "k9-ledger"), "Synced"); got != "True ReconcileSuccess" {
					t.Errorf("Synced of the ledger: got %s", got)
				}
			},
		},
		"NoProviderConfig": {
			reason: "Without its ProviderConfig an Object has no finalizer yet and goes at once.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				must(t, c.Delete(kindProviderConfig(), Namespace, "default", ""))
				must(t, c.Apply(objectFor("k9", withoutDelete(), claimManifest("1Gi", nil, nil))))
				c.Advance(time.Second)
				if got := told(obj(c), "Synced"); got != `False ReconcileError connect failed: cannot get provider config: ProviderConfig.kubernetes.m.crossplane.io "default" not found` {
					t.Errorf("Synced: got %s", got)
				}
				must(t, c.Delete(kindObject(), Namespace, "k9", ""))
				if obj(c) != nil {
					t.Error("the Object must be gone")
				}
			},
		},
		"WithoutUpdateNothingIsOverwritten": {
			reason: "[Observe, Create, Delete]: what differs from the manifest stays, and Synced is True.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", []any{"Observe", "Create", "Delete"}, claimManifest("1Gi", map[string]any{"serial": "1"}, nil)))
				must(t, c.Annotate(kindClaim(), Namespace, "k9-pvc", "serial", "2"))
				must(t, c.Annotate(kindObject(), Namespace, "k9", "look", "again"))
				c.Advance(11 * time.Minute)
				if got := pvc(c).GetAnnotations()["serial"] + " " + told(obj(c), "Synced"); got != "2 True ReconcileSuccess" {
					t.Errorf("want the annotation of the other, got %s", got)
				}
			},
		},
		"WithoutDeleteTheClaimStays": {
			reason: "[Observe, Create, Update]: the claim outlives its Object, also when the provider was down meanwhile.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", withoutDelete(), claimManifest("1Gi", nil, nil)))
				c.SetProviderDown(true)
				must(t, c.Delete(kindObject(), Namespace, "k9", metav1.DeletePropagationForeground))
				c.Advance(time.Minute)
				if obj(c) == nil {
					t.Error("the Object must wait with its finalizer")
				}
				c.SetProviderDown(false)
				c.Advance(17 * time.Second)
				if obj(c) != nil || pvc(c) == nil {
					t.Errorf("want the Object gone and the claim there, got %v, %v", obj(c), pvc(c))
				}
			},
		},
		"WithDeleteTheClaimGoesAfterItsFirst30Seconds": {
			reason: "An Object with Delete that is deleted in its first 30 s goes only after that time.",
			run: func(t *testing.T, c *Cluster) {
				t.Helper()
				applied(t, c, objectFor("k9", everything(), claimManifest("1Gi", nil, nil)))
				must(t, c.Delete(kindObject(), Namespace, "k9", ""))
				c.Advance(20 * time.Second)
				if obj(c) == nil || pvc(c) != nil {
					t.Errorf("after 20 s: want the Object and no claim, got %v, %v", obj(c), pvc(c))
				}
				c.Advance(45 * time.Second)
				if obj(c) != nil {
					t.Error("after a minute the Object must be gone")
				}
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			c := newFake(t, &fake{}, nil)
			settled(t, c)
			tc.run(t, c)
		})
	}
}
