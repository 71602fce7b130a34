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

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/pipeline"
)

// AnnotationRole of a composed object.
const AnnotationRole = "crossplane.io/composition-resource-name"

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
	// Claim with the data, as it is. Nil: there is none, or it cannot be read.
	Claim *unstructured.Unstructured
	// Pod of a single-node server, the composed one or the one that has its name.
	Pod *unstructured.Unstructured

	Machinery Machinery
	Events    []Event
	// Notes are what could not be read, in sentences.
	Notes []string
	// Answer of the function, nil when it could not be asked.
	Answer *Answer
	Now    time.Time

	function *composition.Function

	found map[string]*unstructured.Unstructured
	lists map[string][]*unstructured.Unstructured
	lock  *sync.Mutex
	// gone is the UID of an object that lists leave out, as if it were not there.
	gone types.UID
}

// Machinery is what of Crossplane works on the object.
type Machinery struct {
	// Composition and its revision in use.
	Composition, Revision string
	Step                  *pipeline.Step
	// Function object and its current revision. Nil: absent or unreadable.
	Function, FunctionRevision *unstructured.Unstructured
	// FunctionMissing: there is no Function of the name that the Composition gives.
	FunctionMissing bool
}

// Gather a view. The error is about the object itself; what else cannot be read is in the notes.
func Gather(ctx context.Context, client *cluster.Client, kind schema.GroupVersionKind, namespace, name string, now time.Time) (*View, error) {
	object, err := client.Get(ctx, kind, namespace, name)
	if err != nil {
		return nil, err
	}
	return Complete(ctx, client, object, now)
}

// Complete the view of an object that was read already.
func Complete(ctx context.Context, client *cluster.Client, object *unstructured.Unstructured, now time.Time) (*View, error) {
	v := newView(object, now)
	var err error
	if v.IsClaim() {
		if v.XR, err = v.behind(ctx, client); err != nil {
			v.note(err)
		}
	}
	if err := v.decode(); err != nil {
		return nil, err
	}
	v.read(ctx, client)
	v.Answer, err = v.Ask(ctx, client, nil)
	v.note(err)
	if v.Pod == nil && v.SingleNode() {
		// One that was left out is not composed any more, and ends.
		v.Pod, err = v.fetch(ctx, client, cluster.Pod(), v.Namespace(), chroma.PodName(v.Name()))
		v.note(err)
	}
	return v, nil
}

func newView(object *unstructured.Unstructured, now time.Time) *View {
	return &View{
		Object: object, XR: object, Observed: map[string]*unstructured.Unstructured{}, Now: now, found: map[string]*unstructured.Unstructured{},
		lists: map[string][]*unstructured.Unstructured{}, lock: &sync.Mutex{},
	}
}

// IsClaim tells whether the object is a claim: only those refer to the composite that is made of them.
func (v *View) IsClaim() bool {
	_, found, _ := unstructured.NestedMap(v.Object.Object, "spec", "resourceRef")
	return found && v.Object.GetKind() == chroma.Kind
}

// Name as people know it.
func (v *View) Name() string { return v.Object.GetName() }

// Namespace of the object and of all that it composes.
func (v *View) Namespace() string { return v.Object.GetNamespace() }

func (v *View) behind(ctx context.Context, client *cluster.Client) (*unstructured.Unstructured, error) {
	name := Text(v.Object, "spec", "resourceRef", "name")
	return client.Find(ctx, cluster.XChroma(), "", name)
}

// decode what people wrote with the status of the composite.
func (v *View) decode() error {
	if v.Object.GetKind() != chroma.Kind {
		return nil
	}
	content := v.Object
	v.Chroma = &chroma.Chroma{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content.Object, v.Chroma); err != nil {
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
		for _, reference := range References(v.XR, v.Namespace()) {
			group.Go(func() { v.readComposed(ctx, client, reference) })
		}
		group.Go(func() { v.readMachinery(ctx, client) })
	}
	if v.SingleNode() {
		group.Go(func() {
			claim, err := v.fetch(ctx, client, cluster.PersistentVolumeClaim(), v.Namespace(), chroma.ClaimName(v.Name()))
			v.note(err)
			v.Claim = claim
		})
	}
	group.Go(func() { v.readEvents(ctx, client) })
	group.Wait()
	v.Pod = v.Observed[chroma.RolePod]
}

// SingleNode tells whether the object is a Chroma of one server.
func (v *View) SingleNode() bool {
	return v.Chroma != nil && v.Chroma.Spec.Mode != chroma.ModeDistributed
}

func (v *View) readComposed(ctx context.Context, client *cluster.Client, reference Reference) {
	object, err := v.fetch(ctx, client, reference.Kind, reference.Namespace, reference.Name)
	v.note(err)
	if object == nil {
		return
	}
	if role := object.GetAnnotations()[AnnotationRole]; role != "" {
		v.lock.Lock()
		v.Observed[role] = object
		v.lock.Unlock()
	}
}

// readMachinery follows Composition, Function and revision.
func (v *View) readMachinery(ctx context.Context, client *cluster.Client) {
	path := []string{"spec", "crossplane"}
	if v.XR.GetNamespace() == "" {
		path = []string{"spec"}
	}
	v.Machinery.Composition = Text(v.XR, append(path, "compositionRef", "name")...)
	v.Machinery.Revision = Text(v.XR, append(path, "compositionRevisionRef", "name")...)
	kind, name := cluster.CompositionRevision(), v.Machinery.Revision
	if name == "" {
		kind, name = cluster.Composition(), v.Machinery.Composition
	}
	if name == "" {
		return
	}
	composition, err := client.Find(ctx, kind, "", name)
	if err != nil {
		v.note(fmt.Errorf("the function's settings are not known, and its defaults are assumed: %w", err))
		return
	}
	if composition == nil {
		v.note(fmt.Errorf("the function's settings are not known, and its defaults are assumed: there is no %s %s", kind.Kind, name))
		return
	}
	step, err := pipeline.Find(composition)
	if err != nil {
		v.note(err)
		return
	}
	v.Machinery.Step = &step
	v.readFunction(ctx, client, step.Function)
}

func (v *View) readFunction(ctx context.Context, client *cluster.Client, name string) {
	function, err := client.Find(ctx, cluster.Function(), "", name)
	if err != nil {
		v.note(err)
		return
	}
	v.Machinery.Function, v.Machinery.FunctionMissing = function, function == nil
	if function == nil {
		return
	}
	if config := Text(function, "spec", "runtimeConfigRef", "name"); config != "" && config != "default" {
		v.note(fmt.Errorf("the function's environment is set by DeploymentRuntimeConfig %s, which is not read here", config))
	}
	v.note(otherVersion(function, pluginVersion()))
	// Healthy counts the revision's Deployment in. Only its message is the revision's own.
	if revision := Text(function, "status", "currentRevision"); revision != "" && ConditionOf(function, "Healthy").Status != "True" {
		v.Machinery.FunctionRevision, err = client.Find(ctx, cluster.FunctionRevision(), "", revision)
		v.note(err)
	}
}

// fetch an object once. Nil when it is absent.
func (v *View) fetch(ctx context.Context, client *cluster.Client, kind schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	key := strings.Join([]string{kind.String(), namespace, name}, "|")
	v.lock.Lock()
	object, known := v.found[key]
	v.lock.Unlock()
	if known {
		return object, nil
	}
	object, err := client.Find(ctx, kind, namespace, name)
	if err != nil {
		return nil, err
	}
	v.lock.Lock()
	v.found[key] = object
	v.lock.Unlock()
	return object, nil
}

// list objects once.
func (v *View) list(ctx context.Context, client *cluster.Client, kind schema.GroupVersionKind, namespace, labels string) ([]*unstructured.Unstructured, error) {
	key := strings.Join([]string{kind.String(), namespace, labels}, "|")
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
