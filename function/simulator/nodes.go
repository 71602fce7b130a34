package simulator

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// ImageFault is how the containers of an image behave. The zero value is a server that starts, gets ready and obeys
// SIGTERM.
type ImageFault struct {
	// Pull fails (ErrImagePull, ImagePullBackOff).
	Pull bool
	// Exits soon after the start with ExitCode; OOM says that it was killed for its memory.
	Exits    bool
	ExitCode int64
	OOM      bool
	// NeverReady runs and fails its readiness probe.
	NeverReady bool
	// IgnoresTerm runs until the end of the grace period.
	IgnoresTerm bool
}

func (f ImageFault) reason() string {
	switch {
	case f.OOM:
		return "OOMKilled"
	case f.ExitCode == 0:
		return "Completed"
	default:
		return "Error"
	}
}

// SetImageFault changes how the containers of an image behave from now on.
func (c *Cluster) SetImageFault(image string, fault ImageFault) {
	c.images[image] = fault
	c.wakePods()
}

// SetUnschedulable keeps new Pods from the Node.
func (c *Cluster) SetUnschedulable(unschedulable bool) {
	c.unschedulable = unschedulable
	c.wakePods()
}

const (
	// nodeGrace is how long a Node may be silent before it counts as not ready.
	nodeGrace = 40 * time.Second
	// toleration of Pods for a Node that is not reachable, which the API server gives them.
	toleration = 300 * time.Second

	taintOutOfService = "node.kubernetes.io/out-of-service"
)

// SetNodeLost stops a Node's kubelet, or brings it back. What runs there goes on running; the Node's Ready gets Unknown
// after 40 s, and its Pods are marked for deletion five minutes later.
func (c *Cluster) SetNodeLost(node string, lost bool) {
	c.lost[node] = lost
	key := store.Key{GVK: kindNode(), Name: node}
	if lost {
		c.queue.add(Task{ActorNodes, key}, nodeGrace, false)
		return
	}
	c.queue.add(Task{ActorNodes, key}, c.queue.soon(), false)
	c.wakePods()
}

// TaintOutOfService is a person's word that a lost Node runs nothing any longer: its Pods are removed by force, their
// servers are gone with it.
func (c *Cluster) TaintOutOfService(node string) error {
	return c.Edit(kindNode(), "", node, ManagerEdit, func(o *unstructured.Unstructured) {
		_ = unstructured.SetNestedSlice(o.Object, []any{map[string]any{"key": taintOutOfService, "effect": "NoExecute", "value": "nodeshutdown"}}, "spec", "taints")
	})
}

func (c *Cluster) wakePods() {
	for _, pod := range c.store.List(kindPod(), "") {
		c.queue.add(Task{ActorScheduler, store.KeyOf(pod)}, c.queue.soon(), false)
		c.queue.add(Task{ActorKubelet, store.KeyOf(pod)}, c.queue.soon(), false)
	}
	// Containers can outlive their Pods on a Node that was lost.
	for _, uid := range c.containerUIDs() {
		c.queue.add(Task{ActorKubelet, c.containers[uid].key}, c.queue.soon(), false)
	}
}

// watchNode reports whether the kubelet still sends its heartbeat.
func (c *Cluster) watchNode(key store.Key) {
	node := c.store.Peek(key)
	if node == nil {
		return
	}
	ready := condition{kind: conditionReady, status: statusTrue, reason: "KubeletReady"}
	if c.lost[key.Name] {
		ready = condition{kind: conditionReady, status: statusUnknown, reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status."}
	}
	changed := node.DeepCopy()
	setCondition(changed, c.Now(), ready)
	c.writeStatus(changed, ActorNodes, managerControllers)
	if ready.status != statusTrue {
		c.evict(node)
	}
}

// evict marks the Pods of a lost Node for deletion, once they have tolerated it for five minutes; from a Node that is
// out of service they are removed.
func (c *Cluster) evict(node *unstructured.Unstructured) {
	out := false
	for _, o := range listAt(node, "spec", "taints") {
		taint, _ := o.(map[string]any)
		out = out || taint["key"] == taintOutOfService
	}
	since := conditionTime(node, conditionReady)
	if wait := since.Add(toleration).Sub(c.Now()); wait > 0 && !out {
		c.queue.add(Task{ActorNodes, store.KeyOf(node)}, wait, true)
		return
	}
	for _, pod := range c.store.List(kindPod(), "") {
		if stringAt(pod, "spec", "nodeName") != node.GetName() || (deleting(pod) && !out) {
			continue
		}
		options := store.DeleteOptions{Actor: ActorNodes, UID: pod.GetUID()}
		if out {
			if k := c.containers[uidOf(pod)]; k != nil {
				c.stop(k, 137, "Error")
			}
			options.GracePeriodSeconds = new(int64)
		}
		_, _ = c.write(ActorNodes, func() (*unstructured.Unstructured, error) { return nil, c.store.Delete(store.KeyOf(pod), options) })
	}
}

// CrashPod ends the Pod's container once: it starts again in place after its back-off.
func (c *Cluster) CrashPod(namespace, name string, exitCode int64, oom bool) bool {
	pod := c.Get(kindPod(), namespace, name)
	k := c.containers[uidOf(pod)]
	if k == nil || !k.running {
		return false
	}
	c.exit(pod, k, exitCode, ImageFault{ExitCode: exitCode, OOM: oom}.reason())
	return true
}

// EvictPod ends the Pod for good, with phase Failed (or Succeeded), as the kubelet does under pressure.
func (c *Cluster) EvictPod(namespace, name, phase string) bool {
	pod := c.Get(kindPod(), namespace, name)
	k := c.containers[uidOf(pod)]
	if k == nil {
		return false
	}
	c.stop(k, 137, "Error")
	c.endPod(pod, k, phase, "Evicted", "The node was low on resource: memory.")
	return true
}
