package simulator

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// Labels by which the controllers tell their Pods apart.
const (
	labelRevision     = "controller-revision-hash"
	labelTemplateHash = "pod-template-hash"
	labelJobName      = "batch.kubernetes.io/job-name"
)

// workloadPods are the Pods that a workload controls, in order of their names. Deployments control theirs directly here: the
// ReplicaSets in between are left out, since a composition function sees neither.
type workloadPods struct {
	cluster  *Cluster
	workload *unstructured.Unstructured
	pods     []*unstructured.Unstructured
	replicas int
	// revision of the template.
	revision string
}

// control a workload by one step. What it writes brings it back.
func (c *Cluster) control(live *unstructured.Unstructured) {
	w := &workloadPods{cluster: c, workload: live, replicas: 1, revision: revisionOf(at(live, "spec", "template"))}
	if replicas, given := at(live, "spec", "replicas").(int64); given {
		w.replicas = int(replicas)
	}
	for _, pod := range c.store.List(kindPod(), live.GetNamespace()) {
		if owner := metav1.GetControllerOf(pod); owner != nil && owner.UID == live.GetUID() {
			w.pods = append(w.pods, pod)
		}
	}
	switch live.GetKind() {
	case kindJob:
		w.controlJob()
	case "StatefulSet":
		w.controlSet()
		w.reportSet()
	default:
		w.controlDeployment()
		w.reportDeployment()
	}
}

func revisionOf(template any) string {
	raw, _ := json.Marshal(template) //nolint:errchkjson // What came from JSON goes back to it.
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:4])
}

// create a Pod of the template.
func (w *workloadPods) create(name string, labels map[string]string) {
	template := mapAt(w.workload, "spec", "template")
	metadata, _ := template["metadata"].(map[string]any)
	pod := (&unstructured.Unstructured{Object: map[string]any{"spec": template["spec"]}}).DeepCopy()
	pod.SetGroupVersionKind(kindPod())
	pod.SetNamespace(w.workload.GetNamespace())
	pod.SetName(name)
	own := &unstructured.Unstructured{Object: map[string]any{"metadata": metadata}}
	all := maps.Clone(own.GetLabels())
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, labels)
	pod.SetLabels(all)
	pod.SetAnnotations(own.GetAnnotations())
	yes := true
	pod.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: w.workload.GetAPIVersion(), Kind: w.workload.GetKind(), Name: w.workload.GetName(), UID: w.workload.GetUID(), Controller: &yes, BlockOwnerDeletion: &yes,
	}})
	_, err := w.cluster.write(ActorWorkloads, func() (*unstructured.Unstructured, error) {
		return w.cluster.store.Create(pod, store.Options{Actor: ActorWorkloads, Manager: managerControllers})
	})
	w.again(err)
}

func (w *workloadPods) delete(pod *unstructured.Unstructured) {
	_, err := w.cluster.write(ActorWorkloads, func() (*unstructured.Unstructured, error) {
		return nil, w.cluster.store.Delete(store.KeyOf(pod), store.DeleteOptions{Actor: ActorWorkloads, UID: pod.GetUID()})
	})
	w.again(err)
}

// again looks at a workload whose write was refused. One that was written is heard of.
func (w *workloadPods) again(err error) {
	task := Task{ActorWorkloads, store.KeyOf(w.workload)}
	if err != nil {
		w.cluster.backOff(task)
		return
	}
	delete(w.cluster.failures, task)
}

// report the status, when it says something new.
func (w *workloadPods) report(status map[string]any) {
	if store.Same(status, at(w.workload, "status")) {
		return
	}
	changed := w.workload.DeepCopy()
	changed.Object["status"] = status
	w.cluster.writeStatus(changed, ActorWorkloads, managerControllers)
}

// drawn name of a Pod.
func (w *workloadPods) drawn(of string) string {
	return fmt.Sprintf("%s-%05x", of, w.cluster.random.IntN(1<<20))
}

// podIsReady says that a Pod takes part.
func podIsReady(pod *unstructured.Unstructured) bool {
	status, _, _ := Condition(pod, conditionReady)
	return status == statusTrue && !deleting(pod)
}

// endedPod says that a Pod is in a final phase.
func endedPod(pod *unstructured.Unstructured) bool {
	phase := stringAt(pod, "status", "phase")
	return phase == phaseFailed || phase == phaseSucceeded
}

// ofJob says that a Pod runs to its end.
func ofJob(pod *unstructured.Unstructured) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == kindJob
}

// wakeOwnerOf a Pod that changed.
func (c *Cluster) wakeOwnerOf(change store.Change) {
	if !c.config.Pods {
		return
	}
	pod := change.After
	if pod == nil {
		pod = change.Before
	}
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return
	}
	key := store.Key{GVK: store.Kind(owner.APIVersion, owner.Kind), Namespace: pod.GetNamespace(), Name: owner.Name}
	if workload(key.GVK) {
		c.queue.add(Task{ActorWorkloads, key}, c.queue.soon(), false)
	}
}

// newAddress for a Pod: each has another, also one that comes back under its name.
func (c *Cluster) newAddress() string {
	if !c.config.Pods {
		return ""
	}
	c.addresses++
	return fmt.Sprintf("10.1.%d.%d", c.addresses/250, c.addresses%250+1)
}

// admitBinding refuses a RoleBinding whose Role is not there, since the API server compares the Role's rules with the rights
// of who binds it.
func (c *Cluster) admitBinding(r *store.Request) error {
	role := store.Key{GVK: r.Key.GVK.GroupVersion().WithKind("Role"), Namespace: r.Key.Namespace, Name: stringAt(r.Object, "roleRef", "name")}
	if !c.config.Pods || r.Key.GVK.Kind != "RoleBinding" || c.store.Peek(role) != nil {
		return nil
	}
	return store.NewNotFound(role)
}

// SetSilent keeps a Pod that is there from ever answering its readiness probe, as a server does that gave up at its
// start: until another Pod takes its place.
func (c *Cluster) SetSilent(namespace, pod string) {
	if of := c.Get(kindPod(), namespace, pod); of != nil {
		c.silent[uidOf(of)] = true
	}
}

// PodsOf a workload by the label app, in order of their names.
func (c *Cluster) PodsOf(namespace, app string) []*unstructured.Unstructured {
	return slices.DeleteFunc(c.store.List(kindPod(), namespace), func(pod *unstructured.Unstructured) bool {
		return stringAt(pod, "metadata", "labels", "app") != app
	})
}

// ordinal of a StatefulSet's Pod.
func ordinal(pod *unstructured.Unstructured) int {
	number := 0
	_, _ = fmt.Sscan(pod.GetName()[strings.LastIndex(pod.GetName(), "-")+1:], &number)
	return number
}
