// Package live reads one Chroma or ValdOperatorRelease with all that belongs to it, and asks the function about it: the
// same code decides here as in the cluster.
package live

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/target"
)

// A View of one object that people write, at one moment.
type View struct {
	// Object as people know it: a composite, or a claim.
	Object *unstructured.Unstructured
	// XR is the composite: Object itself, or what stands behind the claim. Nil when Crossplane has not made it yet.
	XR *unstructured.Unstructured
	// Chroma is Object decoded, with the status of the XR. Nil for other kinds.
	Chroma *chroma.Chroma

	// Observed are the composed objects by role.
	Observed map[string]*unstructured.Unstructured
	// Claim with the data, as it is. Nil without a ClaimError: there is none.
	Claim *unstructured.Unstructured
	// ClaimError: the claim cannot be read, and whether there is one is not known.
	ClaimError error
	// Pod of a single-node server, the composed one or the one that has its name. Nil without a PodError: there is none.
	Pod *unstructured.Unstructured
	// PodError: the Pod cannot be read, and whether there is one is not known.
	PodError error

	Machinery Machinery
	Events    []Event
	// Notes are what could not be read, in sentences.
	Notes []string
	// Answer of the function, nil when it could not be asked.
	Answer *Answer
	Now    time.Time

	// below composed objects of a distributed Chroma is what nobody composes. A glance leaves it out.
	below []*unstructured.Unstructured
	// xrError: what stands behind the claim cannot be read.
	xrError  error
	function *composition.Function

	found  map[string]*unstructured.Unstructured
	failed map[string]error
	lists  map[string][]*unstructured.Unstructured
	lock   *sync.Mutex
	// gone is the UID of an object that lists leave out, as if it were not there.
	gone types.UID
	// glance leaves out what a distributed Chroma composes.
	glance bool
	// eventless leaves out the events, which are all those of the namespace.
	eventless bool
}

// Gather a view. The error is about the object itself; what else cannot be read is in the notes.
func Gather(ctx context.Context, client *cluster.Client, kind schema.GroupVersionKind, namespace, name string, now time.Time) (*View, error) {
	object, err := client.Get(ctx, kind, namespace, name)
	if err != nil {
		return nil, err
	}
	return Complete(ctx, client, object, now)
}

// Glance is Gather for those who look often and show no single object: what a distributed Chroma composes, some sixty
// objects, stays unread.
func Glance(ctx context.Context, client *cluster.Client, kind schema.GroupVersionKind, namespace, name string, now time.Time) (*View, error) {
	object, err := client.Get(ctx, kind, namespace, name)
	if err != nil {
		return nil, err
	}
	v := newView(object, now)
	v.glance = true
	return v, v.complete(ctx, client)
}

// Again looks at the same object, after a person was asked for example. Another one of its name is refused.
func (v *View) Again(ctx context.Context, client *cluster.Client, now time.Time) (*View, error) {
	out, err := Glance(ctx, client, v.Object.GroupVersionKind(), v.Namespace(), v.Name(), now)
	if err == nil && out.Object.GetUID() != v.Object.GetUID() {
		return nil, exit.Errorf(exit.Refused, "%s/%s was deleted and created again in the meantime: nothing was changed", v.Namespace(), v.Name())
	}
	return out, err
}

// Chroma that an argument names, with a client that reached it: what most commands begin with. It is a
// glance.
func Chroma(ctx context.Context, f factory.Factory, argument string) (*cluster.Client, *View, error) {
	name, err := target.Chroma(argument)
	if err != nil {
		return nil, nil, err
	}
	client, namespace, err := f.Both()
	if err != nil {
		return nil, nil, err
	}
	v, err := Glance(ctx, client, cluster.Chroma(), namespace, name, f.Now())
	return client, v, err
}

// Complete the view of an object that was read already.
func Complete(ctx context.Context, client *cluster.Client, object *unstructured.Unstructured, now time.Time) (*View, error) {
	v := newView(object, now)
	return v, v.complete(ctx, client)
}

// complete the view. A distributed Chroma's function is not asked: it would answer from the Secrets with the credentials
// of Postgres and the bucket, which who looks at a Chroma need not be able to read.
func (v *View) complete(ctx context.Context, client *cluster.Client) error {
	if err := v.begin(ctx, client); err != nil {
		return err
	}
	v.read(ctx, client)
	if v.Distributed() {
		return nil
	}
	var err error
	v.Answer, err = v.Ask(ctx, client, nil)
	v.note(err)
	if v.Pod == nil && v.SingleNode() {
		// One that was left out is not composed any more, and ends.
		v.Pod, v.PodError = v.fetch(ctx, client, cluster.Pod(), v.Namespace(), chroma.PodName(v.Name()))
		v.note(v.PodError)
	}
	return nil
}

func newView(object *unstructured.Unstructured, now time.Time) *View {
	return &View{
		Object: object, XR: object, Observed: map[string]*unstructured.Unstructured{}, Now: now, found: map[string]*unstructured.Unstructured{},
		failed: map[string]error{}, lists: map[string][]*unstructured.Unstructured{}, lock: &sync.Mutex{},
	}
}

// CompositeError says why what stands behind the claim cannot be read: then it is not known whether the claim's spec has
// reached it.
func (v *View) CompositeError() error { return v.xrError }

// IsClaim tells whether the object is a claim.
func (v *View) IsClaim() bool { return IsClaim(v.Object) }

// IsClaim tells whether an object is a claim: only those refer to the composite that is made of them.
func IsClaim(object *unstructured.Unstructured) bool {
	_, found, _ := unstructured.NestedMap(object.Object, "spec", "resourceRef")
	return found && object.GetKind() == chroma.Kind
}

// Owns tells whether an owner is the composite. One that is not there any more is known by its name: what it owned goes.
func (v *View) Owns(owner metav1.OwnerReference) bool {
	if v.XR != nil {
		return owner.UID == v.XR.GetUID()
	}
	return owner.Kind == chroma.KindXChroma && owner.Name == v.compositeName()
}

// Name as people know it.
func (v *View) Name() string { return v.Object.GetName() }

// Namespace of the object and of all that it composes.
func (v *View) Namespace() string { return v.Object.GetNamespace() }

// begin with what stands behind a claim, and decode.
func (v *View) begin(ctx context.Context, client *cluster.Client) error {
	if v.IsClaim() {
		v.XR, v.xrError = client.Find(ctx, cluster.XChroma(), "", v.compositeName())
		v.note(v.xrError)
	}
	return v.decode()
}

// compositeName is what a claim calls the composite that is made of it.
func (v *View) compositeName() string { return Text(v.Object, "spec", "resourceRef", "name") }

// decode what people wrote with the status of the composite.
func (v *View) decode() error {
	if v.Object.GetKind() != chroma.Kind {
		return nil
	}
	v.Chroma = &chroma.Chroma{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(v.Object.Object, v.Chroma); err != nil {
		return fmt.Errorf("cannot read %s %s: %w", v.Object.GetKind(), v.Name(), err)
	}
	if v.XR != nil && v.XR != v.Object {
		behind := &chroma.Chroma{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(v.XR.Object, behind); err != nil {
			return fmt.Errorf("cannot read %s %s: %w", v.XR.GetKind(), v.XR.GetName(), err)
		}
		v.Chroma.Status = behind.Status
	}
	return nil
}

// read what belongs to the object, all at once.
func (v *View) read(ctx context.Context, client *cluster.Client) {
	var group sync.WaitGroup
	if v.XR != nil {
		if !v.glance || !v.Distributed() {
			for kind, references := range byKind(References(v.XR, v.Namespace())) {
				group.Go(func() { v.readComposed(ctx, client, kind, references) })
			}
		}
		group.Go(func() { v.readMachinery(ctx, client) })
		if !v.glance && v.Distributed() {
			group.Go(func() { v.readBelow(ctx, client) })
		}
	}
	if v.SingleNode() {
		group.Go(func() {
			v.Claim, v.ClaimError = v.fetch(ctx, client, cluster.PersistentVolumeClaim(), v.Namespace(), chroma.ClaimName(v.Name()))
			v.note(v.ClaimError)
		})
	}
	if !v.eventless {
		group.Go(func() {
			list, own, composite := v.readEvents(ctx, client)
			v.note(own)
			v.note(composite)
			v.keepEvents(list)
		})
	}
	group.Wait()
	v.Pod = v.Observed[chroma.RolePod]
}

// SingleNode tells whether the object is a Chroma of one server.
func (v *View) SingleNode() bool {
	return v.Chroma != nil && v.Chroma.Spec.Mode != chroma.ModeDistributed
}

// Distributed tells whether the object is a Chroma of many components.
func (v *View) Distributed() bool {
	return v.Chroma != nil && v.Chroma.Spec.Mode == chroma.ModeDistributed
}

// keyOf what was asked for once: an object by its name, or objects by their labels.
func keyOf(kind schema.GroupVersionKind, namespace, which string) string {
	return strings.Join([]string{kind.String(), namespace, which}, "|")
}

// fetch an object once. Nil when it is absent. What cannot be read is not asked for again: a view is of one moment, and
// each time can take as long as a server that hangs.
func (v *View) fetch(ctx context.Context, client *cluster.Client, kind schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	key := keyOf(kind, namespace, name)
	v.lock.Lock()
	object, known := v.found[key]
	err := v.failed[key]
	v.lock.Unlock()
	if known || err != nil {
		return object, err
	}
	object, err = client.Find(ctx, kind, namespace, name)
	v.lock.Lock()
	defer v.lock.Unlock()
	if err != nil {
		v.failed[key] = err
		return nil, err
	}
	v.found[key] = object
	return object, nil
}

// list objects once.
func (v *View) list(ctx context.Context, client *cluster.Client, kind schema.GroupVersionKind, namespace, labels string) ([]*unstructured.Unstructured, error) {
	key := keyOf(kind, namespace, labels)
	if known, found := v.lists[key]; found {
		return known, nil
	}
	objects, err := client.List(ctx, kind, namespace, labels)
	objects = slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool { return v.gone != "" && o.GetUID() == v.gone })
	if err == nil {
		v.lists[key] = objects
	}
	return objects, err
}

// note what could not be read.
func (v *View) note(err error) {
	if err == nil {
		return
	}
	v.lock.Lock()
	defer v.lock.Unlock()
	v.Notes = append(v.Notes, err.Error())
}
