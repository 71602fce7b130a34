package store

import (
	"fmt"
	"sort"
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Verb of a write.
type Verb string

// Verbs. A delete that must wait (finalizers, a grace period) marks the object, its end is the removal.
const (
	VerbApply  Verb = "apply"
	VerbCreate Verb = "create"
	VerbUpdate Verb = "update"
	VerbDelete Verb = "delete"
)

// Outcome is what a write did to the object.
type Outcome string

// Outcomes of writes.
const (
	OutcomeCreated Outcome = "created"
	OutcomeUpdated Outcome = "updated"
	OutcomeMarked  Outcome = "marked for deletion"
	OutcomeRemoved Outcome = "removed"
)

// Change is one write that changed something. Before is nil for what was created, After for what was removed.
type Change struct {
	Outcome Outcome
	Verb    Verb
	// Actor is the component that wrote, Manager its field manager (empty for deletions).
	Actor       string
	Manager     string
	Subresource string
	Key         Key
	Before      *unstructured.Unstructured
	After       *unstructured.Unstructured
}

// Request is a write on its way through admission. Admission may change Object, except in a deletion.
type Request struct {
	Verb        Verb
	Actor       string
	Manager     string
	Subresource string
	Key         Key
	Object      *unstructured.Unstructured
	Before      *unstructured.Unstructured
	DryRun      bool
}

// Admission changes or refuses a write. Its error, an API status error, is the answer to the client.
type Admission func(*Request) error

// Options of a write.
type Options struct {
	Actor       string
	Manager     string
	Subresource string
	DryRun      bool
}

// Config of a store.
type Config struct {
	// Now is the time of the cluster.
	Now func() time.Time
	// Admission runs in order for each write: webhooks, policies, quotas, injected refusals.
	Admission []Admission
	// Changed is called after each write that changed something.
	Changed func(Change)
	// Schemas of custom kinds. An apply with a field that they do not declare is refused.
	Schemas map[schema.GroupVersionKind]Schema
}

// record is one stored object. The object is never changed in place, so that it can be shared.
type record struct {
	object  *unstructured.Unstructured
	message *structpb.Struct
	version string
	// intents are the last ones that were applied, by manager and subresource.
	intents map[intentKey]appliedIntent
}

type intentKey struct{ manager, subresource string }

// appliedIntent is what a manager applied last, and the object that it made.
type appliedIntent struct {
	result *unstructured.Unstructured
	intent map[string]any
}

// Store has the objects of one simulated cluster. It is not safe for concurrent use.
type Store struct {
	config   Config
	fields   *fields
	records  map[Key]*record
	versions uint64
	uids     uint64
}

// New store without objects.
func New(config Config) (*Store, error) {
	f, err := newFields()
	if err != nil {
		return nil, err
	}
	return &Store{config: config, fields: f, records: map[Key]*record{}}, nil
}

// Get the object, or a NotFound error.
func (s *Store) Get(key Key) (*unstructured.Unstructured, error) {
	if r, found := s.records[key]; found {
		return r.object, nil
	}
	return nil, NewNotFound(key)
}

// Peek is Get for callers to whom absence is no error.
func (s *Store) Peek(key Key) *unstructured.Unstructured {
	if r, found := s.records[key]; found {
		return r.object
	}
	return nil
}

// List the objects of a kind, of one namespace unless it is empty, in order of namespace and name.
func (s *Store) List(kind schema.GroupVersionKind, namespace string) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for key, r := range s.records {
		if key.GVK == kind && (namespace == "" || key.Namespace == namespace) {
			out = append(out, r.object)
		}
	}
	Sort(out)
	return out
}

// All objects, in order of kind, namespace and name.
func (s *Store) All() []*unstructured.Unstructured {
	out := make([]*unstructured.Unstructured, 0, len(s.records))
	for _, r := range s.records {
		out = append(out, r.object)
	}
	Sort(out)
	return out
}

// ByUID finds an object by its identity.
func (s *Store) ByUID(uid types.UID) *unstructured.Unstructured {
	for _, r := range s.records {
		if stringAt(r.object.Object, "metadata", "uid") == string(uid) {
			return r.object
		}
	}
	return nil
}

// Version of the newest write. It stays as it is while nothing changes.
func (s *Store) Version() string { return strconv.FormatUint(s.versions, 10) }

// Message is the object as functions receive it. It is made once for each version and must not be changed.
func (s *Store) Message(object *unstructured.Unstructured) (*structpb.Struct, error) {
	r := s.records[KeyOf(object)]
	current := r != nil && r.object == object
	if current && r.message != nil {
		return r.message, nil
	}
	m, err := structpb.NewStruct(object.Object)
	if err != nil {
		return nil, fmt.Errorf("cannot encode %s: %w", KeyOf(object), err)
	}
	if current {
		r.message = m
	}
	return m, nil
}

// Restore makes the objects all there is, exactly as they are but for new versions, and identities where
// they have none. It returns what it changed. There is no admission.
func (s *Store) Restore(objects []*unstructured.Unstructured) []Change {
	gone := s.records
	s.records = make(map[Key]*record, len(objects))
	var changes []Change
	for _, o := range objects {
		restored := o.DeepCopy()
		restored.SetResourceVersion(s.nextVersion())
		if restored.GetUID() == "" {
			metadataOf(restored)["uid"] = s.nextUID()
		}
		key := KeyOf(o)
		change := Change{Outcome: OutcomeCreated, Verb: VerbUpdate, Actor: ActorRestore, Key: key, After: restored}
		if r, found := gone[key]; found {
			change.Outcome, change.Before = OutcomeUpdated, r.object
			delete(gone, key)
		}
		s.records[key] = newRecord(restored)
		changes = append(changes, change)
	}
	removed := make([]*unstructured.Unstructured, 0, len(gone))
	for _, r := range gone {
		removed = append(removed, r.object)
	}
	Sort(removed)
	for _, o := range removed {
		changes = append(changes, Change{Outcome: OutcomeRemoved, Verb: VerbDelete, Actor: ActorRestore, Key: KeyOf(o), Before: o})
	}
	return changes
}

// ActorRestore is who writes when a snapshot is restored.
const ActorRestore = "restore"

func newRecord(object *unstructured.Unstructured) *record {
	return &record{object: object, version: object.GetResourceVersion(), intents: map[intentKey]appliedIntent{}}
}

func (s *Store) nextVersion() string {
	s.versions++
	return s.Version()
}

// nextUID counts, so that a run can be repeated. It looks like the random ones of Kubernetes.
func (s *Store) nextUID() string {
	s.uids++
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", s.uids*2654435761%(1<<32), s.uids)
}

func (s *Store) notify(change Change) {
	if s.config.Changed != nil {
		s.config.Changed(change)
	}
}

func (s *Store) now() string { return s.config.Now().UTC().Format(time.RFC3339) }

// Sort objects by kind, namespace and name.
func Sort(objects []*unstructured.Unstructured) {
	sort.Slice(objects, func(i, j int) bool { return KeyOf(objects[i]).Less(KeyOf(objects[j])) })
}
