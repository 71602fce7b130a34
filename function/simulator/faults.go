package simulator

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// Refusal is an answer of the API server that a test wants.
type Refusal struct {
	// Actor whose writes are refused, for example "crossplane"; any when empty.
	Actor string
	// Kind and Name of the object; any when empty.
	Kind string
	Name string
	// Code is 403, 409 or 422; any other is an internal error.
	Code int
	// Message behind `pods "x" is forbidden: ` or `Pod "x" is invalid: `.
	Message string
	// Times it happens, for ever when 0.
	Times int
}

// faults of a cluster. A cluster has none until they are set through the methods of Cluster.
type faults struct {
	functionDown bool
	providerDown bool
	stopped      bool
	until        time.Time
	waiting      map[Task]struct{}

	crashBefore, crashAfter int
	hold                    time.Duration
	interrupt               func(actor string)

	refusals   []*Refusal
	unreadable map[schema.GroupKind]bool
	unwritable map[schema.GroupVersionKind]string
	webhook    func(image string) string
	// webhookUpdates says that the webhook sees updates too.
	webhookUpdates bool
	admissions     []store.Admission

	unschedulable bool
	lost          map[string]bool
	stuck         map[store.Key]bool
	// silent Pods never answer their probe, and leaderless ones lead no more, by UID.
	silent, leaderless map[string]bool
	images             map[string]ImageFault
}

func newFaults() *faults {
	return &faults{waiting: map[Task]struct{}{}, unreadable: map[schema.GroupKind]bool{}, unwritable: map[schema.GroupVersionKind]string{}, lost: map[string]bool{}, stuck: map[store.Key]bool{}, silent: map[string]bool{}, leaderless: map[string]bool{}, images: map[string]ImageFault{}}
}

// Heal ends all faults: what was down is up, caches are fresh, nothing is refused, Nodes are back, images are well.
// What the faults have done stays done.
func (c *Cluster) Heal() {
	lost := slices.Sorted(maps.Keys(c.lost))
	c.crashBefore, c.crashAfter, c.hold, c.interrupt = 0, 0, 0, nil
	c.refusals, c.webhook, c.unschedulable = nil, nil, false
	clear(c.unreadable)
	clear(c.unwritable)
	clear(c.images)
	clear(c.stuck)
	for _, node := range lost {
		c.SetNodeLost(node, false)
	}
	c.SetFunctionDown(false)
	c.SetProviderDown(false)
	c.ThawCaches()
	c.SetCrossplaneDown(false)
	c.wakePods()
	for _, o := range c.store.All() {
		if workload(o.GroupVersionKind()) {
			c.queue.add(Task{ActorWorkloads, store.KeyOf(o)}, c.queue.soon(), false)
		}
	}
}

// SetFunctionDown stops or starts the function. Passes wait silently while it is down.
func (c *Cluster) SetFunctionDown(down bool) {
	c.functionDown = down
	if down {
		return
	}
	tasks := slices.Collect(maps.Keys(c.waiting))
	sortTasks(tasks)
	for _, task := range tasks {
		// The connection is tried again with a growing pause: up to 26 s were seen.
		c.queue.add(task, time.Duration(c.random.Int64N(int64(26*time.Second))), false)
	}
	clear(c.waiting)
}

// SetProviderDown stops or starts provider-kubernetes. Its work waits.
func (c *Cluster) SetProviderDown(down bool) {
	c.providerDown = down
	// What it keeps in memory is gone with it.
	clear(c.desired)
	if !down {
		for _, o := range c.store.List(kindObject(), "") {
			c.queue.add(Task{ActorProvider, store.KeyOf(o)}, c.queue.soon(), false)
		}
	}
}

// SetCrossplaneDown stops or starts Crossplane's core. When it starts it looks at everything.
func (c *Cluster) SetCrossplaneDown(down bool) {
	c.stopped = down
	if down {
		clear(c.held)
	} else {
		c.until = time.Time{}
		c.resync()
	}
}

// CrashCrossplane lets Crossplane crash before or after its n-th write from now, and start again some seconds later. A
// write is a request to the API server, also one that changes nothing.
func (c *Cluster) CrashCrossplane(n int, after bool) {
	c.crashBefore, c.crashAfter = 0, 0
	if after {
		c.crashAfter = n
	} else {
		c.crashBefore = n
	}
}

// restart of Crossplane after a crash: everything in memory is lost, and everything is looked at anew.
func (c *Cluster) restart() {
	c.crashBefore, c.crashAfter = 0, 0
	c.until = c.Now().Add(2 * time.Second)
	c.cache.thaw()
	clear(c.held)
	clear(c.failures)
	c.resync()
}

func (c *Cluster) resync() {
	for _, k := range c.config.Composites {
		for _, xr := range c.store.List(k.Kind, "") {
			c.queue.add(Task{ActorCrossplane, store.KeyOf(xr)}, c.queue.soon(), false)
		}
		if k.legacy() {
			for _, claim := range c.store.List(k.Claim, "") {
				c.queue.add(Task{ActorClaims, store.KeyOf(claim)}, c.queue.soon(), false)
			}
		}
	}
}

// crossplaneDown says that a task finds nobody, and lets it wait for the restart. One that is stopped looks at
// everything when it starts.
func (c *Cluster) crossplaneDown(task Task) bool {
	if c.stopped {
		return true
	}
	wait := c.until.Sub(c.Now())
	if wait > 0 {
		c.queue.add(task, wait, false)
	}
	return wait > 0
}

// HoldNextPass lets the writes of Crossplane's next pass come late, after others had their say.
func (c *Cluster) HoldNextPass(d time.Duration) { c.hold = d }

func (f *faults) takeHold() time.Duration {
	d := f.hold
	f.hold = 0
	return d
}

// InterruptWrites calls f before every write of a controller: to write something else in the middle of a pass.
func (c *Cluster) InterruptWrites(f func(actor string)) { c.interrupt = f }

// FreezeCaches lets Crossplane's caches of the kinds stay as they are now, until ThawCaches.
func (c *Cluster) FreezeCaches(kinds ...schema.GroupVersionKind) {
	for _, kind := range kinds {
		c.cache.freeze(kind)
	}
}

// ThawCaches brings the caches up to date; what was missed starts passes.
func (c *Cluster) ThawCaches() {
	c.cache.thaw()
	c.resync()
}

// Refuse writes from now on. The refusal may be changed later, for example Times.
func (c *Cluster) Refuse(r *Refusal) { c.refusals = append(c.refusals, r) }

// AcceptAll takes all refusals back.
func (c *Cluster) AcceptAll() { c.refusals = nil }

// DenyRead takes from Crossplane the right to read a kind, or gives it back: passes that require it hang silently.
func (c *Cluster) DenyRead(kind schema.GroupKind, denied bool) { c.unreadable[kind] = denied }

// DenyVerb takes from Crossplane a verb on a kind or its status, named as "pods/status/v1". Writes still work here: what
// changes is the text of a refusal of any cause, since Crossplane then adds that it lacks rights.
func (c *Cluster) DenyVerb(kind schema.GroupVersionKind, resource string) {
	c.unwritable[kind] = resource
}

// explain adds to the text of a refused composed resource that Crossplane lacks rights on its kind.
func (c *Cluster) explain(err error, message string) string {
	var refused *composedError
	if !errors.As(err, &refused) {
		return message
	}
	resource, lacking := c.unwritable[refused.key.GVK]
	if !lacking {
		return message
	}
	return fmt.Sprintf("[%s, system:serviceaccount:crossplane-system:crossplane is not allowed to [get, list, watch, create, update, patch, delete] resource %s in namespace %s]",
		message, resource, refused.key.Namespace)
}

// composedError is a refusal of one composed resource.
type composedError struct {
	key   store.Key
	role  string
	cause error
}

func (e *composedError) Error() string {
	return fmt.Sprintf("cannot apply composed resource %q: %s", e.role, e.cause)
}
func (e *composedError) Unwrap() error { return e.cause }

// SetImageWebhook rewrites the images of Pods at their creation, and at updates if so wished; nil takes it away.
func (c *Cluster) SetImageWebhook(rewrite func(image string) string, updates bool) {
	c.webhook, c.webhookUpdates = rewrite, updates
}

// Admit adds an admission step, for policies.
func (c *Cluster) Admit(a store.Admission) { c.admissions = append(c.admissions, a) }

// write is one request of a controller, where it can be interrupted, refused, or the last one of Crossplane.
func (c *Cluster) write(actor string, request func() (*unstructured.Unstructured, error)) (*unstructured.Unstructured, error) {
	if c.interrupt != nil {
		c.interrupt(actor)
	}
	core := actor == ActorCrossplane || actor == ActorClaims
	if core && c.crashBefore > 0 {
		if c.crashBefore--; c.crashBefore == 0 {
			return nil, errCrashed
		}
	}
	stored, err := request()
	if core && c.crashAfter > 0 {
		if c.crashAfter--; c.crashAfter == 0 {
			return nil, errCrashed
		}
	}
	return stored, err
}

// backOff a task that failed: 1, 2, 4, 8, 16 and then 30 s.
func (c *Cluster) backOff(task Task) {
	n := c.failures[task]
	c.failures[task] = n + 1
	wait := 30 * time.Second
	if n < 5 {
		wait = time.Second << n
	}
	c.queue.add(task, wait, true)
}

// refused by a test's wish.
func (c *Cluster) refused(r *store.Request) error {
	for _, f := range c.refusals {
		if f.Times < 0 || (f.Actor != "" && f.Actor != r.Actor) || (f.Kind != "" && f.Kind != r.Key.GVK.Kind) || (f.Name != "" && f.Name != r.Key.Name) {
			continue
		}
		if f.Times > 0 {
			if f.Times--; f.Times == 0 {
				f.Times = -1
			}
		}
		switch f.Code {
		case http.StatusConflict:
			return store.NewConflict(r.Key)
		case http.StatusUnprocessableEntity:
			return store.NewInvalid(r.Key, f.Message)
		case http.StatusForbidden:
			return store.NewForbidden(r.Key, f.Message)
		default:
			return apierrors.NewInternalError(errors.New(f.Message))
		}
	}
	return nil
}
