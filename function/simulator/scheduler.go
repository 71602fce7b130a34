package simulator

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

const (
	managerScheduler   = "kube-scheduler"
	managerControllers = "kube-controller-manager"
	annotationNode     = "volume.kubernetes.io/selected-node"
	bindTime           = 100 * time.Millisecond
)

// schedule a Pod onto the Node when its claims can be used.
func (c *Cluster) schedule(key store.Key) {
	pod := c.store.Peek(key)
	if pod == nil || deleting(pod) || stringAt(pod, "spec", "nodeName") != "" {
		return
	}
	if reason := c.unfit(pod); reason != "" {
		changed := pod.DeepCopy()
		status := mapAt(changed, "status")
		setPodCondition(status, "PodScheduled", statusFalse, "Unschedulable", c.Now())
		for _, o := range listAt(changed, "status", "conditions") {
			if scheduled, _ := o.(map[string]any); scheduled["type"] == "PodScheduled" {
				scheduled["message"] = "0/1 nodes are available: " + reason
			}
		}
		c.writeStatus(changed, ActorScheduler, managerScheduler)
		return
	}
	for _, name := range claimNames(pod) {
		claim := c.Get(kindClaim(), pod.GetNamespace(), name)
		if stringAt(claim, "status", "phase") == phaseBound {
			continue
		}
		if claim.GetAnnotations()[annotationNode] == "" {
			selected := claim.DeepCopy()
			annotations := selected.GetAnnotations()
			if annotations == nil {
				annotations = map[string]string{}
			}
			annotations[annotationNode] = c.readyNode()
			selected.SetAnnotations(annotations)
			_, _ = c.write(ActorScheduler, func() (*unstructured.Unstructured, error) {
				return c.store.Update(selected, store.Options{Actor: ActorScheduler, Manager: managerScheduler})
			})
		}
		return
	}
	bound := pod.DeepCopy()
	mapAt(bound, "spec")["nodeName"] = c.readyNode()
	stored, err := c.write(ActorScheduler, func() (*unstructured.Unstructured, error) {
		return c.store.Update(bound, store.Options{Actor: ActorScheduler, Manager: managerScheduler})
	})
	if err != nil {
		return
	}
	scheduled := stored.DeepCopy()
	setPodCondition(mapAt(scheduled, "status"), "PodScheduled", statusTrue, "", c.Now())
	c.writeStatus(scheduled, ActorScheduler, managerScheduler)
}

// readyNode is the first Node that a Pod can be bound to.
func (c *Cluster) readyNode() string {
	for _, node := range c.store.List(kindNode(), "") {
		if status, _, _ := Condition(node, conditionReady); status == statusTrue && len(listAt(node, "spec", "taints")) == 0 {
			return node.GetName()
		}
	}
	return ""
}

// unfit says why the Pod cannot be scheduled.
func (c *Cluster) unfit(pod *unstructured.Unstructured) string {
	if c.unschedulable || c.readyNode() == "" {
		return "1 node(s) were unschedulable."
	}
	for _, name := range claimNames(pod) {
		claim := c.Get(kindClaim(), pod.GetNamespace(), name)
		switch {
		case claim == nil:
			return fmt.Sprintf("persistentvolumeclaim %q not found", name)
		case deleting(claim):
			return fmt.Sprintf("persistentvolumeclaim %q is being deleted", name)
		case slices.Contains(listAt(claim, "spec", "accessModes"), any("ReadWriteOncePod")) && c.usedBy(claim, pod):
			return "1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode."
		}
	}
	return ""
}

// usedBy says whether a Pod that is on a Node and has not ended mounts the claim; a Pod to leave out may be given.
func (c *Cluster) usedBy(claim, except *unstructured.Unstructured) bool {
	for _, pod := range c.store.List(kindPod(), claim.GetNamespace()) {
		if except != nil && uidOf(pod) == uidOf(except) {
			continue
		}
		phase := stringAt(pod, "status", "phase")
		if stringAt(pod, "spec", "nodeName") != "" && phase != phaseFailed && phase != phaseSucceeded && slices.Contains(claimNames(pod), claim.GetName()) {
			return true
		}
	}
	return false
}

// wakePodsOf a claim that changed.
func (c *Cluster) wakePodsOf(claim store.Key) {
	for _, pod := range c.store.List(kindPod(), claim.Namespace) {
		if slices.Contains(claimNames(pod), claim.Name) {
			c.queue.add(Task{ActorScheduler, store.KeyOf(pod)}, c.queue.soon(), false)
			c.queue.add(Task{ActorKubelet, store.KeyOf(pod)}, c.queue.soon(), false)
		}
	}
}

// wakeClaimsOf a Pod that changed.
func (c *Cluster) wakeClaimsOf(change store.Change) {
	for _, pod := range []*unstructured.Unstructured{change.Before, change.After} {
		for _, name := range claimNames(pod) {
			c.queue.add(Task{ActorBinder, store.Key{GVK: kindClaim(), Namespace: change.Key.Namespace, Name: name}}, c.queue.soon(), false)
		}
	}
}

// bind a claim to a volume once a Pod has chosen its Node, grow it, and let it go when nothing uses it.
func (c *Cluster) bind(key store.Key) {
	claim := c.store.Peek(key)
	if claim == nil {
		return
	}
	if deleting(claim) {
		c.releaseClaim(claim)
		return
	}
	class := c.Get(kindStorageClass(), "", stringAt(claim, "spec", "storageClassName"))
	wanted := stringAt(claim, "spec", "resources", "requests", "storage")
	switch {
	case stringAt(claim, "status", "phase") == phaseBound:
		if stringAt(claim, "status", "capacity", "storage") == wanted {
			return
		}
	case class == nil, stringAt(class, "volumeBindingMode") == "WaitForFirstConsumer" && claim.GetAnnotations()[annotationNode] == "":
		return
	}
	bound := claim.DeepCopy()
	if stringAt(bound, "spec", "volumeName") == "" {
		mapAt(bound, "spec")["volumeName"] = "pvc-" + uidOf(claim)
		stored, err := c.write(ActorBinder, func() (*unstructured.Unstructured, error) {
			return c.store.Update(bound, store.Options{Actor: ActorBinder, Manager: managerControllers})
		})
		if err != nil {
			return
		}
		bound = stored.DeepCopy()
	}
	bound.Object["status"] = map[string]any{"phase": phaseBound, "accessModes": at(claim, "spec", "accessModes"), "capacity": map[string]any{"storage": wanted}}
	c.writeStatus(bound, ActorBinder, managerControllers)
}

// releaseClaim takes the protection off a claim that no Pod uses.
func (c *Cluster) releaseClaim(claim *unstructured.Unstructured) {
	if !slices.Contains(claim.GetFinalizers(), store.FinalizerClaimProtection) || c.usedBy(claim, nil) {
		return
	}
	_ = c.removeFinalizer(claim, store.FinalizerClaimProtection, ActorBinder)
}

func (c *Cluster) removeFinalizer(o *unstructured.Unstructured, finalizer, actor string) error {
	changed := o.DeepCopy()
	changed.SetFinalizers(slices.DeleteFunc(changed.GetFinalizers(), func(f string) bool { return f == finalizer }))
	_, err := c.write(actor, func() (*unstructured.Unstructured, error) {
		return c.store.Update(changed, store.Options{Actor: actor, Manager: managerControllers})
	})
	return err
}
