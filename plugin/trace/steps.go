package trace

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/simulation"
)

// Verbs of writes.
const (
	creates = "creates"
	changes = "changes"
	deletes = "deletes"
	refused = "refused"
)

// Of the steps of a simulation, what a person asks about. Passes that changed nothing are counted, not shown, and passes
// are counted from the first step on.
func Of(steps []simulation.Step, start time.Time) []v1.PlanStep {
	out := []v1.PlanStep{}
	quiet, passes := 0, 0
	shown := map[store.Key]map[string]string{}
	var last time.Time
	flush := func() {
		if quiet > 0 {
			out = append(out, v1.PlanStep{At: Seconds(last, start), Quiet: quiet})
			quiet = 0
		}
	}
	for _, step := range steps {
		if step.Change != nil {
			if text := changeOf(*step.Change); text != "" {
				flush()
				out = append(out, v1.PlanStep{At: Seconds(step.At, start), By: step.Change.Actor, Object: step.Change.Key.String(), Change: text})
			}
			continue
		}
		passes++
		one := passOf(step.Pass, shown)
		if len(one.Writes)+len(one.Status)+len(one.Conditions) == 0 && one.Error == "" {
			quiet++
			last = step.At
			continue
		}
		flush()
		one.At, one.Pass = Seconds(step.At, start), passes
		out = append(out, one)
	}
	flush()
	return out
}

// Seconds since the start, in tenths: the simulated times mean no more.
func Seconds(at, start time.Time) float64 {
	const tenths = 10
	return math.Round(at.Sub(start).Seconds()*tenths) / tenths
}

// passOf the function, empty when it changed nothing.
func passOf(pass *simulator.Pass, shown map[store.Key]map[string]string) v1.PlanStep {
	out := v1.PlanStep{Object: pass.Composite.String()}
	for _, write := range pass.Writes {
		// Crossplane's bookkeeping in the composite is left out, its status is not.
		if write.Key == pass.Composite {
			out.Status = append(out.Status, statusOf(write)...)
			continue
		}
		if one := writeOf(write); one.Verb != "" {
			out.Writes = append(out.Writes, one)
		}
	}
	if pass.Err != nil {
		out.Error = fmt.Sprintf("%s: %v", pass.Outcome, pass.Err)
	}
	out.Conditions = conditionsOf(pass, shown)
	return out
}

func writeOf(write simulator.Write) v1.PlanWrite {
	out := v1.PlanWrite{Role: write.Role, Object: write.Key.String()}
	switch {
	case write.Err != nil:
		out.Verb, out.Error = refused, write.Err.Error()
	case write.Outcome == store.OutcomeCreated:
		out.Verb = creates
	case write.Outcome == store.OutcomeMarked, write.Outcome == store.OutcomeRemoved:
		out.Verb = deletes
	default:
		if out.Changes = paths(write.Changed); len(out.Changes) > 0 {
			out.Verb = changes
		}
	}
	return out
}

// paths that a person asks about: not labels that are taken off before a deletion. The token that has the provider look
// again is a write like others, and its value tells nothing.
func paths(changed []string) []string {
	var out []string
	for _, change := range changed {
		switch {
		case strings.HasPrefix(change, "metadata.labels.crossplane.io/"):
		case strings.HasPrefix(change, "metadata.annotations."+objects.AnnotationLookAgain):
			out = append(out, "provider-kubernetes looks at the claim at once")
		default:
			out = append(out, change)
		}
	}
	return out
}

// bookkeeping are the fields of a composite that tell a person nothing: conditions are shown in their own way.
func bookkeeping(field string) bool {
	name, inStatus := strings.CutPrefix(field, "status.")
	if !inStatus {
		return true
	}
	switch name {
	case "observedGeneration", "podUID", "dataSchema", "dataVersions", "claimConditionTypes", "conditions":
		return true
	}
	return false
}

// statusOf the composite, as far as it changes.
func statusOf(write simulator.Write) []string {
	var out []string
	for _, change := range write.Changed {
		field, values, _ := strings.Cut(change, ": ")
		if bookkeeping(field) {
			continue
		}
		_, now, _ := strings.Cut(values, " -> ")
		out = append(out, strings.TrimPrefix(field, "status.")+": "+now)
	}
	return out
}

// conditionsOf a pass that are news.
func conditionsOf(pass *simulator.Pass, shown map[store.Key]map[string]string) []v1.Condition {
	if len(pass.Calls) == 0 {
		return nil
	}
	if shown[pass.Composite] == nil {
		shown[pass.Composite] = map[string]string{}
	}
	before := shown[pass.Composite]
	var out []v1.Condition
	for _, condition := range pass.Calls[len(pass.Calls)-1].Response.GetConditions() {
		text := condition.GetStatus().String() + condition.GetReason() + condition.GetMessage()
		if before[condition.GetType()] == text {
			continue
		}
		before[condition.GetType()] = text
		status := strings.TrimPrefix(condition.GetStatus().String(), "STATUS_CONDITION_")
		out = append(out, v1.Condition{
			Type: condition.GetType(), Status: strings.ToUpper(status[:1]) + strings.ToLower(status[1:]), Reason: condition.GetReason(), Message: condition.GetMessage(),
		})
	}
	return out
}

// changeOf somebody else, where it is worth a line.
func changeOf(change store.Change) string {
	if change.Key.GVK.Kind == "Node" {
		return ""
	}
	switch change.Outcome {
	case store.OutcomeCreated:
		return "created " + change.Key.String()
	case store.OutcomeRemoved:
		return "removed " + change.Key.String()
	case store.OutcomeUpdated, store.OutcomeMarked:
	}
	for _, kind := range []string{"Ready", "Synced"} {
		was, _, _ := simulator.Condition(change.Before, kind)
		is, because, _ := simulator.Condition(change.After, kind)
		if was != is && is != "" && change.Subresource == "status" && change.Key.GVK.Kind != "Chroma" {
			return strings.TrimSpace(fmt.Sprintf("%s: %s=%s %s", change.Key, kind, is, because))
		}
	}
	return ""
}
