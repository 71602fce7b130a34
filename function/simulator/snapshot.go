package simulator

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// Snapshot of all objects, as a backup of the API server's database has them. The data of the volumes is not in it.
func (c *Cluster) Snapshot() []*unstructured.Unstructured { return c.store.All() }

// Restore a snapshot: objects are again what they were, with their identities and their old status; what was made since
// is gone. Volumes keep their data. All controllers start anew, and all containers.
func (c *Cluster) Restore(snapshot []*unstructured.Unstructured) {
	for _, uid := range c.containerUIDs() {
		c.stop(c.containers[uid], 137, "Error")
		delete(c.containers, uid)
	}
	c.replace(snapshot)
}

// Load objects exactly as they are, identities, managed fields and status included, for example those of a real
// cluster. Their Namespaces are added. Pods that run are running here too, on their volumes.
func (c *Cluster) Load(objects ...*unstructured.Unstructured) error {
	for _, o := range objects {
		if namespace := o.GetNamespace(); namespace != "" && c.Get(kindNamespace(), "", namespace) == nil {
			if err := c.AddNamespace(namespace); err != nil {
				return err
			}
		}
	}
	loaded := make(map[store.Key]bool, len(objects))
	all := make([]*unstructured.Unstructured, 0, len(objects))
	for _, o := range objects {
		loaded[store.KeyOf(o)] = true
		exact := o.DeepCopy()
		normalize(exact.Object)
		all = append(all, exact)
	}
	for _, o := range c.store.All() {
		if !loaded[store.KeyOf(o)] {
			all = append(all, o)
		}
	}
	c.replace(all)
	for _, pod := range c.store.List(kindPod(), "") {
		if loaded[store.KeyOf(pod)] && stringAt(pod, "status", "phase") == phaseRunning {
			c.resume(pod)
		}
	}
	return nil
}

// resume the container of a Pod that was loaded.
func (c *Cluster) resume(pod *unstructured.Unstructured) {
	ready, _, _ := Condition(pod, "Ready")
	k := &container{
		key: store.KeyOf(pod), uid: uidOf(pod), node: stringAt(pod, "spec", "nodeName"), image: image(pod),
		running: true, ready: ready == statusTrue, pulled: true, started: c.Now(),
	}
	for _, name := range claimNames(pod) {
		claim := uidOf(c.Get(kindClaim(), pod.GetNamespace(), name))
		k.claims = append(k.claims, claim)
		c.open(claim, k, pod)
	}
	c.containers[k.uid] = k
}

// replace all objects and let every controller look at everything.
func (c *Cluster) replace(objects []*unstructured.Unstructured) {
	c.cache.thaw()
	clear(c.held)
	clear(c.failures)
	clear(c.desired)
	clear(c.queue.tasks)
	for _, change := range c.store.Restore(objects) {
		c.changed(change)
	}
	c.resync()
	c.wakePods()
	for _, o := range c.store.List(kindObject(), "") {
		c.queue.add(Task{ActorProvider, store.KeyOf(o)}, c.queue.soon(), false)
	}
	for _, o := range c.store.List(kindClaim(), "") {
		c.queue.add(Task{ActorBinder, store.KeyOf(o)}, c.queue.soon(), false)
	}
	c.queue.add(Task{Controller: ActorCollector}, c.queue.soon(), false)
}
