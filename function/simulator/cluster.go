package simulator

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// Function under test. It must not change its request, as it could not over the wire.
type Function interface {
	RunFunction(ctx context.Context, request *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)
}

// Composite is a kind of composite resources and its Composition: a pipeline of one step.
type Composite struct {
	Kind schema.GroupVersionKind
	// Claim makes the composite resource a cluster-scoped one of the legacy kind, with this kind of claims.
	Claim schema.GroupVersionKind
	// Step is the name of the pipeline step, "compose" when empty.
	Step     string
	Function Function
	Input    *structpb.Struct
	// Schema is the openAPIV3Schema of the CRD that Crossplane makes. When set, a status field that it does not declare
	// makes the write of the status fail.
	Schema store.Schema
}

func (c Composite) legacy() bool { return !c.Claim.Empty() }

// Config of a cluster.
type Config struct {
	Composites []Composite
	Seed       uint64
	// Start of the simulated time, 2026-01-01 UTC when zero.
	Start time.Time
	// Nodes are the names of the Nodes, "node-1" when empty.
	Nodes []string
	// StopAfter is how long a container takes to obey SIGTERM, 1.5 s when zero.
	StopAfter time.Duration
	// Changed is called after every single write that changed something, by whomever.
	Changed func(store.Change)
	// Passed is called after every pass. Without it the passes are not recorded.
	Passed func(*Pass)
	// Pods makes the Pods of Deployments, StatefulSets and Jobs, as their controllers do, and Chroma's sysdb list them in
	// the MemberLists. Without it workloads have no Pods: only their status gets ready.
	Pods bool
}

// Cluster with all its controllers. It is not safe for concurrent use.
type Cluster struct {
	*faults

	config     Config
	store      *store.Store
	queue      *queue
	random     *rand.Rand
	cache      *cache
	events     *recorder
	kinds      map[schema.GroupVersionKind]*Composite
	claims     map[schema.GroupVersionKind]*Composite
	volumes    map[string]*Volume
	containers map[string]*container

	controllers map[string]controller
	held        map[store.Key]func()
	breakers    map[store.Key]*breaker
	failures    map[Task]int
	desired     map[string]providerState
	lastChange  time.Time
	lastPass    map[store.Key]time.Time
	pass        *Pass
	passes      int
	addresses   int
}

// controller looks at one key.
type controller func(store.Key)

// Namespace that exists from the start.
const Namespace = "default"

// New cluster with its Nodes, the Namespace "default" and a default StorageClass whose volumes can grow, and
// ProviderConfigs "default".
func New(config Config) (*Cluster, error) {
	if config.Start.IsZero() {
		config.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if len(config.Nodes) == 0 {
		config.Nodes = []string{"node-1"}
	}
	if config.StopAfter == 0 {
		config.StopAfter = 1500 * time.Millisecond
	}
	random := rand.New(rand.NewPCG(config.Seed, 0))
	c := &Cluster{
		faults: newFaults(), config: config, random: random, queue: newQueue(config.Start, random), events: newRecorder(),
		kinds: map[schema.GroupVersionKind]*Composite{}, claims: map[schema.GroupVersionKind]*Composite{}, volumes: map[string]*Volume{}, containers: map[string]*container{},
		held: map[store.Key]func(){}, breakers: map[store.Key]*breaker{}, failures: map[Task]int{}, desired: map[string]providerState{}, lastPass: map[store.Key]time.Time{},
	}
	c.controllers = map[string]controller{
		ActorCrossplane: c.reconcileComposite, ActorClaims: c.reconcileClaim, ActorProvider: c.reconcileObject,
		ActorCollector: c.collect, ActorScheduler: c.schedule, ActorKubelet: c.runPod, ActorBinder: c.bind, ActorNodes: c.watchNode,
		ActorHeld: c.release, ActorWorkloads: c.roll, ActorSysDB: c.listMembers,
	}
	schemas := map[schema.GroupVersionKind]store.Schema{}
	for i := range config.Composites {
		k := &c.config.Composites[i]
		if k.Step == "" {
			k.Step = "compose"
		}
		c.kinds[k.Kind] = k
		if k.Schema != nil {
			schemas[k.Kind] = k.Schema
		}
		if k.legacy() {
			c.claims[k.Claim] = k
		}
	}
	s, err := store.New(store.Config{Now: c.Now, Admission: []store.Admission{c.admit}, Changed: c.changed, Schemas: schemas})
	if err != nil {
		return nil, fmt.Errorf("cannot make the store: %w", err)
	}
	c.store, c.cache = s, newCache(s)
	return c, c.furnish()
}

// AddNamespace with a ProviderConfig "default" in it.
func (c *Cluster) AddNamespace(name string) error {
	return c.Apply(object(kindNamespace(), "", name, nil), object(kindProviderConfig(), name, "default", nil))
}

// SetFunction replaces the function of a composite kind, as an upgrade of its package does: nothing is looked at anew.
func (c *Cluster) SetFunction(kind schema.GroupVersionKind, f Function) { c.kinds[kind].Function = f }

// SetInput changes the Input of a composite kind's Composition: all its composite resources are looked at.
func (c *Cluster) SetInput(kind schema.GroupVersionKind, input *structpb.Struct) {
	c.kinds[kind].Input = input
	c.resync()
}

// Now is the simulated time.
func (c *Cluster) Now() time.Time { return c.queue.now }

// Get an object, nil when it is absent. It is shared and must not be changed.
func (c *Cluster) Get(kind schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	return c.store.Peek(store.Key{GVK: kind, Namespace: namespace, Name: name})
}

// Objects are all objects in order of kind, namespace and name. They are shared and must not be changed.
func (c *Cluster) Objects() []*unstructured.Unstructured { return c.store.All() }

// Store of the cluster, for tests that look closer or write themselves.
func (c *Cluster) Store() *store.Store { return c.store }

// Events that were recorded, in the order of their first occurrence.
func (c *Cluster) Events() []Event { return c.events.list() }

// furnish makes what every cluster has.
func (c *Cluster) furnish() error {
	for _, node := range c.config.Nodes {
		if err := c.Apply(object(kindNode(), "", node, map[string]any{fieldSpec: map[string]any{}})); err != nil {
			return err
		}
	}
	if err := c.AddNamespace(Namespace); err != nil {
		return err
	}
	return c.Apply(
		object(kindStorageClass(), "", "standard", map[string]any{
			"provisioner": "csi.example.org", "allowVolumeExpansion": true, "volumeBindingMode": "WaitForFirstConsumer",
			"metadata": map[string]any{"annotations": map[string]any{"storageclass.kubernetes.io/is-default-class": "true"}},
		}),
		object(kindClusterProviderConfig(), "", "default", nil),
	)
}

// changed hears of every write and wakes the controllers that watch.
func (c *Cluster) changed(change store.Change) {
	c.lastChange = c.Now()
	c.recordWrite(change)
	c.wake(change)
	if c.config.Changed != nil {
		c.config.Changed(change)
	}
}

// wake is the watches: who hears of which change. Required resources are watched by nobody.
func (c *Cluster) wake(change store.Change) {
	key := change.Key
	if k, found := c.kinds[key.GVK]; found {
		if workload(key.GVK) {
			c.queue.add(Task{ActorWorkloads, key}, c.queue.soon(), false)
		}
		if change.Outcome == store.OutcomeRemoved || deleting(change.After) {
			delete(c.breakers, key)
		}
		c.wakeComposite(key, change)
		if k.legacy() {
			c.wakeClaimOf(change)
		}
	}
	if _, found := c.claims[key.GVK]; found {
		c.queue.add(Task{ActorClaims, key}, c.queue.soon(), false)
	}
	c.wakeComposites(change)
	switch key.GVK {
	case kindObject():
		if desiredStateChanged(change) {
			c.queue.add(Task{ActorProvider, key}, c.queue.soon(), false)
		}
	case kindPod():
		c.queue.add(Task{ActorScheduler, key}, c.queue.soon(), false)
		c.queue.add(Task{ActorKubelet, key}, c.queue.soon(), false)
		c.wakeClaimsOf(change)
		c.wakeOwnerOf(change)
		c.wakeSysDB(key.Namespace)
	case kindMemberList():
		c.wakeSysDB(key.Namespace)
	case kindClaim():
		c.queue.add(Task{ActorBinder, key}, c.queue.soon(), false)
		c.wakePodsOf(key)
	case kindNode():
		c.queue.add(Task{ActorNodes, key}, c.queue.soon(), false)
		c.wakePods()
	}
	if workload(key.GVK) {
		c.queue.add(Task{ActorWorkloads, key}, c.queue.soon(), false)
	}
	if change.Outcome == store.OutcomeRemoved || change.Outcome == store.OutcomeMarked || hasOwners(change.After) {
		c.queue.add(Task{Controller: ActorCollector}, c.queue.soon(), false)
	}
}

// wakeComposites starts a pass of each composite resource that refers to the object.
func (c *Cluster) wakeComposites(change store.Change) {
	for _, composite := range c.config.Composites {
		for _, xr := range c.store.List(composite.Kind, "") {
			if refersTo(xr, composite.legacy(), change.Key) {
				c.wakeComposite(store.KeyOf(xr), change)
			}
		}
	}
}

// wakeComposite starts a pass, unless the circuit breaker drops the event.
func (c *Cluster) wakeComposite(composite store.Key, change store.Change) {
	if c.heard(composite, change) {
		c.queue.add(Task{ActorCrossplane, composite}, c.queue.soon(), false)
	}
}

// errNoFunction is an error of the test, not of the cluster.
var errNoFunction = errors.New("cannot compose: the composite kind has no function")
