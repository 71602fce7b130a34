// Package previous recovers our own previous intent of an observed object.
//
// To keep an object as it is, a function sends back what it sent before. What that was stands in the object itself: the
// API server records in managedFields which fields each manager applied, and client-go's Extract functions cut them
// out. Sending the result back changes nothing, so edits and webhooks of others survive. A field of ours that is
// missing was taken over by somebody else.
package previous

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/applyconfigurations"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// ManagerPrefix begins the field manager with which Crossplane applies composed objects: the prefix and 64 hex digits,
// one per XR.
const ManagerPrefix = "apiextensions.crossplane.io/composed/"

// Manager under which Crossplane applied the object.
//
// An object that was orphaned and taken over has an entry of each XR. The newest is that of the one that composes it now.
func Manager(observed *unstructured.Unstructured) (string, bool) {
	entry := newest(observed)
	manager, _ := entry["manager"].(string)
	return manager, entry != nil
}

// newest entry that Crossplane's apply left in managedFields, as it stands there: reading all of them as the typed
// entries of an object's accessor would encode each set of fields again.
func newest(observed *unstructured.Unstructured) map[string]any {
	entries, _, _ := unstructured.NestedFieldNoCopy(observed.Object, "metadata", "managedFields")
	list, _ := entries.([]any)
	var found map[string]any
	var since time.Time
	for _, item := range list {
		entry, _ := item.(map[string]any)
		manager, _ := entry["manager"].(string)
		subresource, _ := entry["subresource"].(string)
		if entry["operation"] != string(metav1.ManagedFieldsOperationApply) || subresource != "" || !strings.HasPrefix(manager, ManagerPrefix) {
			continue
		}
		text, _ := entry["time"].(string)
		at, _ := time.Parse(time.RFC3339, text) // Without a time it is the oldest.
		if found == nil || since.Before(at) {
			found, since = entry, at
		}
	}
	return found
}

// Owners of a field: the managers that have set it, other than through a subresource.
func Owners(observed *unstructured.Unstructured, path ...string) []string {
	fields := []string{"fieldsV1"}
	for _, name := range path {
		fields = append(fields, "f:"+name)
	}
	entries, _, _ := unstructured.NestedFieldNoCopy(observed.Object, "metadata", "managedFields")
	list, _ := entries.([]any)
	var owners []string
	for _, item := range list {
		entry, _ := item.(map[string]any)
		if subresource, _ := entry["subresource"].(string); subresource != "" {
			continue
		}
		if _, owns, _ := unstructured.NestedFieldNoCopy(entry, fields...); owns {
			manager, _ := entry["manager"].(string)
			owners = append(owners, manager)
		}
	}
	return owners
}

// Intent recovers the intent of any observed object: extracted where client-go knows the kind, else the object less its
// status and system metadata. An object that carries no managedFields of Crossplane (offline rendering) is treated like
// the latter.
func Intent(observed *unstructured.Unstructured) (map[string]any, error) {
	entry, like := newest(observed), example(observed.GroupVersionKind())
	if entry == nil || like == nil {
		return Trimmed(observed), nil
	}
	intent, err := extract(observed, entry, like)
	if err != nil {
		return nil, fmt.Errorf("cannot recover the previous intent of %s %q: %w", observed.GetKind(), observed.GetName(), err)
	}
	return intent, nil
}

// Reads tells whether anybody reads the managedFields of a kind: to extract an intent, or to see who made a claim.
func Reads(kind schema.GroupVersionKind) bool {
	return example(kind) != nil || kind == corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
}

// example of a kind whose fields are extracted, nil for others.
func example(kind schema.GroupVersionKind) runtime.Object {
	switch kind {
	case corev1.SchemeGroupVersion.WithKind("Pod"):
		return &corev1.Pod{}
	case corev1.SchemeGroupVersion.WithKind("Service"):
		return &corev1.Service{}
	case corev1.SchemeGroupVersion.WithKind("ConfigMap"):
		return &corev1.ConfigMap{}
	case corev1.SchemeGroupVersion.WithKind("ServiceAccount"):
		return &corev1.ServiceAccount{}
	case appsv1.SchemeGroupVersion.WithKind("Deployment"):
		return &appsv1.Deployment{}
	case appsv1.SchemeGroupVersion.WithKind("StatefulSet"):
		return &appsv1.StatefulSet{}
	case batchv1.SchemeGroupVersion.WithKind("Job"):
		return &batchv1.Job{}
	case rbacv1.SchemeGroupVersion.WithKind("Role"):
		return &rbacv1.Role{}
	case rbacv1.SchemeGroupVersion.WithKind("RoleBinding"):
		return &rbacv1.RoleBinding{}
	}
	return nil
}

// extract the fields of one entry of managedFields. It is what client-go's Extract functions do, on the object as it was
// observed: they would take it as a typed one, and give back another.
func extract(observed *unstructured.Unstructured, entry map[string]any, like runtime.Object) (map[string]any, error) {
	raw, err := json.Marshal(entry["fieldsV1"])
	if err != nil {
		return nil, fmt.Errorf("cannot encode its managed fields: %w", err)
	}
	fields := &fieldpath.Set{}
	if err := fields.FromJSON(bytes.NewReader(raw)); err != nil {
		return nil, fmt.Errorf("cannot read its managed fields: %w", err)
	}
	object, err := read(&unstructured.Unstructured{Object: bare(observed)}, like)
	if err != nil {
		return nil, fmt.Errorf("cannot read it as its type: %w", err)
	}
	intent, ok := object.ExtractItems(fields.Leaves()).AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, errors.New("its managed fields are of something else")
	}
	out := &unstructured.Unstructured{Object: intent}
	out.SetGroupVersionKind(observed.GroupVersionKind())
	out.SetName(observed.GetName())
	out.SetNamespace(observed.GetNamespace())
	return intent, nil
}

// read an object as a value of its type. A newer Kubernetes or a webhook can set fields that this client does not know:
// then it is read through the type, which leaves them out. Lists can have items with the same key, like two variables of
// one name.
func read(observed *unstructured.Unstructured, like runtime.Object) (*typed.TypedValue, error) {
	kinds := runtime.NewScheme()
	kinds.AddKnownTypeWithName(observed.GroupVersionKind(), like)
	converter := applyconfigurations.NewTypeConverter(kinds)
	object, err := converter.ObjectToTyped(observed, typed.AllowDuplicates)
	if err == nil {
		return object, nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(observed.Object, like); err != nil {
		return nil, err //nolint:wrapcheck // The caller says what could not be read.
	}
	return converter.ObjectToTyped(like, typed.AllowDuplicates) //nolint:wrapcheck // The same.
}

// bare is an object less its status and managedFields, of which nothing is extracted.
func bare(observed *unstructured.Unstructured) map[string]any {
	out := maps.Clone(observed.Object)
	delete(out, "status")
	if metadata, ok := out["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		delete(metadata, "managedFields")
		out["metadata"] = metadata
	}
	return out
}

// externalCreate begins the annotations by which a provider knows how far the creation of an external resource has come. One
// that is sent back late would have it create another, or refuse to go on.
const externalCreate = "crossplane.io/external-create-"

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
	annotations := observed.GetAnnotations()
	maps.DeleteFunc(annotations, func(key, _ string) bool { return strings.HasPrefix(key, externalCreate) })
	if len(annotations) > 0 {
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
