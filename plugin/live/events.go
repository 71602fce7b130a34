package live

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

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

// readEvents of the namespace that are about the object and its parts.
func (v *View) readEvents(ctx context.Context, client *cluster.Client) {
	list, err := client.List(ctx, cluster.Event(), v.Namespace(), "")
	if err != nil {
		v.note(err)
		return
	}
	names := v.names()
	for _, item := range list {
		event := eventOf(item)
		if names[event.Kind+"/"+event.Name] {
			v.Events = append(v.Events, event)
		}
	}
	slices.SortStableFunc(v.Events, func(a, b Event) int { return a.Last.Compare(b.Last) })
}

// names of the object and its parts, as kind/name.
func (v *View) names() map[string]bool {
	names := map[string]bool{v.Object.GetKind() + "/" + v.Name(): true}
	if v.XR != nil {
		names[v.XR.GetKind()+"/"+v.XR.GetName()] = true
		for _, reference := range References(v.XR, v.Namespace()) {
			names[reference.Kind.Kind+"/"+reference.Name] = true
		}
	}
	if v.SingleNode() {
		// A claim is not composed, and a Pod that was left out is not any more.
		names["PersistentVolumeClaim/"+chroma.ClaimName(v.Name())] = true
		names["Pod/"+chroma.PodName(v.Name())] = true
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
	if v.IsClaim() {
		if v.XR, err = v.behind(ctx, client); err != nil {
			return nil, err
		}
	}
	if err := v.decode(); err != nil {
		return nil, err
	}
	v.readEvents(ctx, client)
	if len(v.Notes) > 0 {
		return nil, errors.New(v.Notes[0])
	}
	return v.Events, nil
}
