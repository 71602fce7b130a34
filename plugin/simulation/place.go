package simulation

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// Place objects in the cluster. Those that come from a cluster (with a UID) stay exactly as they are there, with their
// managed fields and status; the others are applied as a user applies a file.
func (s *Simulation) Place(objects ...*unstructured.Unstructured) error {
	var copied []*unstructured.Unstructured
	for _, object := range objects {
		if object.GetUID() != "" {
			copied = append(copied, object)
			continue
		}
		if err := s.Apply(object); err != nil {
			return err
		}
	}
	if len(copied) == 0 {
		return nil
	}
	all := make([]*unstructured.Unstructured, 0, len(copied))
	given := map[store.Key]bool{}
	for _, object := range copied {
		given[store.KeyOf(object)] = true
	}
	for _, object := range s.Snapshot() {
		if !given[store.KeyOf(object)] {
			all = append(all, object)
		}
	}
	s.Restore(append(all, copied...))
	return nil
}

// PlaceComposed objects of a composite that is placed already: as Crossplane has applied them, owned by the composite.
func (s *Simulation) PlaceComposed(composite *unstructured.Unstructured, objects ...*unstructured.Unstructured) error {
	xr := s.Get(composite.GroupVersionKind(), composite.GetNamespace(), composite.GetName())
	if xr == nil {
		return fmt.Errorf("cannot place what %s %s composes: it is not there itself", composite.GetKind(), composite.GetName())
	}
	for _, object := range objects {
		if object.GetUID() != "" {
			if err := s.Place(object); err != nil {
				return err
			}
			continue
		}
		if err := s.applyComposed(xr, object); err != nil {
			return fmt.Errorf("cannot place the composed %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

func (s *Simulation) applyComposed(xr, object *unstructured.Unstructured) error {
	intent := object.DeepCopy()
	yes := true
	intent.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: xr.GetAPIVersion(), Kind: xr.GetKind(), Name: xr.GetName(), UID: xr.GetUID(), Controller: &yes, BlockOwnerDeletion: &yes,
	}})
	status, hasStatus := intent.Object["status"]
	delete(intent.Object, "status")
	intent.SetManagedFields(nil)
	intent.SetResourceVersion("")
	if _, err := s.Store().Apply(intent, store.Options{Actor: crossplane, Manager: simulator.ComposedManager(xr)}); err != nil || !hasStatus {
		return err
	}
	return s.Apply(withStatus(object, status))
}

// withStatus names an object and its status, and nothing else of it.
func withStatus(object *unstructured.Unstructured, status any) *unstructured.Unstructured {
	out := named(object.GroupVersionKind(), object.GetName())
	out.SetNamespace(object.GetNamespace())
	out.Object["status"] = status
	return out
}

// Refer adds the references to composed objects that Crossplane keeps in a composite.
func Refer(composite *unstructured.Unstructured, objects ...*unstructured.Unstructured) error {
	if len(objects) == 0 {
		return nil
	}
	references := make([]any, 0, len(objects))
	for _, object := range objects {
		reference := map[string]any{"apiVersion": object.GetAPIVersion(), "kind": object.GetKind(), "name": object.GetName()}
		if composite.GetNamespace() == "" {
			reference["namespace"] = object.GetNamespace()
		}
		references = append(references, reference)
	}
	path := []string{"spec", "crossplane", "resourceRefs"}
	if composite.GetNamespace() == "" {
		path = []string{"spec", "resourceRefs"}
	}
	if err := unstructured.SetNestedSlice(composite.Object, references, path...); err != nil {
		return fmt.Errorf("cannot set the references of %s: %w", composite.GetName(), err)
	}
	return nil
}
