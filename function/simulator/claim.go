package simulator

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

const (
	finalizerClaim = "finalizer.apiextensions.crossplane.io"
	managerClaim   = "apiextensions.crossplane.io/claim"
	eventBind      = "BindCompositeResource"
)

// wakeClaimOf a composite resource that changed.
func (c *Cluster) wakeClaimOf(change store.Change) {
	for _, xr := range []*unstructured.Unstructured{change.Before, change.After} {
		reference := mapAt(xr, "spec", "claimRef")
		if reference == nil {
			continue
		}
		namespace, _ := reference["namespace"].(string)
		name, _ := reference["name"].(string)
		key := store.Key{GVK: c.kinds[change.Key.GVK].Claim, Namespace: namespace, Name: name}
		c.queue.add(Task{ActorClaims, key}, c.queue.soon(), false)
	}
}

// reconcileClaim is Crossplane's reconciler of claims: it copies a claim to its composite resource, and what the
// composite resource says back.
func (c *Cluster) reconcileClaim(key store.Key) {
	task := Task{ActorClaims, key}
	if c.crossplaneDown(task) {
		return
	}
	live := c.store.Peek(key)
	if live == nil {
		return
	}
	r := &claimReconcile{cluster: c, kind: c.claims[key.GVK], key: key, claim: live.DeepCopy()}
	err := r.reconcile()
	switch {
	case err == nil:
		delete(c.failures, task)
	case isCrash(err):
		c.restart()
	default:
		c.backOff(task)
	}
}

type claimReconcile struct {
	cluster *Cluster
	kind    *Composite
	key     store.Key
	claim   *unstructured.Unstructured
}

func (r *claimReconcile) reconcile() error {
	xr := r.composite()
	if deleting(r.claim) {
		return r.finalize(xr)
	}
	if !slices.Contains(r.claim.GetFinalizers(), finalizerClaim) {
		r.claim.SetFinalizers(append(r.claim.GetFinalizers(), finalizerClaim))
		if err := r.update(""); err != nil {
			return err
		}
	}
	xr, err := r.sync(xr)
	if err != nil {
		return err
	}
	r.copyStatus(xr)
	r.mark(condition{kind: conditionSynced, status: statusTrue, reason: reasonReconcileSuccess})
	for _, kind := range listAt(xr, "status", "claimConditionTypes") {
		name, _ := kind.(string)
		status, reason, message := Condition(xr, name)
		if status == "" {
			status = statusUnknown
		}
		r.mark(condition{kind: name, status: status, reason: reason, message: message})
	}
	ready := condition{kind: conditionReady, status: statusTrue, reason: reasonAvailable}
	if status, _, _ := Condition(xr, conditionReady); status != statusTrue {
		r.cluster.event(r.key, EventNormal, eventBind, "Composite resource is not yet ready")
		ready = condition{kind: conditionReady, status: statusFalse, reason: "Waiting", message: "Composite resource claim is waiting for composite resource to become Ready"}
	}
	r.mark(ready)
	return r.update("status")
}

// composite resource that the claim refers to, nil when there is none.
func (r *claimReconcile) composite() *unstructured.Unstructured {
	name := stringAt(r.claim, "spec", "resourceRef", "name")
	if name == "" {
		return nil
	}
	return r.cluster.store.Peek(store.Key{GVK: r.kind.Kind, Name: name})
}

// finalize deletes the composite resource, in the background, and lets the claim go at once.
func (r *claimReconcile) finalize(xr *unstructured.Unstructured) error {
	if xr != nil {
		_, err := r.cluster.write(ActorClaims, func() (*unstructured.Unstructured, error) {
			return nil, r.cluster.store.Delete(store.KeyOf(xr), store.DeleteOptions{Actor: ActorClaims})
		})
		if err != nil && !apierrors.IsNotFound(err) {
			if !isCrash(err) {
				r.mark(condition{kind: conditionReady, status: statusFalse, reason: reasonDeleting},
					condition{kind: conditionSynced, status: statusFalse, reason: reasonReconcileError, message: "cannot delete bound composite resource: " + err.Error()})
				_ = r.update("status")
			}
			return err
		}
	}
	r.claim.SetFinalizers(slices.DeleteFunc(r.claim.GetFinalizers(), func(f string) bool { return f == finalizerClaim }))
	return r.update("")
}

// sync writes the composite resource: the claim's spec, labels and annotations are its own.
func (r *claimReconcile) sync(xr *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	name := stringAt(r.claim, "spec", "resourceRef", "name")
	if name == "" {
		name = fmt.Sprintf("%s-%05x", r.key.Name, r.cluster.random.Int64N(1<<20))
		reference := map[string]any{"apiVersion": r.kind.Kind.GroupVersion().String(), "kind": r.kind.Kind.Kind, "name": name}
		if err := unstructured.SetNestedMap(r.claim.Object, reference, "spec", "resourceRef"); err != nil {
			return nil, err
		}
	}
	if reference := mapAt(xr, "spec", "compositionRef"); reference != nil && mapAt(r.claim, "spec", "compositionRef") == nil {
		_ = unstructured.SetNestedMap(r.claim.Object, reference, "spec", "compositionRef")
	}
	if err := r.update(""); err != nil {
		return nil, err
	}
	intent := object(r.kind.Kind, "", name, nil)
	spec := map[string]any{}
	for field, value := range mapAt(r.claim, "spec") {
		switch field {
		case "resourceRef", "compositeDeletePolicy", fieldRevision, "writeConnectionSecretToRef":
		default:
			spec[field] = value
		}
	}
	spec["claimRef"] = map[string]any{"apiVersion": r.claim.GetAPIVersion(), "kind": r.claim.GetKind(), "namespace": r.key.Namespace, "name": r.key.Name}
	intent.Object["spec"] = spec
	labels := unreserved(r.claim.GetLabels())
	labels[labelClaimName], labels[labelClaimSpace] = r.key.Name, r.key.Namespace
	intent.SetLabels(labels)
	if annotations := unreserved(r.claim.GetAnnotations()); len(annotations) > 0 {
		intent.SetAnnotations(annotations)
	}
	return r.cluster.write(ActorClaims, func() (*unstructured.Unstructured, error) {
		return r.cluster.store.Apply(intent, store.Options{Actor: ActorClaims, Manager: managerClaim})
	})
}

// unreserved leaves out what belongs to Kubernetes, such as kubectl's last applied configuration.
func unreserved(values map[string]string) map[string]string {
	out := make(map[string]string, len(values))
	for key, value := range values {
		domain, _, _ := strings.Cut(key, "/")
		if domain != "kubernetes.io" && domain != "k8s.io" && !strings.HasSuffix(domain, ".kubernetes.io") && !strings.HasSuffix(domain, ".k8s.io") {
			out[key] = value
		}
	}
	return out
}

// copyStatus of the composite resource, without its conditions and Crossplane's own fields.
func (r *claimReconcile) copyStatus(xr *unstructured.Unstructured) {
	status := map[string]any{}
	for field, value := range mapAt(xr.DeepCopy(), "status") {
		switch field {
		case "conditions", "claimConditionTypes", "connectionDetails":
		default:
			status[field] = value
		}
	}
	if conditions := listAt(r.claim, "status", "conditions"); conditions != nil {
		status["conditions"] = conditions
	}
	r.claim.Object["status"] = status
}

func (r *claimReconcile) mark(conditions ...condition) {
	for _, c := range conditions {
		c.generation = r.claim.GetGeneration()
		setCondition(r.claim, r.cluster.Now(), c)
	}
}

func (r *claimReconcile) update(subresource string) error {
	status := r.claim.Object["status"]
	stored, err := r.cluster.write(ActorClaims, func() (*unstructured.Unstructured, error) {
		return r.cluster.store.Update(r.claim, store.Options{Actor: ActorClaims, Manager: managerCrossplane, Subresource: subresource})
	})
	if err != nil {
		return err
	}
	r.claim = stored.DeepCopy()
	if status != nil {
		r.claim.Object["status"] = status
	}
	return nil
}
