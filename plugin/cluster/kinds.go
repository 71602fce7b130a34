package cluster

import (
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	vald "github.com/function-chroma/function-chroma/apis/vald/v1"
)

// Chroma as people write it.
func Chroma() schema.GroupVersionKind { return chroma.GroupVersionKind() }

// XChroma behind a claim.
func XChroma() schema.GroupVersionKind { return chroma.GroupVersion().WithKind(chroma.KindXChroma) }

// ValdOperatorRelease of the Vald part.
func ValdOperatorRelease() schema.GroupVersionKind { return vald.GroupVersionKind() }

// Pod of Kubernetes.
func Pod() schema.GroupVersionKind { return corev1.SchemeGroupVersion.WithKind("Pod") }

// PersistentVolumeClaim of Kubernetes.
func PersistentVolumeClaim() schema.GroupVersionKind {
	return corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
}

// Node of Kubernetes.
func Node() schema.GroupVersionKind { return corev1.SchemeGroupVersion.WithKind("Node") }

// Event of Kubernetes.
func Event() schema.GroupVersionKind { return corev1.SchemeGroupVersion.WithKind("Event") }

// StorageClass of Kubernetes.
func StorageClass() schema.GroupVersionKind {
	return storagev1.SchemeGroupVersion.WithKind("StorageClass")
}

// PriorityClass of Kubernetes.
func PriorityClass() schema.GroupVersionKind {
	return schedulingv1.SchemeGroupVersion.WithKind("PriorityClass")
}

// Object of provider-kubernetes.
func Object() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "kubernetes.m.crossplane.io", Version: "v1alpha1", Kind: "Object"}
}

// Composition of Crossplane.
func Composition() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "apiextensions.crossplane.io", Version: "v1", Kind: "Composition"}
}

// CompositionRevision of Crossplane: what a composite really uses.
func CompositionRevision() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "apiextensions.crossplane.io", Version: "v1", Kind: "CompositionRevision"}
}

// Function of Crossplane.
func Function() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "pkg.crossplane.io", Version: "v1", Kind: "Function"}
}

// FunctionRevision of Crossplane.
func FunctionRevision() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "pkg.crossplane.io", Version: "v1", Kind: "FunctionRevision"}
}

// DeploymentRuntimeConfig of Crossplane: the environment and the flags of a function.
func DeploymentRuntimeConfig() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "pkg.crossplane.io", Version: "v1beta1", Kind: "DeploymentRuntimeConfig"}
}
