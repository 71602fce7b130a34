package status

import (
	"fmt"
	"slices"
	"strings"

	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

func (p printer) components(s v1.Status) {
	if len(s.Components) == 0 {
		return
	}
	p.section("Components")
	name, tier := 0, 0
	for _, component := range s.Components {
		name, tier = max(name, len(component.Name)), max(tier, len(component.Tier))
	}
	for _, component := range s.Components {
		text := fmt.Sprintf("%d/%d", component.Ready, component.Wanted)
		paint := p.palette.Good
		if component.Ready < component.Wanted {
			paint = p.palette.Warn
		}
		fmt.Fprintf(p.out, "  %s  %s  %s%s\n", p.palette.Faint(terminal.Pad(component.Tier, tier)), terminal.Pad(component.Name, name), paint(text), p.members(component))
	}
}

// members that the sysdb has listed, for the components that find each other that way.
func (p printer) members(component v1.Component) string {
	if component.Members == nil {
		return ""
	}
	text := fmt.Sprintf("  %d members", *component.Members)
	if *component.Members == 1 {
		text = "  1 member"
	}
	if *component.Members < component.Ready {
		text = p.palette.Warn(text)
	}
	return text
}

func (p printer) clusters(s v1.Status) {
	if len(s.Clusters) == 0 {
		return
	}
	p.section("Clusters")
	var name, role, id int
	for _, cluster := range s.Clusters {
		name, role, id = max(name, len(cluster.Name)), max(role, len(cluster.Role)), max(id, len(cluster.ID), len(noID))
	}
	for _, cluster := range s.Clusters {
		state, paint := "active", p.palette.Good
		if !cluster.Active {
			state, paint = "not active", p.palette.Faint
		}
		ids := terminal.Pad(cluster.ID, id)
		if cluster.ID == "" {
			ids = p.palette.Warn(terminal.Pad(noID, id))
		}
		line := fmt.Sprintf("  %s  %s  %s  %s  %s", terminal.Pad(cluster.Name, name), terminal.Pad(cluster.Role, role), paint(terminal.Pad(state, len("not active"))), ids, cluster.Release)
		fmt.Fprintln(p.out, strings.TrimRight(line, " "))
	}
}

// noID of a cluster that is not there yet.
const noID = "no id yet"

// checks with their results.
func (p printer) checks(s v1.Status) {
	if len(s.Checks) == 0 {
		return
	}
	p.section("Checks")
	for _, check := range s.Checks {
		paint := map[string]func(string) string{resultPassed: p.palette.Good, resultFailed: p.palette.Bad, resultWarning: p.palette.Warn}[check.Result]
		if paint == nil {
			paint = p.palette.Faint
		}
		const width = 7
		head := "  " + p.palette.Faint(terminal.Pad(check.Name, labelWidth)) + " " + paint(terminal.Pad(check.Result, width)) + "  "
		const indent = labelWidth + width + 5
		for i, line := range terminal.Wrap(check.Message, p.width-indent) {
			if i > 0 {
				head = strings.Repeat(" ", indent)
			}
			fmt.Fprintf(p.out, "%s%s\n", head, line)
		}
	}
}

// conditions that ask for action, or all of them when verbose. What the function decides now is shown where it differs
// from what stands in the cluster.
func (p printer) conditions(s v1.Status) {
	var shown []v1.Condition
	server := conditionOf(&s, string(reason.ServerReady))
	for _, condition := range s.Conditions {
		// ServerReady says why it is not ready, Crossplane's Ready only that.
		implied := condition.Type == "Ready" && server.Status == statusFalse || isChecked(condition)
		if p.verbose || !fine(condition) && !implied {
			shown = append(shown, condition)
		}
	}
	var news []v1.Condition
	for _, condition := range s.Decision {
		if stands := conditionOf(&s, condition.Type); stands.Reason != condition.Reason || stands.Status != condition.Status {
			news = append(news, condition)
		}
	}
	if len(shown) > 0 {
		p.section("Conditions")
		p.list(shown, s.Headline)
	}
	if len(news) > 0 {
		p.section("The function would now say")
		p.list(news, s.Headline)
	}
}

// isChecked tells whether a condition is among the checks, with its message.
func isChecked(condition v1.Condition) bool {
	return condition.Type == string(reason.PostgresReady) || condition.Type == string(reason.ObjectStorageReady)
}

// list conditions. What the headline says already is not said again.
func (p printer) list(conditions []v1.Condition, headline string) {
	for _, condition := range conditions {
		paint := p.palette.Bad
		if fine(condition) {
			paint = p.palette.Good
		}
		since := ""
		if age := p.age(condition.Since); age != "" {
			since = p.palette.Faint("  for " + age)
		}
		fmt.Fprintf(p.out, "  %s%s\n", paint(fmt.Sprintf("%s=%s %s", condition.Type, condition.Status, condition.Reason)), since)
		if condition.Message != "" && condition.Message != headline {
			p.text("    ", condition.Message)
		}
	}
}

// fine tells whether a condition asks for nothing of a person.
func fine(condition v1.Condition) bool {
	switch condition.Type {
	case string(reason.UpgradeBlocked), string(reason.Repaired):
		return condition.Status == statusFalse
	case string(reason.ChartVerified), typeResponsive:
		// The one is a property of the version, the other is told with what else is about Crossplane.
		return true
	case string(reason.PostgresReady), string(reason.ObjectStorageReady):
		return condition.Status != statusFalse
	}
	return condition.Status == statusTrue
}

func (p printer) events(s v1.Status) {
	told := map[string]bool{s.Headline: true}
	for _, condition := range append(slices.Clone(s.Conditions), s.Decision...) {
		told[condition.Message] = true
	}
	var shown []v1.Event
	for _, event := range s.Events {
		// While all is well, what went well before is of no use; nor is what a condition says.
		if p.verbose || (event.Warning || !s.Healthy) && !told[event.Message] {
			shown = append(shown, event)
		}
	}
	if len(shown) == 0 {
		return
	}
	p.section("Events")
	for _, event := range shown {
		p.event(event)
	}
}

// event on one line, or whole when verbose.
func (p printer) event(event v1.Event) {
	paint := p.palette.Faint
	if event.Warning {
		paint = p.palette.Warn
	}
	head := fmt.Sprintf("%s  %s  %s  ", terminal.Pad(p.age(event.Last), 5), terminal.Pad(terminal.EventType(event.Warning), 7), event.Object)
	tail := event.Message
	if event.Count > 1 {
		tail = fmt.Sprintf("(%d times) %s", event.Count, tail)
	}
	if p.verbose {
		fmt.Fprintf(p.out, "  %s%s\n", head, paint(event.Reason))
		p.text("         ", tail)
		return
	}
	room := p.width - len(head) - len(event.Reason) - 4
	fmt.Fprintf(p.out, "  %s%s  %s\n", head, paint(event.Reason), terminal.Shorten(tail, room))
}

func (p printer) notes(s v1.Status) {
	if len(s.Notes) == 0 {
		return
	}
	p.section("Notes")
	for _, note := range slices.Compact(s.Notes) {
		p.text("  ", note)
	}
}

func (p printer) next(s v1.Status) {
	if len(s.NextSteps) == 0 {
		return
	}
	p.section("Next step")
	for _, step := range s.NextSteps {
		p.text("  ", step.Why)
		if step.Command != "" {
			// A command stays on one line, however long, so that it can be copied.
			fmt.Fprintf(p.out, "    %s\n", p.palette.Strong(step.Command))
		}
	}
}
