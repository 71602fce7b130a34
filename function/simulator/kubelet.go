package simulator

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// How long the kubelet's steps take.
const (
	pullTime       = 200 * time.Millisecond
	startTime      = 300 * time.Millisecond
	readyTime      = 500 * time.Millisecond
	firstBackOff   = 10 * time.Second
	longestBack    = 5 * time.Minute
	managerKubelet = "kubelet"
	reasonBackOff  = "CrashLoopBackOff"
)

// container of a Pod on the Node. Pods have one in this model.
type container struct {
	key    store.Key
	uid    string
	node   string
	image  string
	claims []string
	// address of the Pod, where Pods have one.
	address string

	running  bool
	ready    bool
	pulled   bool
	restarts int64
	backOff  time.Duration
	// stopping is when the container ends after SIGTERM.
	stopping time.Time
	started  time.Time
	// last is how the container ended last.
	last *termination
	// next is when it may start again.
	next time.Time
}

type termination struct {
	exitCode int64
	reason   string
	at       time.Time
}

// runPod is the kubelet's look at one Pod.
func (c *Cluster) runPod(key store.Key) {
	c.reap(key)
	pod := c.store.Peek(key)
	if pod == nil || stringAt(pod, "spec", "nodeName") == "" || c.lost[stringAt(pod, "spec", "nodeName")] {
		return
	}
	k := c.containers[uidOf(pod)]
	if k == nil {
		k = &container{key: key, uid: uidOf(pod), node: stringAt(pod, "spec", "nodeName"), address: c.newAddress()}
		c.containers[k.uid] = k
	}
	if deleting(pod) {
		c.terminate(pod, k)
		return
	}
	phase := stringAt(pod, "status", "phase")
	if phase == phaseFailed || phase == phaseSucceeded {
		return
	}
	if k.running && image(pod) != k.image {
		// The image is the one field that can change on a running Pod: the container restarts in place.
		c.stop(k, 0, "Completed")
		k.restarts++
		k.pulled, k.next = false, c.Now()
	}
	if k.running {
		c.checkRunning(pod, k)
		return
	}
	c.start(pod, k)
}

// reap ends the containers of Pods that are no longer there: somebody removed them by force.
func (c *Cluster) reap(key store.Key) {
	pod := c.store.Peek(key)
	for _, uid := range c.containerUIDs() {
		k := c.containers[uid]
		if k.key != key || (pod != nil && uidOf(pod) == uid) {
			continue
		}
		if k.running && c.lost[k.node] {
			continue
		}
		c.stop(k, 137, "Error")
		delete(c.containers, uid)
	}
}

// containerUIDs in a fixed order.
func (c *Cluster) containerUIDs() []string { return slices.Sorted(maps.Keys(c.containers)) }

func image(pod *unstructured.Unstructured) string {
	for _, o := range listAt(pod, "spec", "containers") {
		first, _ := o.(map[string]any)
		text, _ := first["image"].(string)
		return text
	}
	return ""
}

// start pulls the image and starts the container.
func (c *Cluster) start(pod *unstructured.Unstructured, k *container) {
	task := Task{ActorKubelet, k.key}
	if wait := k.next.Sub(c.Now()); wait > 0 {
		c.queue.add(task, wait, k.backOff > 0)
		return
	}
	if k.started.IsZero() {
		// What a Pod has mounted once stays mounted while its container restarts.
		claims, ok := c.mountable(pod)
		if !ok {
			c.writePod(pod, k, "ContainerCreating", "")
			return
		}
		k.claims = claims
	}
	wanted := image(pod)
	fault := c.images[wanted]
	if fault.Pull {
		reason := "ErrImagePull"
		if k.backOff > 0 {
			reason = "ImagePullBackOff"
		}
		k.delay(c.Now())
		c.writePod(pod, k, reason, fmt.Sprintf("Back-off pulling image %q", wanted))
		c.queue.add(task, k.next.Sub(c.Now()), true)
		return
	}
	if !k.pulled {
		k.pulled, k.next = true, c.Now().Add(pullTime+startTime)
		c.writePod(pod, k, "ContainerCreating", "")
		c.queue.add(task, pullTime+startTime, false)
		return
	}
	k.image, k.running, k.ready, k.started = wanted, true, false, c.Now()
	for _, claim := range k.claims {
		c.open(claim, k, pod)
	}
	c.writePod(pod, k, "", "")
	c.queue.add(task, readyTime, false)
}

// delay the next start: 10 s, doubled each time, 5 minutes at most.
func (k *container) delay(now time.Time) {
	k.backOff = min(max(2*k.backOff, firstBackOff), longestBack)
	k.next = now.Add(k.backOff)
}

// mountable are the UIDs of the claims that the Pod mounts. The kubelet mounts no claim that is being deleted.
func (c *Cluster) mountable(pod *unstructured.Unstructured) ([]string, bool) {
	var uids []string
	for _, name := range claimNames(pod) {
		claim := c.Get(kindClaim(), pod.GetNamespace(), name)
		if claim == nil || deleting(claim) || stringAt(claim, "status", "phase") != phaseBound {
			return nil, false
		}
		if c.attachedElsewhere(uidOf(claim), stringAt(pod, "spec", "nodeName")) {
			return nil, false
		}
		uids = append(uids, uidOf(claim))
	}
	return uids, true
}

// claimNames that a Pod mounts.
func claimNames(pod *unstructured.Unstructured) []string {
	var names []string
	for _, o := range listAt(pod, "spec", "volumes") {
		volume, _ := o.(map[string]any)
		source, _ := volume["persistentVolumeClaim"].(map[string]any)
		if name, ok := source["claimName"].(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// checkRunning lets a started container get ready, or end as its image does.
func (c *Cluster) checkRunning(pod *unstructured.Unstructured, k *container) {
	if wait := k.started.Add(readyTime).Sub(c.Now()); wait > 0 && !k.ready {
		c.queue.add(Task{ActorKubelet, k.key}, wait, false)
		return
	}
	fault := c.images[k.image]
	if fault.Exits || (ofJob(pod) && !fault.NeverReady) {
		c.exit(pod, k, fault.ExitCode, fault.reason())
		return
	}
	if !k.ready && !fault.NeverReady && !c.silent[k.uid] {
		k.ready = true
		k.backOff = 0
	}
	c.writePod(pod, k, "", "")
}

// exit ends the container and lets it start again after its back-off, or ends the Pod when it is not to restart.
func (c *Cluster) exit(pod *unstructured.Unstructured, k *container, code int64, reason string) {
	c.stop(k, code, reason)
	if policy := stringAt(pod, "spec", "restartPolicy"); policy == "Never" || (policy == "OnFailure" && code == 0) {
		phase := phaseFailed
		if code == 0 {
			phase = phaseSucceeded
		}
		c.endPod(pod, k, phase, "", "")
		return
	}
	k.restarts++
	k.delay(c.Now())
	c.writePod(pod, k, reasonBackOff, fmt.Sprintf("back-off %s restarting failed container=chroma pod=%s", k.backOff, k.key.Name))
	c.queue.add(Task{ActorKubelet, k.key}, k.backOff, true)
}

// stop a running container.
func (c *Cluster) stop(k *container, code int64, reason string) {
	if !k.running {
		return
	}
	k.running, k.ready = false, false
	k.last = &termination{exitCode: code, reason: reason, at: c.Now()}
	for _, claim := range k.claims {
		c.close(claim, k.uid)
	}
}

// terminate a Pod that is being deleted: SIGTERM, at the end of the grace period SIGKILL, then the Pod goes.
func (c *Cluster) terminate(pod *unstructured.Unstructured, k *container) {
	if k.running && k.stopping.IsZero() {
		wait := time.Duration(0)
		if grace := pod.GetDeletionGracePeriodSeconds(); grace != nil {
			wait = time.Duration(*grace) * time.Second
		}
		if !c.images[k.image].IgnoresTerm {
			wait = min(wait, c.config.StopAfter)
		}
		k.stopping = c.Now().Add(wait)
	}
	if wait := k.stopping.Sub(c.Now()); k.running && wait > 0 {
		c.queue.add(Task{ActorKubelet, k.key}, wait, false)
		return
	}
	c.stop(k, 0, "Completed")
	if grace := pod.GetDeletionGracePeriodSeconds(); grace != nil && *grace == 0 {
		return
	}
	zero := int64(0)
	_, _ = c.write(ActorKubelet, func() (*unstructured.Unstructured, error) {
		return nil, c.store.Delete(k.key, store.DeleteOptions{Actor: ActorKubelet, UID: pod.GetUID(), GracePeriodSeconds: &zero})
	})
}
