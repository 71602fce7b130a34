package simulator

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Actors are the controllers of tasks, and who wrote a change.
const (
	ActorCrossplane = "crossplane"
	ActorClaims     = "crossplane-claims"
	ActorProvider   = "provider-kubernetes"
	ActorCollector  = "garbage-collector"
	ActorScheduler  = "scheduler"
	ActorKubelet    = "kubelet"
	ActorBinder     = "volume-binder"
	ActorNodes      = "node-lifecycle"
	ActorWorkloads  = "workloads"
	ActorSysDB      = "sysdb"
	ActorUser       = "user"
	// ActorHeld is the controller of the late writes of a pass that was held up; their actor is ActorCrossplane.
	ActorHeld = "crossplane-held"
)

// Phases, fields and names that several controllers know.
const (
	phaseBound     = string(corev1.ClaimBound)
	phaseRunning   = string(corev1.PodRunning)
	phaseFailed    = string(corev1.PodFailed)
	phaseSucceeded = string(corev1.PodSucceeded)

	subresourceStatus     = "status"
	fieldSpec             = "spec"
	fieldStatus           = "status"
	fieldObserved         = "observedGeneration"
	fieldRevision         = "compositionRevisionRef"
	groupObjects          = "kubernetes.m.crossplane.io"
	clusterProviderConfig = "ClusterProviderConfig"
)

// Kinds that the controllers know.

func kindNamespace() schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
}

func kindNode() schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: "v1", Kind: "Node"}
}

func kindPod() schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
}

func kindClaim() schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: "v1", Kind: "PersistentVolumeClaim"}
}

func kindQuota() schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: "v1", Kind: "ResourceQuota"}
}

func kindPriorityClass() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "scheduling.k8s.io", Version: "v1", Kind: "PriorityClass"}
}

func kindStorageClass() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "storage.k8s.io", Version: "v1", Kind: "StorageClass"}
}

func kindObject() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: groupObjects, Version: "v1alpha1", Kind: "Object"}
}

func kindClusterProviderConfig() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: groupObjects, Version: "v1alpha1", Kind: clusterProviderConfig}
}

func kindProviderConfig() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: groupObjects, Version: "v1alpha1", Kind: "ProviderConfig"}
}

// clusterScoped kinds that somebody might compose.
func clusterScoped(kind schema.GroupVersionKind) bool {
	switch kind.Kind {
	case "Namespace", "Node", "PersistentVolume", "StorageClass", "PriorityClass", "ClusterRole", "ClusterRoleBinding",
		"CustomResourceDefinition", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding":
		return true
	}
	return false
}

// object with the given content. Metadata in the content is kept.
func object(kind schema.GroupVersionKind, namespace, name string, content map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	maps.Copy(u.Object, content)
	u.SetGroupVersionKind(kind)
	u.SetName(name)
	if namespace != "" {
		u.SetNamespace(namespace)
	}
	return u
}

// at reads a nested value of a shared object without copying it.
func at(object *unstructured.Unstructured, path ...string) any {
	if object == nil {
		return nil
	}
	var value any = object.Object
	for _, p := range path {
		m, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = m[p]
	}
	return value
}

func stringAt(object *unstructured.Unstructured, path ...string) string {
	s, _ := at(object, path...).(string)
	return s
}

func listAt(object *unstructured.Unstructured, path ...string) []any {
	l, _ := at(object, path...).([]any)
	return l
}

func mapAt(object *unstructured.Unstructured, path ...string) map[string]any {
	m, _ := at(object, path...).(map[string]any)
	return m
}

func deleting(object *unstructured.Unstructured) bool {
	return stringAt(object, "metadata", "deletionTimestamp") != ""
}

func hasOwners(object *unstructured.Unstructured) bool {
	return len(listAt(object, "metadata", "ownerReferences")) > 0
}

func uidOf(object *unstructured.Unstructured) string { return stringAt(object, "metadata", "uid") }
