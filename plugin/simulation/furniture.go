package simulation

import (
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/settings"
)

// Kinds that the scene needs beside those of the function.
func kindNamespace() schema.GroupVersionKind { return corev1.SchemeGroupVersion.WithKind("Namespace") }

func kindStorageClass() schema.GroupVersionKind {
	return storagev1.SchemeGroupVersion.WithKind("StorageClass")
}

// ProviderConfig of provider-kubernetes that settings refer to.
func ProviderConfig(namespace string, of settings.ProviderConfig) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: "kubernetes.m.crossplane.io", Version: "v1alpha1", Kind: of.Kind})
	u.SetName(of.Name)
	if of.Kind == "ProviderConfig" {
		u.SetNamespace(namespace)
	}
	return u
}

// Furniture is what a composite takes for granted: its namespace, and the classes of its claim and of its Pod.
func Furniture(composite *unstructured.Unstructured) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, namespace := range []string{composite.GetNamespace(), text(composite, "spec", "claimRef", "namespace")} {
		if namespace != "" {
			out = append(out, named(kindNamespace(), namespace))
		}
	}
	if class := text(composite, "spec", "storage", "storageClass"); class != "" && composite.GroupVersionKind().Group == chroma.Group {
		of := named(kindStorageClass(), class)
		of.Object["provisioner"] = "csi.example.org"
		of.Object["allowVolumeExpansion"] = true
		of.Object["volumeBindingMode"] = string(storagev1.VolumeBindingWaitForFirstConsumer)
		out = append(out, of)
	}
	if class := text(composite, "spec", "priorityClassName"); class != "" && composite.GroupVersionKind().Group == chroma.Group {
		out = append(out, named(schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"), class))
	}
	return out
}

// Node that is ready.
func Node(name string) *unstructured.Unstructured {
	of := named(corev1.SchemeGroupVersion.WithKind("Node"), name)
	of.Object["spec"] = map[string]any{}
	of.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True", "reason": "KubeletReady"}}}
	return of
}

func named(kind schema.GroupVersionKind, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(kind)
	u.SetName(name)
	return u
}

func text(object *unstructured.Unstructured, path ...string) string {
	value, _, _ := unstructured.NestedString(object.Object, path...)
	return value
}
