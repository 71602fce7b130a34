// Package lifecycle leads a ValdOperatorRelease through its phases: it decides which ValdReleases should exist, which
// stay as they are, and what the status says.
package lifecycle

import (
	"time"

	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/previous"
	"github.com/function-chroma/function-chroma/function/reason"
)

// How soon to look again when nothing happens meanwhile.
const (
	// settledTTL: only drift of what is not watched, the template's ConfigMap and the Nodes, can matter.
	settledTTL = time.Minute
	// composedTTL: composed objects are watched, but a burst of them can open Crossplane's circuit breaker.
	composedTTL = 5 * time.Second
	// requiredTTL: required objects are not watched.
	requiredTTL = 10 * time.Second
	// vanishingTTL: nothing but this drives the wait for an object that is being deleted.
	vanishingTTL = 2 * time.Second
)

// Decide one pass of a ValdOperatorRelease. An error means that the request cannot be read; then nothing is changed.
func Decide(request pass.Request) (pass.Answer, error) {
	world, err := read(request)
	if err != nil {
		return pass.Answer{}, err
	}

	provisioning := world.provisioning()
	plan := plan{ttl: settledTTL}
	evaluated := []outcome{provisioning}
	if provisioning.reason == reason.Succeeded {
		plan = world.plan()
		evaluated = append(evaluated, plan.creation)
		if plan.creation.reason == reason.Succeeded {
			evaluated = append(evaluated, outcome{phase: reason.ValdCompleted, reason: reason.Succeeded, message: completedMessage})
		}
	}

	objects, err := world.objects(plan)
	if err != nil {
		return pass.Answer{}, err
	}
	conditions := accumulated(evaluated, world.conditions)
	return pass.Answer{
		Objects:      objects,
		Requirements: plan.requirements,
		Conditions:   conditions,
		Events:       world.events(evaluated, plan),
		Status:       world.status(evaluated, conditions, plan),
		Ready:        evaluated[len(evaluated)-1].phase == reason.ValdCompleted,
		TTL:          plan.ttl,
	}, nil
}

// objects that should exist: those of the plan, and everything observed that the plan does not drop, as it is. What is
// being deleted is left out: a kept intent would make it again the moment it is gone.
func (w world) objects(plan plan) ([]pass.Object, error) {
	out := make([]pass.Object, 0, max(len(plan.compose), len(w.observed)))
	composed := make(map[string]struct{}, len(plan.compose))
	for _, object := range plan.compose {
		composed[object.Role] = struct{}{}
		out = append(out, object)
	}
	for _, role := range sortedKeys(w.observed) {
		if _, ok := composed[role]; ok || plan.prune || isTerminating(w.observed[role]) {
			continue
		}
		intent, err := previous.Intent(w.observed[role])
		if err != nil {
			return nil, err
		}
		out = append(out, pass.Object{Role: role, Manifest: intent, Ready: isThere(w.observed[role])})
	}
	return out, nil
}
