package simulator

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// Field managers of kubectl's commands.
const (
	ManagerApply    = "kubectl-server-side-apply"
	ManagerSet      = "kubectl-set"
	ManagerEdit     = "kubectl-edit"
	ManagerLabel    = "kubectl-label"
	ManagerAnnotate = "kubectl-annotate"
)

// Apply objects as a user does with kubectl apply --server-side --force-conflicts. A status among them is written too,
// for objects that are given as observed.
func (c *Cluster) Apply(objects ...*unstructured.Unstructured) error {
	for _, o := range objects {
		intent := o.DeepCopy()
		normalize(intent.Object)
		for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"} {
			unstructured.RemoveNestedField(intent.Object, "metadata", field)
		}
		stored, err := c.store.Apply(intent, store.Options{Actor: ActorUser, Manager: ManagerApply})
		if err != nil {
			return fmt.Errorf("cannot apply %s: %w", store.KeyOf(o), err)
		}
		if status, found := intent.Object["status"]; found {
			observed := stored.DeepCopy()
			observed.Object["status"] = status
			if _, err := c.store.Update(observed, store.Options{Actor: ActorUser, Manager: ManagerEdit, Subresource: subresourceStatus}); err != nil {
				return fmt.Errorf("cannot set the status of %s: %w", store.KeyOf(o), err)
			}
		}
	}
	return nil
}

// normalize makes all whole numbers int64, which the store compares.
func normalize(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for k, inner := range v {
			v[k] = normalize(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = normalize(inner)
		}
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return value
}

// Edit an object as a user of the manager does, with operation Update.
func (c *Cluster) Edit(kind schema.GroupVersionKind, namespace, name, manager string, change func(*unstructured.Unstructured)) error {
	key := store.Key{GVK: kind, Namespace: namespace, Name: name}
	live, err := c.store.Get(key)
	if err != nil {
		return err
	}
	changed := live.DeepCopy()
	change(changed)
	normalize(changed.Object)
	_, err = c.store.Update(changed, store.Options{Actor: ActorUser, Manager: manager})
	return err
}

// SetImage is kubectl set image on a Pod's first container.
func (c *Cluster) SetImage(namespace, pod, image string) error {
	return c.Edit(kindPod(), namespace, pod, ManagerSet, func(o *unstructured.Unstructured) {
		for _, container := range listAt(o, "spec", "containers") {
			if first, ok := container.(map[string]any); ok {
				first["image"] = image
				return
			}
		}
	})
}

// Annotate is kubectl annotate; an empty value removes the annotation.
func (c *Cluster) Annotate(kind schema.GroupVersionKind, namespace, name, key, value string) error {
	return c.Edit(kind, namespace, name, ManagerAnnotate, func(o *unstructured.Unstructured) {
		o.SetAnnotations(with(o.GetAnnotations(), key, value))
	})
}

// Label is kubectl label; an empty value removes the label.
func (c *Cluster) Label(kind schema.GroupVersionKind, namespace, name, key, value string) error {
	return c.Edit(kind, namespace, name, ManagerLabel, func(o *unstructured.Unstructured) {
		o.SetLabels(with(o.GetLabels(), key, value))
	})
}

func with(values map[string]string, key, value string) map[string]string {
	if values == nil {
		values = map[string]string{}
	}
	if value == "" {
		delete(values, key)
	} else {
		values[key] = value
	}
	return values
}

// Delete is kubectl delete with --cascade=background, foreground or orphan.
func (c *Cluster) Delete(kind schema.GroupVersionKind, namespace, name string, propagation metav1.DeletionPropagation) error {
	return c.store.Delete(store.Key{GVK: kind, Namespace: namespace, Name: name}, store.DeleteOptions{Actor: ActorUser, Propagation: propagation})
}

// ForceDeletePod is kubectl delete --force --grace-period=0: the Pod is gone from the API while its server still runs.
func (c *Cluster) ForceDeletePod(namespace, name string) error {
	pod := c.Get(kindPod(), namespace, name)
	if pod != nil {
		for _, v := range c.volumes {
			for i := range v.Openings {
				if v.Openings[i].Pod == pod.GetUID() && v.Openings[i].Closed.IsZero() {
					v.Openings[i].Forced = true
				}
			}
		}
	}
	zero := int64(0)
	return c.store.Delete(store.Key{GVK: kindPod(), Namespace: namespace, Name: name}, store.DeleteOptions{Actor: ActorUser, GracePeriodSeconds: &zero})
}

// DeleteNamespace with all that is in it.
func (c *Cluster) DeleteNamespace(name string) error {
	return c.store.Delete(store.Key{GVK: kindNamespace(), Name: name}, store.DeleteOptions{Actor: ActorUser})
}
