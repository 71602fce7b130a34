package simulator

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// rolloutTime is how long a workload takes to get ready.
const rolloutTime = 2 * time.Second

const kindJob = "Job"

// workload says whether the kind is one of Kubernetes' workloads. Their Pods are made with Config.Pods only.
func workload(kind schema.GroupVersionKind) bool {
	switch kind.GroupKind() {
	case schema.GroupKind{Group: "apps", Kind: "Deployment"}, schema.GroupKind{Group: "apps", Kind: "StatefulSet"}, schema.GroupKind{Group: "batch", Kind: kindJob}:
		return true
	}
	return false
}

// SetStuck keeps a workload from getting ready, or from finishing, until it is set free.
func (c *Cluster) SetStuck(kind schema.GroupVersionKind, namespace, name string, stuck bool) {
	key := store.Key{GVK: kind, Namespace: namespace, Name: name}
	c.stuck[key] = stuck
	c.queue.add(Task{ActorWorkloads, key}, c.queue.soon(), false)
}

// Scale is kubectl scale: replicas belong to kubectl afterwards.
func (c *Cluster) Scale(kind schema.GroupVersionKind, namespace, name string, replicas int64) error {
	live, err := c.store.Get(store.Key{GVK: kind, Namespace: namespace, Name: name})
	if err != nil {
		return err
	}
	changed := live.DeepCopy()
	if err := unstructured.SetNestedField(changed.Object, replicas, "spec", "replicas"); err != nil {
		return fmt.Errorf("cannot scale %s: %w", name, err)
	}
	_, err = c.store.Update(changed, store.Options{Actor: ActorUser, Manager: "kubectl", Subresource: "scale"})
	return err
}

// roll out a workload: it is ready in its newest generation a moment after it changed, or when its Pods are.
func (c *Cluster) roll(key store.Key) {
	live := c.store.Peek(key)
	if live == nil || deleting(live) || c.stuck[key] {
		return
	}
	if c.config.Pods {
		c.control(live)
		return
	}
	generation := live.GetGeneration()
	// The status of a Job has no generation, and a field that is not declared is refused.
	if seen, _ := at(live, "status", fieldObserved).(int64); seen != generation && live.GetKind() != kindJob {
		changed := live.DeepCopy()
		changed.Object["status"] = map[string]any{fieldObserved: generation}
		c.writeStatus(changed, ActorWorkloads, managerControllers)
		c.queue.add(Task{ActorWorkloads, key}, rolloutTime, false)
		return
	}
	changed := live.DeepCopy()
	changed.Object["status"] = c.rolledOut(live)
	if store.Same(changed.Object["status"], live.Object["status"]) {
		return
	}
	if wait := c.rolled(live).Sub(c.Now()); wait > 0 {
		c.queue.add(Task{ActorWorkloads, key}, wait, false)
		return
	}
	c.writeStatus(changed, ActorWorkloads, managerControllers)
}

// rolled is when the workload gets ready: some time after its last change.
func (c *Cluster) rolled(live *unstructured.Unstructured) time.Time {
	var last time.Time
	for _, o := range listAt(live, "metadata", "managedFields") {
		entry, _ := o.(map[string]any)
		text, _ := entry["time"].(string)
		if t, err := time.Parse(time.RFC3339, text); err == nil && t.After(last) {
			last = t
		}
	}
	return last.Add(rolloutTime)
}

// rolledOut is the status of a workload that is ready, or a Job that is complete.
func (c *Cluster) rolledOut(live *unstructured.Unstructured) map[string]any {
	if live.GetKind() == kindJob {
		return map[string]any{"succeeded": int64(1), "conditions": []any{conditionOf("Complete")}}
	}
	replicas, given := at(live, "spec", "replicas").(int64)
	if !given {
		replicas = 1
	}
	status := map[string]any{
		fieldObserved: live.GetGeneration(), "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas,
	}
	if live.GetKind() == "StatefulSet" {
		status["currentReplicas"] = replicas
		status["currentRevision"], status["updateRevision"] = live.GetName()+"-1", live.GetName()+"-1"
		return status
	}
	status["conditions"] = []any{conditionOf("Available")}
	return status
}

func conditionOf(kind string) map[string]any {
	return map[string]any{"type": kind, "status": statusTrue}
}
