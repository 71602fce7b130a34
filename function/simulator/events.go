package simulator

import (
	"time"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// Event of an object, aggregated as the API server's are.
type Event struct {
	Object  store.Key
	Type    string
	Reason  string
	Message string
	Count   int
	First   time.Time
	Last    time.Time
}

// Types of events.
const (
	EventNormal  = "Normal"
	EventWarning = "Warning"
)

type eventKey struct {
	object                string
	kind, reason, message string
}

type recorder struct {
	order []*Event
	index map[eventKey]*Event
}

func newRecorder() *recorder { return &recorder{index: map[eventKey]*Event{}} }

func (r *recorder) record(now time.Time, object store.Key, kind, reason, message string) {
	key := eventKey{object: object.String(), kind: kind, reason: reason, message: message}
	if e, found := r.index[key]; found {
		e.Count++
		e.Last = now
		return
	}
	e := &Event{Object: object, Type: kind, Reason: reason, Message: message, Count: 1, First: now, Last: now}
	r.index[key] = e
	r.order = append(r.order, e)
}

func (r *recorder) list() []Event {
	out := make([]Event, 0, len(r.order))
	for _, e := range r.order {
		out = append(out, *e)
	}
	return out
}

func (c *Cluster) event(object store.Key, kind, reason, message string) {
	c.events.record(c.Now(), object, kind, reason, message)
}
