package simulation

import (
	"maps"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

func kindQuota() schema.GroupVersionKind { return corev1.SchemeGroupVersion.WithKind("ResourceQuota") }

func kindNamespace() schema.GroupVersionKind { return corev1.SchemeGroupVersion.WithKind("Namespace") }

func (r *run) crossplaneDown(t *choice) bool {
	r.SetCrossplaneDown(t.coin())
	return true
}

// setQuota lets no more of one kind in. Somebody may delete the Pod then.
func (r *run) setQuota(t *choice) bool {
	kind := pick(t, []string{"pods", "pods", "configmaps", "services", "persistentvolumeclaims"})
	if kind == "pods" && t.coin() {
		defer r.deletePod(t)
	}
	return r.Apply(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": kindQuota().Kind, "metadata": map[string]any{"name": "few", "namespace": namespace},
		"spec": map[string]any{"hard": map[string]any{kind: "0"}},
	}}) == nil
}

func (r *run) breakImage(t *choice) bool {
	r.SetImageFault(pick(t, images()), pick(t, []simulator.ImageFault{{Pull: true}, {Exits: true, ExitCode: 101}, {Exits: true}, {NeverReady: true}}))
	return true
}

func (r *run) noNode(t *choice) bool {
	r.SetUnschedulable(t.coin())
	return true
}

func (r *run) deleteNamespace(*choice) bool { return r.DeleteNamespace(namespace) == nil }

func (r *run) createNamespace(*choice) bool {
	return r.Get(kindNamespace(), "", namespace) == nil && r.AddNamespace(namespace) == nil
}

// takeName of an object that the Chroma will need.
func (r *run) takeName(t *choice) bool {
	theirs := pick(t, []*unstructured.Unstructured{
		{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "demo-config", "namespace": namespace}}},
		{Object: map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "demo-rw", "namespace": namespace}}},
		observingObject("demo-claim"), observingObject("demo-ledger"),
		{Object: map[string]any{
			"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "demo-1", "namespace": namespace},
			"spec": map[string]any{"containers": []any{map[string]any{"name": "theirs", "image": "busybox:1"}}},
		}},
	})
	if r.exists() || r.Get(theirs.GroupVersionKind(), namespace, theirs.GetName()) != nil || r.Apply(theirs) != nil {
		return false
	}
	r.oracle.foreign[r.Get(theirs.GroupVersionKind(), namespace, theirs.GetName()).GetUID()] = true
	return true
}

// observingObject of somebody else, who watches a ConfigMap through it.
func observingObject(name string) *unstructured.Unstructured {
	kind := simulatorKindObject()
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind, "metadata": map[string]any{"name": name, "namespace": namespace},
		"spec": map[string]any{
			"managementPolicies": []any{"Observe"},
			"forProvider": map[string]any{"manifest": map[string]any{
				"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "theirs", "namespace": namespace},
			}},
		},
	}}
}

// createRival is a second Chroma, of the same name in the same namespace.
func (r *run) createRival(t *choice) bool {
	if r.backed || r.Get(kindRival, namespace, "demo") != nil {
		return false
	}
	rival := chromaOf("demo", pick(t, images()), func(c *chroma.Chroma) {
		c.Spec.PVCDeletionPolicy = pick(t, []chroma.PVCDeletionPolicy{chroma.PVCRetain, chroma.PVCRetain, chroma.PVCDelete})
	})
	rival.SetGroupVersionKind(kindRival)
	return r.Apply(rival) == nil
}

func (r *run) deleteRival(*choice) bool {
	return r.Delete(kindRival, namespace, "demo", metav1.DeletePropagationBackground) == nil
}

// restoreStatus of the XR as it was once.
func (r *run) restoreStatus(t *choice) bool {
	of := r.xr("demo")
	if of == nil {
		return false
	}
	if r.savedStatus == nil || r.savedStatus.GetUID() != of.GetUID() || t.between(0, 2) == 0 {
		r.savedStatus = of
		return false
	}
	status, found := r.savedStatus.Object["status"]
	if !found {
		return false
	}
	// As in a restored etcd the status is still Crossplane's: what another manager writes there Crossplane cannot take
	// away again by leaving it out.
	intent := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": of.GetAPIVersion(), "kind": of.GetKind(),
		"metadata": map[string]any{"name": of.GetName(), "namespace": of.GetNamespace()}, "status": status,
	}}
	_, err := r.Store().Apply(intent, store.Options{Actor: simulator.ActorUser, Manager: "apiextensions.crossplane.io/composite", Subresource: "status"})
	return err == nil
}

// restoreCluster as it was once. The volumes keep their data, so that what the records say may be less than what ran:
// that is outside the promise, and the truth starts anew from what the records say.
func (r *run) restoreCluster(t *choice) bool {
	if r.savedSnapshot == nil || t.between(0, 2) == 0 {
		r.savedSnapshot, r.savedForeign = r.Snapshot(), maps.Clone(r.oracle.foreign)
		return false
	}
	r.oracle.muted = true
	r.Restore(r.savedSnapshot)
	maps.Copy(r.oracle.foreign, r.savedForeign) // What was taken over since is somebody else's again.
	r.oracle.muted = false
	r.oracle.rebase()
	r.savedStatus = nil // It can be of a time after the snapshot, and is no older one then.
	return true
}

// rollFunction to a version with a newer schema of the record, and back.
func (r *run) rollFunction(*choice) bool {
	r.newer = !r.newer
	r.writtenNewer = r.writtenNewer || r.newer
	return true
}

// A function of a newer schema is the real one that reads newerSchema as its own.
const newerSchema = "2"

// translation of messages for a function of the newer schema. The cluster makes one message for each version of an object.
type translation map[*structpb.Struct]*structpb.Struct

// fromNewer is the request as a function of the newer schema understands it.
func (t translation) fromNewer(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	out := &fnv1.RunFunctionRequest{
		Meta: req.GetMeta(), Desired: req.GetDesired(), Context: req.GetContext(), Input: req.GetInput(),
		Observed: &fnv1.State{Composite: t.resource(req.GetObserved().GetComposite()), Resources: map[string]*fnv1.Resource{}},
	}
	for role, o := range req.GetObserved().GetResources() {
		out.Observed.Resources[role] = t.resource(o)
	}
	if req.GetRequiredResources() == nil {
		return out
	}
	out.RequiredResources = map[string]*fnv1.Resources{}
	for name, found := range req.GetRequiredResources() {
		items := &fnv1.Resources{}
		for _, o := range found.GetItems() {
			items.Items = append(items.Items, t.resource(o))
		}
		out.RequiredResources[name] = items
	}
	return out
}

func (t translation) resource(o *fnv1.Resource) *fnv1.Resource {
	known, found := t[o.GetResource()]
	if !found {
		known = proto.CloneOf(o.GetResource())
		reschema(known, newerSchema, "1")
		t[o.GetResource()] = known
	}
	return &fnv1.Resource{Resource: known}
}

// toNewer is the answer as it writes it.
func toNewer(rsp *fnv1.RunFunctionResponse) {
	reschema(rsp.GetDesired().GetComposite().GetResource(), "1", newerSchema)
	for _, o := range rsp.GetDesired().GetResources() {
		reschema(o.GetResource(), "1", newerSchema)
	}
}

func reschema(s *structpb.Struct, from, to string) {
	for key, value := range s.GetFields() {
		switch {
		case key == chroma.AnnotationDataSchema && value.GetStringValue() == from:
			s.Fields[key] = structpb.NewStringValue(to)
		case key == "dataSchema" && value.GetNumberValue() == float64(from[0]-'0'):
			s.Fields[key] = structpb.NewNumberValue(float64(to[0] - '0'))
		case key != "managedFields":
			reschema(value.GetStructValue(), from, to)
		}
	}
}
