// Package previous recovers our own previous intent of an observed object.
//
// To keep an object as it is, a function sends back what it sent before. What that was stands in the object itself: the
// API server records in managedFields which fields each manager applied, and client-go's Extract functions cut them
// out. Sending the result back changes nothing, so edits and webhooks of others survive. A field of ours that is
// missing was taken over by somebody else.
package previous

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applybatchv1 "k8s.io/client-go/applyconfigurations/batch/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applyrbacv1 "k8s.io/client-go/applyconfigurations/rbac/v1"
)

// ManagerPrefix begins the field manager with which Crossplane applies composed objects: the prefix and 64 hex digits,
// one per XR.
const ManagerPrefix = "apiextensions.crossplane.io/composed/"

// Manager under which Crossplane applied the object.
//
// An object that was orphaned and taken over has an entry of each XR. The newest is that of the one that composes it now.
func Manager(object metav1.Object) (string, bool) {
	var newest *metav1.ManagedFieldsEntry
	entries := object.GetManagedFields()
	for i := range entries {
		entry := &entries[i]
		if entry.Operation != metav1.ManagedFieldsOperationApply || entry.Subresource != "" || !strings.HasPrefix(entry.Manager, ManagerPrefix) {
			continue
		}
		if newest == nil || newest.Time.Before(entry.Time) {
			newest = entry
		}
	}
	if newest == nil {
		return "", false
	}
	return newest.Manager, true
}

// Pod recovers the intent of a Pod.
func Pod(pod *corev1.Pod) (*applycorev1.PodApplyConfiguration, error) {
	manager, ok := Manager(pod)
	if !ok {
		return nil, fmt.Errorf("cannot recover the previous intent of Pod %q: Crossplane applied none of its fields", pod.GetName())
	}
	intent, err := applycorev1.ExtractPod(pod, manager)
	if err != nil {
		return nil, fmt.Errorf("cannot recover the previous intent of Pod %q: %w", pod.GetName(), err)
	}
	return intent, nil
}

// Intent recovers the intent of any observed object: extracted where client-go has an extractor, else the object less
// its status and system metadata. An object that carries no managedFields of Crossplane (offline rendering) is
// treated like the latter.
func Intent(observed *unstructured.Unstructured) (any, error) {
	manager, ok := Manager(observed)
	if !ok {
		return Trimmed(observed), nil
	}
	intent, err := extract(observed, manager)
	if err != nil {
		return nil, fmt.Errorf("cannot recover the previous intent of %s %q: %w", observed.GetKind(), observed.GetName(), err)
	}
	if intent == nil {
		return Trimmed(observed), nil
	}
	return intent, nil
}

// extract by kind. It returns nil for a kind without an extractor.
func extract(observed *unstructured.Unstructured, manager string) (any, error) {
	switch observed.GroupVersionKind() {
	case corev1.SchemeGroupVersion.WithKind("Pod"):
		return extractInto(observed, manager, &corev1.Pod{}, applycorev1.ExtractPod)
	case corev1.SchemeGroupVersion.WithKind("Service"):
		return extractInto(observed, manager, &corev1.Service{}, applycorev1.ExtractService)
	case corev1.SchemeGroupVersion.WithKind("ConfigMap"):
		return extractInto(observed, manager, &corev1.ConfigMap{}, applycorev1.ExtractConfigMap)
	case corev1.SchemeGroupVersion.WithKind("ServiceAccount"):
		return extractInto(observed, manager, &corev1.ServiceAccount{}, applycorev1.ExtractServiceAccount)
	case appsv1.SchemeGroupVersion.WithKind("Deployment"):
		return extractInto(observed, manager, &appsv1.Deployment{}, applyappsv1.ExtractDeployment)
	case appsv1.SchemeGroupVersion.WithKind("StatefulSet"):
		return extractInto(observed, manager, &appsv1.StatefulSet{}, applyappsv1.ExtractStatefulSet)
	case batchv1.SchemeGroupVersion.WithKind("Job"):
		return extractInto(observed, manager, &batchv1.Job{}, applybatchv1.ExtractJob)
	case rbacv1.SchemeGroupVersion.WithKind("Role"):
		return extractInto(observed, manager, &rbacv1.Role{}, applyrbacv1.ExtractRole)
	case rbacv1.SchemeGroupVersion.WithKind("RoleBinding"):
		return extractInto(observed, manager, &rbacv1.RoleBinding{}, applyrbacv1.ExtractRoleBinding)
	}
	return nil, nil //nolint:nilnil // No extractor is an answer here, not an error.
}

func extractInto[T runtime.Object, A any](observed *unstructured.Unstructured, manager string, into T, extractor func(T, string) (A, error)) (any, error) {
	// The observed numbers are float64. The converter copes, the accessors of unstructured objects would read 0.
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(observed.Object, into); err != nil {
		return nil, fmt.Errorf("cannot convert it: %w", err)
	}
	return extractor(into, manager)
}

// Trimmed is the observed object less its status and the metadata that the API server or Crossplane set.
func Trimmed(observed *unstructured.Unstructured) map[string]any {
	trimmed := make(map[string]any, len(observed.Object))
	for key, value := range observed.Object {
		if key != "status" && key != "metadata" {
			trimmed[key] = value
		}
	}
	metadata := map[string]any{"name": observed.GetName()}
	if namespace := observed.GetNamespace(); namespace != "" {
		metadata["namespace"] = namespace
	}
	if labels := observed.GetLabels(); len(labels) > 0 {
		metadata["labels"] = toAny(labels)
	}
	if annotations := observed.GetAnnotations(); len(annotations) > 0 {
		metadata["annotations"] = toAny(annotations)
	}
	trimmed["metadata"] = metadata
	return trimmed
}

func toAny(values map[string]string) map[string]any {
	out := make(map[string]any, len(values))
	for key, value := range values {
		out[key] = value
	}
	return out
}
