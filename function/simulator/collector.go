package simulator

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// collect is one step of the garbage collector and of the controller of Namespaces: it makes one write, and comes
// back until there is nothing to do.
func (c *Cluster) collect(store.Key) {
	objects := c.store.All()
	c.shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	for _, o := range objects {
		if c.emptyNamespace(o) || c.collectOwned(o) || c.collectOwner(o, objects) {
			c.queue.add(Task{Controller: controllerCollector}, c.queue.soon(), false)
			return
		}
	}
}

// emptyNamespace deletes what is in a Namespace that ends, and then lets it go.
func (c *Cluster) emptyNamespace(namespace *unstructured.Unstructured) bool {
	if namespace.GroupVersionKind() != kindNamespace || !deleting(namespace) {
		return false
	}
	empty := true
	for _, o := range c.store.All() {
		if o.GetNamespace() != namespace.GetName() {
			continue
		}
		empty = false
		if !deleting(o) {
			c.remove(o, metav1.DeletePropagationBackground)
			return true
		}
	}
	if empty && len(namespace.GetFinalizers()) > 0 {
		c.removeFinalizer(namespace, store.FinalizerNamespace, controllerCollector)
		return true
	}
	return false
}

// collectOwned deletes an object whose owners are gone, or wait for it to go.
func (c *Cluster) collectOwned(o *unstructured.Unstructured) bool {
	owners := o.GetOwnerReferences()
	if len(owners) == 0 || deleting(o) {
		return false
	}
	solid, waiting := 0, 0
	var dangling []types.UID
	for _, reference := range owners {
		owner := c.store.ByUID(reference.UID)
		switch {
		case owner == nil:
			dangling = append(dangling, reference.UID)
		case deleting(owner) && slices.Contains(owner.GetFinalizers(), metav1.FinalizerDeleteDependents):
			waiting++
			dangling = append(dangling, reference.UID)
		default:
			solid++
		}
	}
	switch {
	case solid > 0 && len(dangling) > 0:
		c.removeOwners(o, dangling)
	case solid > 0:
		return false
	case waiting > 0 && c.hasDependents(o):
		c.remove(o, metav1.DeletePropagationForeground)
	default:
		c.remove(o, metav1.DeletePropagationBackground)
	}
	return true
}

// collectOwner takes the finalizer off an owner when its dependents are gone, or set free.
func (c *Cluster) collectOwner(o *unstructured.Unstructured, all []*unstructured.Unstructured) bool {
	if !deleting(o) {
		return false
	}
	foreground := slices.Contains(o.GetFinalizers(), metav1.FinalizerDeleteDependents)
	orphan := slices.Contains(o.GetFinalizers(), metav1.FinalizerOrphanDependents)
	if !foreground && !orphan {
		return false
	}
	for _, dependent := range all {
		for _, reference := range dependent.GetOwnerReferences() {
			if reference.UID != o.GetUID() {
				continue
			}
			if orphan {
				c.removeOwners(dependent, []types.UID{o.GetUID()})
				return true
			}
			if reference.BlockOwnerDeletion != nil && *reference.BlockOwnerDeletion {
				return false
			}
		}
	}
	finalizer := metav1.FinalizerDeleteDependents
	if orphan {
		finalizer = metav1.FinalizerOrphanDependents
	}
	c.removeFinalizer(o, finalizer, controllerCollector)
	return true
}

func (c *Cluster) hasDependents(o *unstructured.Unstructured) bool {
	return slices.ContainsFunc(c.store.All(), func(other *unstructured.Unstructured) bool {
		return slices.ContainsFunc(other.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return r.UID == o.GetUID() })
	})
}

func (c *Cluster) remove(o *unstructured.Unstructured, propagation metav1.DeletionPropagation) {
	_, _ = c.write(controllerCollector, func() (*unstructured.Unstructured, error) {
		return nil, c.store.Delete(store.KeyOf(o), store.DeleteOptions{Actor: controllerCollector, Propagation: propagation, UID: o.GetUID()})
	})
}

func (c *Cluster) removeOwners(o *unstructured.Unstructured, uids []types.UID) {
	changed := o.DeepCopy()
	changed.SetOwnerReferences(slices.DeleteFunc(changed.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return slices.Contains(uids, r.UID) }))
	_, _ = c.write(controllerCollector, func() (*unstructured.Unstructured, error) {
		return c.store.Update(changed, store.Options{Actor: controllerCollector, Manager: managerControllers})
	})
}
