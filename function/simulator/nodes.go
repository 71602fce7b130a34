package simulator

import (
	"time"

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

// nodeGrace is how long a Node may be silent before it counts as not ready.
const nodeGrace = 40 * time.Second

// SetNodeLost stops the Node's kubelet, or brings it back. What runs there goes on running; the Node gets NotReady
// after 40 s.
func (c *Cluster) SetNodeLost(lost bool) {
	c.lost[c.config.Node] = lost
	c.queue.add(Task{controllerNode, store.Key{GVK: kindNode, Name: c.config.Node}}, nodeGrace, false)
	if !lost {
		c.wakePods()
	}
}

func (c *Cluster) wakePods() {
	for _, pod := range c.store.List(kindPod, "") {
		c.queue.add(Task{controllerScheduler, store.KeyOf(pod)}, c.queue.soon(), false)
		c.queue.add(Task{controllerKubelet, store.KeyOf(pod)}, c.queue.soon(), false)
	}
	// Containers can outlive their Pods on a Node that was lost.
	for _, k := range c.containers {
		c.queue.add(Task{controllerKubelet, k.key}, c.queue.soon(), false)
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
	c.writeStatus(changed, managerControllers)
}

// CrashPod ends the Pod's container once: it starts again in place after its back-off.
func (c *Cluster) CrashPod(namespace, name string, exitCode int64, oom bool) bool {
	pod := c.Get(kindPod, namespace, name)
	k := c.containers[uidOf(pod)]
	if k == nil || !k.running {
		return false
	}
	c.exit(pod, k, exitCode, ImageFault{ExitCode: exitCode, OOM: oom}.reason())
	return true
}

// EvictPod ends the Pod for good, with phase Failed (or Succeeded), as the kubelet does under pressure.
func (c *Cluster) EvictPod(namespace, name, phase string) bool {
	pod := c.Get(kindPod, namespace, name)
	k := c.containers[uidOf(pod)]
	if k == nil {
		return false
	}
	c.stop(k, 137, "Error")
	c.endPod(pod, k, phase, "Evicted", "The node was low on resource: memory.")
	return true
}
