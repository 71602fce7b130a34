package simulator

import (
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// What Crossplane writes on composite resources.
const (
	finalizerComposite = "composite.apiextensions.crossplane.io"
	managerCrossplane  = "crossplane"
	managerComposite   = "apiextensions.crossplane.io/composite"
	labelComposite     = "crossplane.io/composite"
	labelClaimName     = "crossplane.io/claim-name"
	labelClaimSpace    = "crossplane.io/claim-namespace"

	eventCompose = "ComposeResources"

	// hanging is how long a pass hangs that waits for a cache, before it is given up.
	hanging = 2 * time.Minute

	textFatal = "A fatal error occurred before the status of this condition could be determined."
)

// errCrashed ends a pass because Crossplane is gone.
var errCrashed = errors.New("crossplane crashed")

// machinery is where a composite resource keeps Crossplane's own fields: under spec.crossplane, or directly under spec
// in the legacy kinds that can be claimed.
func (c Composite) machinery(field string) []string {
	if c.legacy() {
		return []string{fieldSpec, field}
	}
	return []string{fieldSpec, "crossplane", field}
}

// reconcileComposite is one pass of Crossplane's reconciler for composite resources.
func (c *Cluster) reconcileComposite(key store.Key) {
	task := Task{ActorCrossplane, key}
	if c.crossplaneDown(task) {
		return
	}
	if _, busy := c.held[key]; busy {
		// Passes of one composite resource never overlap: this one waits for the one that is held up.
		c.queue.add(task, time.Second, true)
		return
	}
	observed := c.cache.get(key)
	if observed == nil {
		return
	}
	kind := c.kinds[key.GVK]
	p := &pass{cluster: c, kind: kind, key: key, task: task, xr: observed.DeepCopy(), observed: observed}
	c.begin(p)
	if deleting(observed) {
		p.end(p.finalize())
		return
	}
	if c.functionDown {
		// The call waits for its connection: no condition says so. It is answered up to 26 s after the function is back.
		c.waiting[task] = struct{}{}
		c.finish(p, "waiting for the function", nil)
		return
	}
	p.mark(c.responsive(key))
	if err := p.prepare(); err != nil {
		p.end(err)
		return
	}
	decided, err := p.decide()
	if err != nil {
		p.end(err)
		return
	}
	if hold := c.takeHold(); hold > 0 {
		c.held[key] = func() {
			c.pass = p.record
			p.end(p.carryOut(decided))
		}
		c.queue.add(Task{ActorHeld, key}, hold, false)
		c.pass = nil
		return
	}
	p.end(p.carryOut(decided))
}

// release carries out what a pass that was held up has decided long ago.
func (c *Cluster) release(key store.Key) {
	if write, found := c.held[key]; found {
		delete(c.held, key)
		write()
	}
}

// pass of one composite resource. xr is Crossplane's copy of it in memory, observed what it read.
type pass struct {
	cluster  *Cluster
	kind     *Composite
	key      store.Key
	task     Task
	xr       *unstructured.Unstructured
	observed *unstructured.Unstructured
	record   *Pass
	// seen are the types of the conditions that the function gave in this pass.
	seen map[string]bool
	ttl  time.Duration
	// lost says that xr has no longer what a status update needs.
	lost bool
}

func (p *pass) mark(c condition) {
	c.generation = p.xr.GetGeneration()
	setCondition(p.xr, p.cluster.Now(), c)
}

func (p *pass) event(kind, reason, message string) { p.cluster.event(p.key, kind, reason, message) }

// prepare writes what a composite resource needs before its first composition, one update after the other.
func (p *pass) prepare() error {
	if !slices.Contains(p.xr.GetFinalizers(), finalizerComposite) {
		p.xr.SetFinalizers(append(p.xr.GetFinalizers(), finalizerComposite))
		if err := p.update("add composite resource finalizer"); err != nil {
			return err
		}
	}
	for _, field := range []string{"compositionRef", fieldRevision} {
		path := p.kind.machinery(field)
		if mapAt(p.xr, path...) != nil {
			continue
		}
		name := plural(p.kind.Kind)
		if field == fieldRevision {
			name += "-0000001"
		}
		if err := unstructured.SetNestedField(p.xr.Object, name, append(path, "name")...); err != nil {
			return fmt.Errorf("cannot select Composition: %w", err)
		}
		if err := p.update("update composite resource"); err != nil {
			return err
		}
	}
	if p.xr.GetLabels()[labelComposite] == "" {
		labels := p.xr.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels[labelComposite] = p.xr.GetName()
		p.xr.SetLabels(labels)
		if err := p.update("configure composite resource"); err != nil {
			return err
		}
	}
	return nil
}

// update writes Crossplane's copy of the composite resource, as a compare-and-set, and keeps its unsaved conditions.
func (p *pass) update(what string) error {
	stored, err := p.cluster.write(ActorCrossplane, func() (*unstructured.Unstructured, error) {
		return p.cluster.store.Update(p.xr, store.Options{Actor: ActorCrossplane, Manager: managerCrossplane})
	})
	if err != nil {
		return wrap(err, "cannot "+what)
	}
	status := p.xr.Object["status"]
	p.xr = stored.DeepCopy()
	if status != nil {
		p.xr.Object["status"] = status
	}
	return nil
}

// updateStatus writes the conditions. Like Crossplane it is a compare-and-set: when this pass has raised the composite
// resource's version elsewhere, or the copy has lost it, nothing is written.
func (p *pass) updateStatus() error {
	if p.lost {
		return nil
	}
	_, err := p.cluster.write(ActorCrossplane, func() (*unstructured.Unstructured, error) {
		return p.cluster.store.Update(p.xr, store.Options{Actor: ActorCrossplane, Manager: managerCrossplane, Subresource: subresourceStatus})
	})
	return err
}

// finalize lets a composite resource that is being deleted go. The function is not called.
func (p *pass) finalize() error {
	p.mark(condition{kind: conditionReady, status: statusFalse, reason: reasonDeleting})
	if slices.Contains(p.xr.GetFinalizers(), finalizerComposite) {
		p.xr.SetFinalizers(slices.DeleteFunc(p.xr.GetFinalizers(), func(f string) bool { return f == finalizerComposite }))
		if err := p.update("remove composite resource finalizer"); err != nil {
			return err
		}
	}
	p.mark(condition{kind: conditionSynced, status: statusTrue, reason: reasonReconcileSuccess})
	if p.cluster.store.Peek(p.key) == nil {
		return nil
	}
	return p.updateStatus()
}

// end of a pass: what the reconciler does with its error.
func (p *pass) end(err error) {
	c := p.cluster
	switch {
	case isCrash(err):
		c.restart()
		c.finish(p, "crashed", err)
		return
	case err == nil:
		delete(c.failures, p.task)
		if p.ttl > 0 {
			c.queue.add(p.task, c.jitter(p.ttl), true)
		}
		c.finish(p, "", nil)
		return
	case apierrors.IsConflict(err):
		c.backOff(p.task)
		c.finish(p, "conflict", err)
		return
	case errors.Is(err, errUnreadable):
		c.queue.add(p.task, hanging, true)
		c.finish(p, "hanging", err)
		return
	}
	err = wrap(err, "cannot compose resources")
	p.event(EventWarning, eventCompose, err.Error())
	message := err.Error()
	if apierrors.IsInvalid(err) {
		message = "cannot compose resources: some resources were invalid, check events"
	}
	message = c.explain(err, message)
	p.mark(condition{kind: conditionSynced, status: statusFalse, reason: reasonReconcileError, message: message})
	for _, o := range listAt(p.xr, "status", "conditions") {
		existing, _ := o.(map[string]any)
		kind, _ := existing["type"].(string)
		if !systemCondition(kind) && !p.seen[kind] {
			p.mark(condition{kind: kind, status: statusUnknown, reason: reasonFatalError, message: textFatal})
		}
	}
	if crash := p.updateStatus(); isCrash(crash) {
		c.restart()
		c.finish(p, "crashed", crash)
		return
	}
	c.backOff(p.task)
	c.finish(p, "failed", err)
}

// wrap keeps the API status that callers look for.
func wrap(err error, what string) error { return fmt.Errorf("%s: %w", what, err) }

// isCrash says that the process ended, not the request.
func isCrash(err error) bool { return errors.Is(err, errCrashed) }
