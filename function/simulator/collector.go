package simulator

import (
	"errors"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// collect is one step of the garbage collector and of the controller of Namespaces: it makes one write, and comes
// back until there is nothing to do. What a policy refuses is tried again later.
func (c *Cluster) collect(store.Key) {
	objects := c.store.All()
	c.shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	refused := false
	for _, o := range objects {
		for _, step := range []func(*unstructured.Unstructured, []*unstructured.Unstructured) error{c.emptyNamespace, c.collectOwned, c.collectOwner} {
			err := step(o, objects)
			if err == nil {
				c.queue.add(Task{Controller: ActorCollector}, c.queue.soon(), false)
				return
			}
			refused = refused || !errors.Is(err, errNothing)
		}
	}
	if refused {
		c.queue.add(Task{Controller: ActorCollector}, collectAgain, true)
	}
}

// collectAgain is how long the collector waits after a refusal.
const collectAgain = 5 * time.Second

// errNothing says that a step had nothing to do.
var errNothing = errors.New("nothing to collect")

// emptyNamespace deletes what is in a Namespace that ends, and then lets it go.
func (c *Cluster) emptyNamespace(namespace *unstructured.Unstructured, all []*unstructured.Unstructured) error {
	if namespace.GroupVersionKind() != kindNamespace() || !deleting(namespace) {
		return errNothing
	}
	empty, outcome := true, errNothing
	for _, o := range all {
		if o.GetNamespace() != namespace.GetName() {
			continue
		}
		empty = false
		if deleting(o) {
			continue
		}
		if outcome = c.remove(o, metav1.DeletePropagationBackground); outcome == nil {
			return nil
		}
	}
	if empty && len(namespace.GetFinalizers()) > 0 {
		return c.removeFinalizer(namespace, store.FinalizerNamespace, ActorCollector)
	}
	return outcome
}

// collectOwned deletes an object whose owners are gone, or wait for it to go.
func (c *Cluster) collectOwned(o *unstructured.Unstructured, _ []*unstructured.Unstructured) error {
	owners := o.GetOwnerReferences()
	if len(owners) == 0 || deleting(o) {
		return errNothing
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
		return c.removeOwners(o, dangling)
	case solid > 0:
		return errNothing
	case waiting > 0 && c.hasDependents(o):
		return c.remove(o, metav1.DeletePropagationForeground)
	default:
		return c.remove(o, metav1.DeletePropagationBackground)
	}
}

// collectOwner takes the finalizer off an owner when its dependents are gone, or set free.
func (c *Cluster) collectOwner(o *unstructured.Unstructured, all []*unstructured.Unstructured) error {
	if !deleting(o) {
		return errNothing
	}
	foreground := slices.Contains(o.GetFinalizers(), metav1.FinalizerDeleteDependents)
	orphan := slices.Contains(o.GetFinalizers(), metav1.FinalizerOrphanDependents)
	if !foreground && !orphan {
		return errNothing
	}
	for _, dependent := range all {
		for _, reference := range dependent.GetOwnerReferences() {
			if reference.UID != o.GetUID() {
				continue
			}
			if orphan {
				return c.removeOwners(dependent, []types.UID{o.GetUID()})
			}
			if reference.BlockOwnerDeletion != nil && *reference.BlockOwnerDeletion {
				return errNothing
			}
		}
	}
	finalizer := metav1.FinalizerDeleteDependents
	if orphan {
		finalizer = metav1.FinalizerOrphanDependents
	}
	return c.removeFinalizer(o, finalizer, ActorCollector)
}

func (c *Cluster) hasDependents(o *unstructured.Unstructured) bool {
	return slices.ContainsFunc(c.store.All(), func(other *unstructured.Unstructured) bool {
		return slices.ContainsFunc(other.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return r.UID == o.GetUID() })
	})
}

func (c *Cluster) remove(o *unstructured.Unstructured, propagation metav1.DeletionPropagation) error {
	_, err := c.write(ActorCollector, func() (*unstructured.Unstructured, error) {
		return nil, c.store.Delete(store.KeyOf(o), store.DeleteOptions{Actor: ActorCollector, Propagation: propagation, UID: o.GetUID()})
	})
	return err
}

func (c *Cluster) removeOwners(o *unstructured.Unstructured, uids []types.UID) error {
	changed := o.DeepCopy()
	changed.SetOwnerReferences(slices.DeleteFunc(changed.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return slices.Contains(uids, r.UID) }))
	_, err := c.write(ActorCollector, func() (*unstructured.Unstructured, error) {
		return c.store.Update(changed, store.Options{Actor: ActorCollector, Manager: managerControllers})
	})
	return err
}
