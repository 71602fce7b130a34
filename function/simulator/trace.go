package simulator

import (
	"fmt"
	"sort"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// Pass is the record of one pass of Crossplane.
type Pass struct {
	Number    int
	At        time.Time
	Composite store.Key
	// Calls of the function, in order.
	Calls []Call
	// Writes that changed something, in order, and refused ones of composed resources.
	Writes []Write
	// Outcome is empty when all went well, or "conflict", "failed", "crashed", "hanging" (a cache that never fills) or
	// "waiting for the function".
	Outcome string
	Err     error
	// TTL that the function asked for, 0 for none.
	TTL time.Duration
}

// Call of the function.
type Call struct {
	Request  *fnv1.RunFunctionRequest
	Response *fnv1.RunFunctionResponse
	Err      error
}

// Write of a pass.
type Write struct {
	Verb        store.Verb
	Outcome     store.Outcome
	Key         store.Key
	Role        string
	Subresource string
	// Changed has the paths that differ, with old and new values, for what was updated.
	Changed []string
	// Err is the API server's refusal.
	Err error
}

// begin the record of a pass, if somebody wants it.
func (c *Cluster) begin(p *pass) {
	c.passes++
	c.lastPass[p.key] = c.Now()
	if c.config.Passed == nil {
		return
	}
	p.record = &Pass{Number: c.passes, At: c.Now(), Composite: p.key}
	c.pass = p.record
}

func (c *Cluster) finish(p *pass, outcome string, err error) {
	c.pass = nil
	if p.record == nil {
		return
	}
	p.record.Outcome, p.record.Err, p.record.TTL = outcome, err, p.ttl
	c.config.Passed(p.record)
}

func (p *pass) recordCall(request *fnv1.RunFunctionRequest, response *fnv1.RunFunctionResponse, err error) {
	if p.record != nil {
		p.record.Calls = append(p.record.Calls, Call{Request: request, Response: response, Err: err})
	}
}

func (p *pass) recordApply(d desiredResource, err error) {
	if p.record != nil && err != nil {
		p.record.Writes = append(p.record.Writes, Write{Verb: store.VerbApply, Key: store.KeyOf(d.resource), Role: d.role, Err: err})
	}
}

// recordWrite adds a change to the pass that is going on.
func (c *Cluster) recordWrite(change store.Change) {
	if c.pass == nil || change.Actor != ActorCrossplane {
		return
	}
	w := Write{Verb: change.Verb, Outcome: change.Outcome, Key: change.Key, Subresource: change.Subresource}
	for _, o := range []string{stringAt(change.Before, "metadata", "annotations", annotationRole), stringAt(change.After, "metadata", "annotations", annotationRole)} {
		if o != "" {
			w.Role = o
		}
	}
	if change.Before != nil && change.After != nil {
		w.Changed = Difference(change.Before.Object, change.After.Object)
	}
	c.pass.Writes = append(c.pass.Writes, w)
}

// Difference of two objects, as "path: old -> new" in order of paths. What the API server itself keeps (managed
// fields, versions) is left out.
func Difference(before, after map[string]any) []string {
	var out []string
	differ("", before, after, &out)
	sort.Strings(out)
	return out
}

func differ(path string, before, after any, out *[]string) {
	switch path {
	case ".metadata.managedFields", ".metadata.resourceVersion", ".metadata.generation":
		return
	}
	x, first := before.(map[string]any)
	y, second := after.(map[string]any)
	if first && second {
		for name := range union(x, y) {
			differ(path+"."+name, x[name], y[name], out)
		}
		return
	}
	if !store.Same(before, after) {
		*out = append(*out, fmt.Sprintf("%s: %s -> %s", path[1:], short(before), short(after)))
	}
}

func union(x, y map[string]any) map[string]struct{} {
	names := make(map[string]struct{}, len(x)+len(y))
	for name := range x {
		names[name] = struct{}{}
	}
	for name := range y {
		names[name] = struct{}{}
	}
	return names
}

// short form of a value for people.
func short(value any) string {
	const longest = 100
	if value == nil {
		return "(none)"
	}
	text := fmt.Sprint(value)
	if len(text) > longest {
		return text[:longest] + "…"
	}
	return text
}
