// Package trace prints the passes of a simulation for people.
package trace

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
	"github.com/function-chroma/function-chroma/plugin/simulation"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// A Tracer prints passes.
type Tracer struct {
	Out     io.Writer
	Palette terminal.Palette
	// Start is the time that the others are counted from.
	Start time.Time
}

const indent = "  "

// Print the steps. Passes that changed nothing are counted, not shown.
func (t Tracer) Print(steps []simulation.Step) {
	quiet := 0
	shown := map[store.Key]map[string]string{}
	flush := func() {
		if quiet > 0 {
			t.line(t.Palette.Faint(fmt.Sprintf("%d more %s: nothing to do", quiet, plural(quiet, "pass", "passes"))))
			quiet = 0
		}
	}
	for _, step := range steps {
		if step.Change != nil {
			if text := t.change(*step.Change); text != "" {
				flush()
				t.line(t.Palette.Faint(t.at(step.At)+"  ") + text)
			}
			continue
		}
		lines := t.pass(step.Pass, shown)
		if len(lines) == 0 {
			quiet++
			continue
		}
		flush()
		t.line(t.Palette.Faint(t.at(step.At)+"  ") + t.Palette.Strong(fmt.Sprintf("pass %d", step.Pass.Number)) + " of " + step.Pass.Composite.String())
		for _, line := range lines {
			t.line(strings.Repeat(" ", 10) + line)
		}
	}
	flush()
}

func (t Tracer) line(text string) {
	_, _ = fmt.Fprintln(t.Out, strings.TrimRight(text, " "))
}

// at is the simulated time since the start.
func (t Tracer) at(when time.Time) string {
	return fmt.Sprintf("%7.1fs", when.Sub(t.Start).Seconds())
}

// pass as lines, none when it changed nothing.
func (t Tracer) pass(pass *simulator.Pass, shown map[store.Key]map[string]string) []string {
	var lines []string
	for _, write := range pass.Writes {
		lines = append(lines, t.write(pass, write)...)
	}
	if pass.Err != nil {
		lines = append(lines, t.Palette.Bad(pass.Outcome)+indent+pass.Err.Error())
	}
	return append(lines, t.conditions(pass, shown)...)
}

// write of a pass. Crossplane's bookkeeping in the composite is left out, its status is not.
func (t Tracer) write(pass *simulator.Pass, write simulator.Write) []string {
	if write.Key == pass.Composite {
		return t.status(write)
	}
	what := fmt.Sprintf("%s %s", terminal.Pad(write.Role, 8), write.Key)
	switch {
	case write.Err != nil:
		return []string{t.Palette.Bad(terminal.Pad("refused", 8)) + " " + what, indent + write.Err.Error()}
	case write.Outcome == store.OutcomeCreated:
		return []string{t.Palette.Good(terminal.Pad("creates", 8)) + " " + what}
	case write.Outcome == store.OutcomeMarked, write.Outcome == store.OutcomeRemoved:
		return []string{t.Palette.Warn(terminal.Pad("deletes", 8)) + " " + what}
	}
	changed := paths(write.Changed)
	if len(changed) == 0 {
		return nil
	}
	lines := []string{t.Palette.Warn(terminal.Pad("changes", 8)) + " " + what}
	for _, change := range changed {
		lines = append(lines, strings.Repeat(" ", 9)+t.Palette.Faint(change))
	}
	return lines
}

// paths that a person asks about: not labels that are taken off before a deletion.
func paths(changed []string) []string {
	var out []string
	for _, change := range changed {
		if strings.HasPrefix(change, "metadata.labels.crossplane.io/") {
			continue
		}
		out = append(out, change)
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

// status of the composite, as far as it changes.
func (t Tracer) status(write simulator.Write) []string {
	var lines []string
	for _, change := range write.Changed {
		field, values, _ := strings.Cut(change, ": ")
		if bookkeeping(field) {
			continue
		}
		_, now, _ := strings.Cut(values, " -> ")
		lines = append(lines, t.Palette.Faint("status   "+strings.TrimPrefix(field, "status.")+": "+now))
	}
	return lines
}

// conditions that are news.
func (t Tracer) conditions(pass *simulator.Pass, shown map[store.Key]map[string]string) []string {
	if len(pass.Calls) == 0 {
		return nil
	}
	if shown[pass.Composite] == nil {
		shown[pass.Composite] = map[string]string{}
	}
	before := shown[pass.Composite]
	var lines []string
	for _, condition := range pass.Calls[len(pass.Calls)-1].Response.GetConditions() {
		text := condition.GetStatus().String() + condition.GetReason() + condition.GetMessage()
		if before[condition.GetType()] == text {
			continue
		}
		before[condition.GetType()] = text
		lines = append(lines, t.condition(condition.GetType(), strings.TrimPrefix(condition.GetStatus().String(), "STATUS_CONDITION_"), condition.GetReason(), condition.GetMessage())...)
	}
	return lines
}

func (t Tracer) condition(kind, status, because, message string) []string {
	word := strings.ToUpper(status[:1]) + strings.ToLower(status[1:])
	head := fmt.Sprintf("%s=%s %s", kind, word, because)
	blocked := kind == "UpgradeBlocked"
	switch {
	case (word == "True") != blocked:
		head = t.Palette.Good(head)
	case blocked:
		head = t.Palette.Bad(head)
	default:
		head = t.Palette.Warn(head)
	}
	lines := []string{head}
	if message != "" {
		for _, line := range terminal.Wrap(message, terminal.DefaultWidth-12) {
			lines = append(lines, indent+line)
		}
	}
	return lines
}

// change by somebody else, where it is worth a line.
func (t Tracer) change(change store.Change) string {
	if change.Key.GVK.Kind == "Node" {
		return ""
	}
	who := t.Palette.Faint(terminal.Pad(change.Actor, 20) + " ")
	switch change.Outcome {
	case store.OutcomeCreated:
		return who + "created " + change.Key.String()
	case store.OutcomeRemoved:
		return who + "removed " + change.Key.String()
	case store.OutcomeUpdated, store.OutcomeMarked:
	}
	for _, kind := range []string{"Ready", "Synced"} {
		was, _, _ := simulator.Condition(change.Before, kind)
		is, because, _ := simulator.Condition(change.After, kind)
		if was != is && is != "" && change.Subresource == "status" && change.Key.GVK.Kind != "Chroma" {
			return who + strings.TrimSpace(fmt.Sprintf("%s: %s=%s %s", change.Key, kind, is, because))
		}
	}
	return ""
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
