package live

import (
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
)

// An Event about the object, or something it composes.
type Event struct {
	Kind, Name      string
	Warning         bool
	Reason, Message string
	Count           int64
	Last            time.Time
}

// namespaceDefault has the events about objects that are in no namespace.
const namespaceDefault = "default"

// readEvents of the namespace and, about a composite that is in none, of the one that has those. The second error is
// about the latter.
func (v *View) readEvents(ctx context.Context, client *cluster.Client) (list []*unstructured.Unstructured, own, composite error) {
	list, own = client.List(ctx, cluster.Event(), v.Namespace(), "")
	if v.XR == nil || v.XR == v.Object || v.Namespace() == namespaceDefault {
		return list, own, nil
	}
	of := fields.Set{"involvedObject.kind": v.XR.GetKind(), "involvedObject.name": v.XR.GetName()}
	more, composite := client.ListWhere(ctx, cluster.Event(), namespaceDefault, of.String())
	return append(list, more...), own, composite
}

// keepEvents about the object and its parts, oldest first.
func (v *View) keepEvents(list []*unstructured.Unstructured) {
	about, made := v.names(), v.offspring()
	for _, item := range list {
		event := eventOf(item)
		uid, found := about[event.Kind+"/"+event.Name]
		if (found || made.has(event.Kind, event.Name)) && v.about(string(uid), Text(item, "involvedObject", "uid"), event.Last) {
			v.Events = append(v.Events, event)
		}
	}
	if v.IsClaim() && v.XR != nil {
		v.Events = slices.DeleteFunc(v.Events, v.isTwin(slices.Clone(v.Events)))
	}
	slices.SortStableFunc(v.Events, func(a, b Event) int { return a.Last.Compare(b.Last) })
}

// isTwin tells of an event about the composite whether the claim has it too: the function tells what it decides to both.
func (v *View) isTwin(all []Event) func(Event) bool {
	of := func(e Event) Event { return Event{Warning: e.Warning, Reason: e.Reason, Message: e.Message} }
	told := map[Event]bool{}
	for _, event := range all {
		if event.Kind == v.Object.GetKind() && event.Name == v.Name() {
			told[of(event)] = true
		}
	}
	return func(e Event) bool { return e.Kind == v.XR.GetKind() && e.Name == v.XR.GetName() && told[of(e)] }
}

// about tells whether an event is about an object and not about one of its name that an earlier Chroma had. A part has no
// UID here: Pods of a name follow each other in the life of one Chroma.
func (v *View) about(uid, event string, last time.Time) bool {
	switch {
	case event == "":
		return true
	case uid != "":
		return event == uid
	}
	return !last.Before(v.Object.GetCreationTimestamp().Time)
}

// names of the object and its parts, as kind/name, with the UIDs of those that are the same all the time.
func (v *View) names() map[string]types.UID {
	names := map[string]types.UID{v.Object.GetKind() + "/" + v.Name(): v.Object.GetUID()}
	if v.XR != nil {
		names[v.XR.GetKind()+"/"+v.XR.GetName()] = v.XR.GetUID()
		for _, reference := range References(v.XR, v.Namespace()) {
			names[reference.Kind.Kind+"/"+reference.Name] = ""
		}
	}
	if v.SingleNode() {
		// A claim is not composed, and a Pod that was left out is not any more.
		names["PersistentVolumeClaim/"+chroma.ClaimName(v.Name())] = ""
		names["Pod/"+chroma.PodName(v.Name())] = ""
	}
	return names
}

func eventOf(item *unstructured.Unstructured) Event {
	event := Event{
		Kind: Text(item, "involvedObject", "kind"), Name: Text(item, "involvedObject", "name"),
		Warning: Text(item, "type") == "Warning", Reason: Text(item, "reason"), Message: Text(item, "message"), Count: 1,
	}
	// The function's own words, without Crossplane's before them.
	if _, words, found := strings.Cut(event.Message, `Pipeline step "`); found {
		if _, after, cut := strings.Cut(words, `": `); cut {
			event.Message = after
		}
	}
	if count, found, _ := unstructured.NestedInt64(item.Object, "count"); found && count > 1 {
		event.Count = count
	}
	for _, field := range []string{"lastTimestamp", "eventTime", "firstTimestamp"} {
		if at, err := time.Parse(time.RFC3339, Text(item, field)); err == nil {
			event.Last = at
			break
		}
	}
	return event
}

// Events of an object and all that belongs to it, oldest first.
func Events(ctx context.Context, client *cluster.Client, kind schema.GroupVersionKind, namespace, name string, now time.Time) ([]Event, error) {
	object, err := client.Get(ctx, kind, namespace, name)
	if err != nil {
		return nil, err
	}
	v := newView(object, now)
	if err := v.begin(ctx, client); err != nil {
		return nil, err
	}
	list, own, composite := v.readEvents(ctx, client)
	if own != nil {
		return nil, own
	}
	v.keepEvents(list)
	if v.xrError != nil {
		composite = v.xrError
	}
	if composite != nil {
		// Whoever may read a namespace may not read what is in none for that, and still has the other events.
		v.Events = append(v.Events, Event{Kind: chroma.KindXChroma, Name: v.compositeName(), Warning: true, Reason: NotRead, Message: composite.Error(), Count: 1, Last: now})
	}
	return v.Events, nil
}

// NotRead is the reason of what stands for events that cannot be read.
const NotRead = "NotRead"
