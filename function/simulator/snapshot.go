package simulator

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// Snapshot of all objects, as a backup of the API server's database has them. The data of the volumes is not in it.
func (c *Cluster) Snapshot() []*unstructured.Unstructured { return c.store.All() }

// Restore a snapshot: objects are again what they were, with their identities and their old status; what was made since
// is gone. Volumes keep their data. All controllers start anew.
func (c *Cluster) Restore(snapshot []*unstructured.Unstructured) {
	c.cache.thaw()
	clear(c.held)
	clear(c.failures)
	clear(c.desired)
	clear(c.queue.tasks)
	for _, change := range c.store.Restore(snapshot) {
		c.changed(change)
	}
	for _, uid := range c.containerUIDs() {
		// The kubelet knows nothing of a Pod that came back: it starts it again, with new containers.
		c.stop(c.containers[uid], 137, "Error")
		delete(c.containers, uid)
	}
	c.resync()
	c.wakePods()
	for _, o := range c.store.List(kindObject(), "") {
		c.queue.add(Task{controllerProvider, store.KeyOf(o)}, c.queue.soon(), false)
	}
	for _, o := range c.store.List(kindClaim(), "") {
		c.queue.add(Task{controllerBinder, store.KeyOf(o)}, c.queue.soon(), false)
	}
	c.queue.add(Task{Controller: controllerCollector}, c.queue.soon(), false)
}
