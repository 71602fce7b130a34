// Package trace tells of the passes of a simulation, for people and for programs.
package trace

import (
	"fmt"
	"io"
	"strings"
	"time"

	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
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

// Print the steps.
func (t Tracer) Print(steps []simulation.Step) {
	for _, step := range Of(steps, t.Start) {
		t.step(step)
	}
}

func (t Tracer) step(step v1.PlanStep) {
	at := t.Palette.Faint(fmt.Sprintf("%7.1fs  ", step.At))
	switch {
	case step.Quiet > 0:
		t.line(t.Palette.Faint(fmt.Sprintf("%d more %s: nothing to do", step.Quiet, plural(step.Quiet, "pass", "passes"))))
		return
	case step.By != "":
		t.line(at + t.Palette.Faint(terminal.Pad(step.By, 20)+" ") + step.Change)
		return
	}
	t.line(at + t.Palette.Strong(fmt.Sprintf("pass %d", step.Pass)) + " of " + step.Object)
	var lines []string
	for _, write := range step.Writes {
		lines = append(lines, t.write(write)...)
	}
	for _, change := range step.Status {
		lines = append(lines, t.Palette.Faint("status   "+change))
	}
	if step.Error != "" {
		lines = append(lines, t.Palette.Bad(step.Error))
	}
	for _, condition := range step.Conditions {
		lines = append(lines, t.condition(condition)...)
	}
	for _, line := range lines {
		t.line(strings.Repeat(" ", 10) + line)
	}
}

func (t Tracer) line(text string) {
	_, _ = fmt.Fprintln(t.Out, strings.TrimRight(text, " "))
}

func (t Tracer) write(write v1.PlanWrite) []string {
	paint := map[string]func(string) string{creates: t.Palette.Good, refused: t.Palette.Bad}[write.Verb]
	if paint == nil {
		paint = t.Palette.Warn
	}
	lines := []string{fmt.Sprintf("%s %s %s", paint(terminal.Pad(write.Verb, 8)), terminal.Pad(write.Role, 8), write.Object)}
	if write.Error != "" {
		lines = append(lines, indent+write.Error)
	}
	for _, change := range write.Changes {
		lines = append(lines, strings.Repeat(" ", 9)+t.Palette.Faint(change))
	}
	return lines
}

func (t Tracer) condition(condition v1.Condition) []string {
	head := fmt.Sprintf("%s=%s %s", condition.Type, condition.Status, condition.Reason)
	blocked := condition.Type == "UpgradeBlocked"
	switch {
	case (condition.Status == "True") != blocked:
		head = t.Palette.Good(head)
	case blocked:
		head = t.Palette.Bad(head)
	default:
		head = t.Palette.Warn(head)
	}
	lines := []string{head}
	if condition.Message != "" {
		for _, line := range terminal.Wrap(condition.Message, terminal.DefaultWidth-12) {
			lines = append(lines, indent+line)
		}
	}
	return lines
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
