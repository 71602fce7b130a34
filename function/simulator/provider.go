package simulator

import (
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// What provider-kubernetes is known by.
const (
	finalizerObject  = "finalizer.managedresource.crossplane.io"
	managerProvider  = "crossplane-kubernetes-provider"
	pollInterval     = 10 * time.Minute
	creationGrace    = 30 * time.Second
	annotationCreate = "crossplane.io/external-create-"
)

// providerState is what the provider keeps in memory of an Object: the outcome of the dry run of its manifest.
type providerState struct {
	manifest map[string]any
	desired  *unstructured.Unstructured
}

// desiredStateChanged is the provider's predicate: it does not look at changes of status, nor at its own annotations.
func desiredStateChanged(change store.Change) bool {
	before, after := change.Before, change.After
	if before == nil || after == nil {
		return after != nil
	}
	if before.GetGeneration() != after.GetGeneration() || deleting(before) != deleting(after) {
		return true
	}
	ignored := []string{annotationCreate + "failed", annotationCreate + "pending"}
	return !sameText(mapAt(before, "metadata", "annotations"), mapAt(after, "metadata", "annotations"), ignored) ||
		!sameText(mapAt(before, "metadata", "labels"), mapAt(after, "metadata", "labels"), nil)
}

func sameText(x, y map[string]any, ignored []string) bool {
	for name := range union(x, y) {
		if !slices.Contains(ignored, name) && x[name] != y[name] {
			return false
		}
	}
	return true
}

// managed is one reconcile of an Object.
type managed struct {
	cluster  *Cluster
	key      store.Key
	task     Task
	object   *unstructured.Unstructured
	manifest *unstructured.Unstructured
}

// reconcileObject is the managed reconciler of crossplane-runtime with provider-kubernetes behind it.
func (c *Cluster) reconcileObject(key store.Key) {
	live := c.store.Peek(key)
	if live == nil || c.providerDown {
		return
	}
	m := &managed{cluster: c, key: key, task: Task{ActorProvider, key}, object: live.DeepCopy()}
	if deleting(live) && !m.may("Delete") {
		m.release()
		return
	}
	if c.store.Peek(m.providerConfig()) == nil {
		m.fail("connect failed: cannot get provider config: " + notFoundText(m.providerConfig()))
		return
	}
	manifest, ok := at(m.object, "spec", "forProvider", "manifest").(map[string]any)
	if !ok {
		m.fail("observe failed: cannot unmarshal template")
		return
	}
	m.manifest = (&unstructured.Unstructured{Object: manifest}).DeepCopy()
	if m.manifest.GetName() == "" {
		m.manifest.SetName(key.Name)
	}
	m.observe()
}

func (m *managed) providerConfig() store.Key {
	name := stringAt(m.object, "spec", "providerConfigRef", "name")
	if name == "" {
		name = "default"
	}
	kind := kindProviderConfig()
	if stringAt(m.object, "spec", "providerConfigRef", "kind") == clusterProviderConfig {
		kind.Kind = clusterProviderConfig
		return store.Key{GVK: kind, Name: name}
	}
	return store.Key{GVK: kind, Namespace: m.key.Namespace, Name: name}
}

// may says whether the management policies allow an action. No policies mean all.
func (m *managed) may(action string) bool {
	policies := listAt(m.object, "spec", "managementPolicies")
	return len(policies) == 0 || slices.Contains(policies, any("*")) || slices.Contains(policies, any(action))
}

func (m *managed) manager() string { return "provider-kubernetes/" + m.key.Name }

// observe the external object, and create, update or delete it.
func (m *managed) observe() {
	external := m.cluster.store.Peek(store.KeyOf(m.manifest))
	if external == nil {
		m.absent()
		return
	}
	m.copyToStatus(external)
	if deleting(m.object) {
		_, err := m.cluster.write(ActorProvider, func() (*unstructured.Unstructured, error) {
			return nil, m.cluster.store.Delete(store.KeyOf(m.manifest), store.DeleteOptions{Actor: ActorProvider, Propagation: metav1.DeletePropagationBackground})
		})
		if err != nil && !apierrors.IsNotFound(err) {
			m.fail("delete failed: cannot delete object: " + err.Error())
			return
		}
		m.mark(condition{kind: conditionReady, status: statusFalse, reason: reasonDeleting}, success())
		m.save()
		m.cluster.queue.add(m.task, time.Second, false)
		return
	}
	desired, err := m.desired()
	if apierrors.IsConflict(err) {
		m.cluster.backOff(m.task)
		return
	}
	if err != nil {
		m.fail("observe failed: cannot get desired state: cannot dry run SSA: " + err.Error())
		return
	}
	current, err := m.cluster.store.Extract(external, m.manager())
	if err != nil {
		m.fail("observe failed: cannot get observed state: " + err.Error())
		return
	}
	upToDate := (!m.may("Create") && !m.may("Update")) || store.Same(current.Object, desired.Object)
	if !m.addFinalizer() {
		return
	}
	if upToDate {
		m.mark(condition{kind: conditionReady, status: statusTrue, reason: reasonAvailable}, success())
		m.settle()
		return
	}
	if !m.may("Update") {
		// The managed reconciler skips the update and is content. Ready stays as it was.
		m.mark(success())
		m.settle()
		return
	}
	m.update()
}

// desired is what the manifest makes of the external object, defaults included. It is asked once for each manifest.
func (m *managed) desired() (*unstructured.Unstructured, error) {
	uid := uidOf(m.object)
	if known, found := m.cluster.desired[uid]; found && store.Same(known.manifest, m.manifest.Object) {
		return known.desired, nil
	}
	tried, err := m.cluster.store.Apply(m.manifest, store.Options{Actor: ActorProvider, Manager: m.manager(), DryRun: true})
	if err != nil {
		return nil, err
	}
	desired, err := m.cluster.store.Extract(tried, m.manager())
	if err != nil {
		return nil, err
	}
	m.cluster.desired[uid] = providerState{manifest: m.manifest.Object, desired: desired}
	return desired, nil
}

// absent handles an external object that is not there. An update creates it too: it is a server-side apply.
func (m *managed) absent() {
	c := m.cluster
	if created, err := time.Parse(time.RFC3339, m.object.GetAnnotations()[annotationCreate+"succeeded"]); err == nil && c.Now().Before(created.Add(creationGrace)) {
		c.event(m.key, EventNormal, "PendingExternalResource", "Waiting for external resource existence to be confirmed")
		c.backOff(m.task)
		return
	}
	if deleting(m.object) {
		m.release()
		return
	}
	if !m.may("Create") && !m.may("Update") {
		m.fail("observe failed: external resource does not exist")
		return
	}
	if !m.addFinalizer() {
		return
	}
	if !m.may("Create") {
		m.update()
		return
	}
	if !m.annotate("pending") {
		return
	}
	stored, err := m.sync()
	if err != nil {
		if !apierrors.IsConflict(err) {
			c.event(m.key, EventWarning, "CannotCreateExternalResource", "cannot create object: cannot create object: "+err.Error())
		}
		if !m.annotate("failed") {
			return
		}
		m.mark(condition{kind: conditionReady, status: statusFalse, reason: reasonCreating})
		m.fail("create failed: cannot create object: cannot create object: " + err.Error())
		return
	}
	if !m.annotate("succeeded") {
		return
	}
	m.copyToStatus(stored)
	c.event(m.key, EventNormal, "CreatedExternalResource", "Successfully requested creation of external resource")
	m.mark(condition{kind: conditionReady, status: statusFalse, reason: reasonCreating}, success())
	m.save()
	c.queue.add(m.task, c.queue.soon(), false)
}

func (m *managed) update() {
	stored, err := m.sync()
	if err != nil {
		m.cluster.event(m.key, EventWarning, "CannotUpdateExternalResource", "cannot apply object: cannot create object: "+err.Error())
		m.fail("update failed: cannot apply object: cannot create object: " + err.Error())
		return
	}
	m.copyToStatus(stored)
	m.cluster.event(m.key, EventNormal, "UpdatedExternalResource", "Successfully requested update of external resource")
	m.mark(success())
	m.settle()
}

func (m *managed) sync() (*unstructured.Unstructured, error) {
	return m.cluster.write(ActorProvider, func() (*unstructured.Unstructured, error) {
		return m.cluster.store.Apply(m.manifest, store.Options{Actor: ActorProvider, Manager: m.manager()})
	})
}

// settle saves the status and looks again after the poll interval.
func (m *managed) settle() {
	if !m.save() {
		return
	}
	delete(m.cluster.failures, m.task)
	m.cluster.queue.add(m.task, pollInterval, true)
}

// fail saves the error and tries again later.
func (m *managed) fail(message string) {
	m.mark(condition{kind: conditionSynced, status: statusFalse, reason: reasonReconcileError, message: message})
	m.save()
	m.cluster.backOff(m.task)
}

func success() condition {
	return condition{kind: conditionSynced, status: statusTrue, reason: reasonReconcileSuccess}
}

func (m *managed) mark(conditions ...condition) {
	for _, c := range conditions {
		c.generation = m.object.GetGeneration()
		setCondition(m.object, m.cluster.Now(), c)
	}
}

func (m *managed) copyToStatus(external *unstructured.Unstructured) {
	status, ok := m.object.Object["status"].(map[string]any)
	if !ok {
		status = map[string]any{}
		m.object.Object["status"] = status
	}
	status["atProvider"] = map[string]any{"manifest": external.DeepCopy().Object}
}

// save the status. A conflict is silent: the Object is looked at again.
func (m *managed) save() bool {
	_, err := m.cluster.write(ActorProvider, func() (*unstructured.Unstructured, error) {
		return m.cluster.store.Update(m.object, store.Options{Actor: ActorProvider, Manager: managerProvider, Subresource: subresourceStatus})
	})
	if err != nil {
		m.cluster.backOff(m.task)
	}
	return err == nil
}

// updateMetadata writes the Object itself and keeps the status that is not saved yet.
func (m *managed) updateMetadata() bool {
	status := m.object.Object["status"]
	stored, err := m.cluster.write(ActorProvider, func() (*unstructured.Unstructured, error) {
		return m.cluster.store.Update(m.object, store.Options{Actor: ActorProvider, Manager: managerProvider})
	})
	if err != nil {
		m.cluster.backOff(m.task)
		return false
	}
	m.object = stored.DeepCopy()
	if status != nil {
		m.object.Object["status"] = status
	}
	return true
}

func (m *managed) annotate(what string) bool {
	annotations := m.object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[annotationCreate+what] = m.cluster.Now().Format(time.RFC3339)
	m.object.SetAnnotations(annotations)
	return m.updateMetadata()
}

func (m *managed) addFinalizer() bool {
	if slices.Contains(m.object.GetFinalizers(), finalizerObject) {
		return true
	}
	m.object.SetFinalizers(append(m.object.GetFinalizers(), finalizerObject))
	return m.updateMetadata()
}

// release lets the Object go and leaves the external object.
func (m *managed) release() {
	m.object.SetFinalizers(slices.DeleteFunc(m.object.GetFinalizers(), func(f string) bool { return f == finalizerObject }))
	delete(m.cluster.desired, uidOf(m.object))
	m.updateMetadata()
}

func notFoundText(key store.Key) string {
	return fmt.Sprintf("%s.%s %q not found", key.GVK.Kind, key.GVK.Group, key.Name)
}
