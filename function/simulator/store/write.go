package store

import (
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const subresourceStatus = "status"

// Apply is a forced server-side apply. It creates what is absent, also when the intent carries a resourceVersion; with
// a uid it does not. The stored object is returned, or the one that would be stored for a dry run.
func (s *Store) Apply(intent *unstructured.Unstructured, o Options) (*unstructured.Unstructured, error) {
	key := KeyOf(intent)
	r := s.records[key]
	id := intentKey{manager: o.Manager, subresource: o.Subresource}
	if r == nil {
		return s.applyNew(key, intent, o)
	}
	if v := intent.GetResourceVersion(); v != "" && v != r.version {
		return nil, NewConflict(key)
	}
	if last, found := r.intents[id]; found && last.stands(r.object, id) && sameIntent(last.intent, intent.Object) {
		return r.object, nil
	}
	if err := s.declared(key.GVK, intent); err != nil {
		return nil, err
	}
	after, err := s.merge(r.object, intent, key, o)
	if err != nil {
		return nil, err
	}
	stored, err := s.finish(Request{Verb: VerbApply, Actor: o.Actor, Manager: o.Manager, Subresource: o.Subresource, Key: key, Object: after, Before: r.object, DryRun: o.DryRun},
		intent.GetUID() != "")
	if err != nil || o.DryRun {
		return stored, err
	}
	if now := s.records[key]; now != nil {
		now.intents[id] = appliedIntent{result: now.object, intent: intent.DeepCopy().Object}
	}
	return stored, nil
}

func (s *Store) applyNew(key Key, intent *unstructured.Unstructured, o Options) (*unstructured.Unstructured, error) {
	if o.Subresource != "" {
		return nil, NewNotFound(key)
	}
	if err := s.declared(key.GVK, intent); err != nil {
		return nil, err
	}
	if uid := intent.GetUID(); uid != "" {
		return nil, conflict(key, "uid mismatch: the provided object specified uid %s, and no existing object was found", uid)
	}
	empty := &unstructured.Unstructured{Object: map[string]any{}}
	empty.SetGroupVersionKind(key.GVK)
	after, err := s.merge(empty, intent, key, o)
	if err != nil {
		return nil, err
	}
	return s.finish(Request{Verb: VerbApply, Actor: o.Actor, Manager: o.Manager, Key: key, Object: after, DryRun: o.DryRun}, false)
}

// merge runs the real server-side apply on copies.
func (s *Store) merge(live, intent *unstructured.Unstructured, key Key, o Options) (*unstructured.Unstructured, error) {
	m, err := s.fields.manager(key.GVK, o.Subresource)
	if err != nil {
		return nil, err
	}
	patch := subresourceIntent(intent, o.Subresource)
	// The server ignores these in an intent: they are conditions of the request, not wishes.
	unstructured.RemoveNestedField(patch.Object, "metadata", "resourceVersion")
	merged, err := m.Apply(live.DeepCopy(), patch, o.Manager, true)
	if err != nil {
		// The server's own words: they are part of what is modelled.
		return nil, err
	}
	u, ok := merged.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("cannot apply %s: the merge gave a %T", key, merged)
	}
	s.retime(live, u, metav1.ManagedFieldsOperationApply, o)
	return u, nil
}

// Create an object on behalf of a manager, with operation Update as kubectl create has.
func (s *Store) Create(object *unstructured.Unstructured, o Options) (*unstructured.Unstructured, error) {
	key := KeyOf(object)
	if r := s.records[key]; r != nil {
		return nil, exists(key, r.object.GetDeletionTimestamp() != nil)
	}
	if object.GetResourceVersion() != "" {
		return nil, badRequest("resourceVersion should not be set on objects to be created")
	}
	empty := &unstructured.Unstructured{Object: map[string]any{}}
	empty.SetGroupVersionKind(key.GVK)
	after, err := s.track(empty, object, key, o)
	if err != nil {
		return nil, err
	}
	return s.finish(Request{Verb: VerbCreate, Actor: o.Actor, Manager: o.Manager, Key: key, Object: after, DryRun: o.DryRun}, false)
}

// Update an object on behalf of a manager. With a resourceVersion it is a compare-and-set. With subresource status
// only the status counts, without it everything but the status.
func (s *Store) Update(object *unstructured.Unstructured, o Options) (*unstructured.Unstructured, error) {
	key := KeyOf(object)
	r := s.records[key]
	if r == nil {
		return nil, NewNotFound(key)
	}
	if v := object.GetResourceVersion(); v != "" && v != r.version {
		return nil, NewConflict(key)
	}
	after := withSubresource(r.object, object, o.Subresource)
	if Same(r.object.Object, after.Object) {
		after = r.object.DeepCopy() // Nobody comes to own anything.
	} else {
		var err error
		if after, err = s.track(r.object, after, key, o); err != nil {
			return nil, err
		}
	}
	return s.finish(Request{Verb: VerbUpdate, Actor: o.Actor, Manager: o.Manager, Subresource: o.Subresource, Key: key, Object: after, Before: r.object, DryRun: o.DryRun}, object.GetUID() != "")
}

// track records the manager of what differs.
func (s *Store) track(live, object *unstructured.Unstructured, key Key, o Options) (*unstructured.Unstructured, error) {
	m, err := s.fields.manager(key.GVK, o.Subresource)
	if err != nil {
		return nil, err
	}
	tracked, err := m.Update(live.DeepCopy(), object.DeepCopy(), o.Manager)
	if err != nil {
		return nil, fmt.Errorf("cannot update %s: %w", key, err)
	}
	u, ok := tracked.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("cannot update %s: the tracker gave a %T", key, tracked)
	}
	s.retime(live, u, metav1.ManagedFieldsOperationUpdate, o)
	return u, nil
}

func (s *Store) retime(live, after *unstructured.Unstructured, operation metav1.ManagedFieldsOperationType, o Options) {
	retime(listAt(live.Object, "metadata", "managedFields"), listAt(after.Object, "metadata", "managedFields"), s.now(), func(entry map[string]any) bool {
		return stringAt(entry, "manager") == o.Manager && stringAt(entry, "operation") == string(operation) && stringAt(entry, "subresource") == o.Subresource
	})
}

// finish brings a write through defaults, admission and validation into the store, or not when nothing differs.
func (s *Store) finish(request Request, claimsUID bool) (*unstructured.Unstructured, error) {
	before, after := request.Before, request.Object
	if before != nil && claimsUID && after.GetUID() != before.GetUID() {
		return nil, invalid(request.Key, "metadata.uid: Invalid value: %q: field is immutable", after.GetUID())
	}
	s.stamp(before, after)
	setDefaults(before, after)
	for _, admit := range s.config.Admission {
		if err := admit(&request); err != nil {
			return nil, err
		}
	}
	if err := validate(request.Key, before, after); err != nil {
		return nil, err
	}
	if before == nil {
		if request.DryRun {
			return after, nil
		}
		return s.store(request, OutcomeCreated), nil
	}
	if sameObject(before, after) {
		return before, nil
	}
	if specChanged(before, after) {
		after.SetGeneration(before.GetGeneration() + 1)
	}
	if request.DryRun {
		return after, nil
	}
	return s.store(request, OutcomeUpdated), nil
}

// store commits, and removes the object when this write took away the last thing that held a deletion up.
func (s *Store) store(request Request, outcome Outcome) *unstructured.Unstructured {
	after := request.Object
	change := Change{Outcome: outcome, Verb: request.Verb, Actor: request.Actor, Manager: request.Manager, Subresource: request.Subresource, Key: request.Key, Before: request.Before, After: after}
	if outcome == OutcomeCreated {
		metadataOf(after)["uid"] = s.nextUID()
	}
	after.SetResourceVersion(s.nextVersion())
	if ended(after) {
		delete(s.records, request.Key)
		change.Outcome, change.After = OutcomeRemoved, nil
		s.notify(change)
		return after
	}
	stored := newRecord(after)
	if earlier := s.records[request.Key]; earlier != nil {
		stored.intents = earlier.intents
	}
	s.records[request.Key] = stored
	s.notify(change)
	return after
}

// stamp sets what belongs to the server alone.
func (s *Store) stamp(before, after *unstructured.Unstructured) {
	metadata, ok := after.Object["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		after.Object["metadata"] = metadata
	}
	for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		delete(metadata, field)
		if before == nil {
			continue
		}
		if v, found := metadataOf(before)[field]; found {
			metadata[field] = v
		}
	}
	if before == nil {
		metadata["creationTimestamp"] = s.now()
		if hasGeneration(after) {
			metadata["generation"] = int64(1)
		}
		delete(after.Object, "status")
	}
}

// sameObject compares what a write would store with what is stored: times of managed fields alone are no change.
func sameObject(before, after *unstructured.Unstructured) bool {
	return sameExcept(before.Object, after.Object, "metadata") &&
		sameExcept(metadataOf(before), metadataOf(after), "managedFields") &&
		sameFields(listAt(before.Object, "metadata", "managedFields"), listAt(after.Object, "metadata", "managedFields"))
}

func specChanged(before, after *unstructured.Unstructured) bool {
	if !hasGeneration(after) || sameExcept(before.Object, after.Object, "metadata", "status") {
		return false
	}
	// Binding a Pod to its node is no change of its spec.
	return after.GetKind() != kindPod || !sameExcept(specOf(before), specOf(after), "nodeName")
}

// hasGeneration is false for the kinds whose strategy does not count changes.
func hasGeneration(object *unstructured.Unstructured) bool {
	if object.GroupVersionKind().Group != "" {
		return true
	}
	return object.GetKind() == kindPod
}

// stands tells whether an object still is what the last apply of a manager made of it, in what the intent speaks of: to
// apply the same intent once more would change nothing. Pods are looked at closer, since a webhook can rewrite them at
// each update.
func (a appliedIntent) stands(now *unstructured.Unstructured, id intentKey) bool {
	if now == a.result {
		return true
	}
	if now.GetKind() == kindPod || !Same(appliedFields(now, id), appliedFields(a.result, id)) {
		return false
	}
	if id.subresource == subresourceStatus {
		return Same(now.Object[subresourceStatus], a.result.Object[subresourceStatus])
	}
	for field := range a.intent {
		if field != "metadata" && field != subresourceStatus && !Same(now.Object[field], a.result.Object[field]) {
			return false
		}
	}
	metadata, _ := a.intent["metadata"].(map[string]any)
	for field := range metadata {
		if field != "resourceVersion" && !Same(metadataOf(now)[field], metadataOf(a.result)[field]) {
			return false
		}
	}
	return true
}

// appliedFields are the fields that a manager has applied and still owns.
func appliedFields(object *unstructured.Unstructured, id intentKey) any {
	for _, o := range listAt(object.Object, "metadata", "managedFields") {
		entry, _ := o.(map[string]any)
		if stringAt(entry, "manager") == id.manager && stringAt(entry, "operation") == string(metav1.ManagedFieldsOperationApply) && stringAt(entry, "subresource") == id.subresource {
			return entry["fieldsV1"]
		}
	}
	return nil
}

func sameIntent(last, intent map[string]any) bool {
	if !sameExcept(last, intent, "metadata") {
		return false
	}
	a, _ := last["metadata"].(map[string]any)
	b, _ := intent["metadata"].(map[string]any)
	return sameExcept(a, b, "resourceVersion")
}

// subresourceIntent is the part of an intent that the (sub)resource takes: of a status nothing but the status, of the
// object everything else.
func subresourceIntent(intent *unstructured.Unstructured, subresource string) *unstructured.Unstructured {
	if subresource != subresourceStatus {
		out := intent.DeepCopy()
		delete(out.Object, "status")
		return out
	}
	out := &unstructured.Unstructured{Object: map[string]any{}}
	out.SetGroupVersionKind(intent.GroupVersionKind())
	out.SetNamespace(intent.GetNamespace())
	out.SetName(intent.GetName())
	if status, found := intent.Object["status"]; found {
		out.Object["status"] = status
	}
	return out.DeepCopy()
}

func withSubresource(live, object *unstructured.Unstructured, subresource string) *unstructured.Unstructured {
	base, other := object, live
	if subresource == subresourceStatus {
		base, other = live, object
	}
	out := &unstructured.Unstructured{Object: make(map[string]any, len(base.Object))}
	maps.Copy(out.Object, base.Object)
	delete(out.Object, "status")
	if status, found := other.Object["status"]; found {
		out.Object["status"] = status
	}
	return out
}
