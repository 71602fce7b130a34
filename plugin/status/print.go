package status

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

const (
	labelWidth = 12
	// good and bad are how a condition reads to a person.
	statusTrue, statusFalse = "True", "False"
)

// printer of one status for people.
type printer struct {
	out     *strings.Builder
	palette terminal.Palette
	now     time.Time
	width   int
	verbose bool
}

// newPrinter for lines of a width.
func newPrinter(width int, palette terminal.Palette, now time.Time, verbose bool) printer {
	const narrowest = 40
	if width < narrowest {
		width = terminal.DefaultWidth
	}
	return printer{palette: palette, now: now, width: width, verbose: verbose}
}

// body of a status: all but what to do.
func (p printer) body(s v1.Status) string {
	p.out = &strings.Builder{}
	p.head(s)
	p.crossplane(s)
	p.summary(s)
	p.data(s)
	p.pod(s)
	p.components(s)
	p.clusters(s)
	p.checks(s)
	p.conditions(s)
	p.events(s)
	p.notes(s)
	return p.out.String()
}

// foot of a status: what to do.
func (p printer) foot(s v1.Status) string {
	p.out = &strings.Builder{}
	p.next(s)
	return p.out.String()
}

func (p printer) head(s v1.Status) {
	mark := p.palette.Good
	switch {
	case s.Healthy && len(s.NextSteps) > 0, !s.Healthy && (s.Phase == "Creating" || s.Phase == "Updating" || s.Phase == "Migrating"):
		mark = p.palette.Warn
	case !s.Healthy:
		mark = p.palette.Bad
	}
	fmt.Fprintf(p.out, "%s  %s\n", p.palette.Strong(fmt.Sprintf("%s %s/%s", s.Of, s.Namespace, s.Name)), mark(orDash(s.Phase)))
	p.text("  ", s.Headline)
}

func (p printer) section(title string) { fmt.Fprintf(p.out, "\n%s\n", p.palette.Strong(title)) }

// line with a label. Nothing is printed for what is not known.
func (p printer) line(label, value string) {
	if value != "" {
		fmt.Fprintf(p.out, "  %s %s\n", p.palette.Faint(terminal.Pad(label, labelWidth)), value)
	}
}

func (p printer) text(indent, text string) {
	for _, line := range terminal.Wrap(text, p.width-len(indent)) {
		fmt.Fprintf(p.out, "%s%s\n", indent, line)
	}
}

func (p printer) crossplane(s v1.Status) {
	function := s.Crossplane.Function
	slow := conditionOf(&s, typeResponsive)
	// While it serves, that it is looked at less often is of no use to a person.
	isSlow := slow.Status == statusFalse && (!s.Healthy || p.verbose)
	trouble := s.Crossplane.Paused || isSlow || function != nil && (function.Missing || function.Healthy == statusFalse || function.Installed == statusFalse)
	if !trouble && !p.verbose {
		return
	}
	p.section("Crossplane")
	if s.Crossplane.Paused {
		p.line("Paused", p.palette.Bad("yes"))
	}
	if isSlow {
		p.line("Slow", p.palette.Warn("it is looked at every 30 s only, since it changes too often"))
		p.text("  "+strings.Repeat(" ", labelWidth+1), slow.Message)
	}
	p.line("Composition", s.Crossplane.Composition)
	p.line("Revision", s.Crossplane.Revision)
	if function == nil {
		return
	}
	state := p.palette.Warn("it is not known whether it is healthy")
	switch {
	case function.Missing:
		state = p.palette.Bad("not installed")
	case function.Healthy == statusFalse, function.Installed == statusFalse:
		state = p.palette.Bad("not healthy")
	case function.Healthy == statusTrue:
		state = p.palette.Good("healthy")
	}
	p.line("Function", function.Name+"  "+state)
	p.line("Package", function.Package)
}

func (p printer) summary(s v1.Status) {
	p.section("Summary")
	p.line("Mode", s.Mode)
	p.line("Endpoint", s.Endpoint)
	p.line("Composite", s.Composite)
	p.line("Age", p.age(s.Created))
}

func (p printer) data(s v1.Status) {
	if s.Data == nil && s.Claim == nil && s.Image.Wanted == "" {
		return
	}
	title := "Data"
	if s.Data == nil && s.Claim == nil && s.Mode == string(chroma.ModeDistributed) {
		title = "Version"
	}
	p.section(title)
	wanted := s.Image.Wanted
	if blocked := decided(&s, string(reason.UpgradeBlocked)); blocked.Status == statusTrue && s.Image.Wanted != s.Image.Running {
		wanted += "  " + p.palette.Bad("held back: "+blocked.Reason)
	}
	p.line("Wanted", wanted)
	p.line("Runs", s.Image.Running)
	if s.Data != nil {
		p.line("Opened by", opened(*s.Data))
		if s.Data.Unknown {
			p.line("Incident", p.palette.Bad(s.Data.Incident)+"  the version of the data is not known")
		}
	}
	if s.Image.Recovery != s.Image.Running {
		p.line("Recovery", s.Image.Recovery)
	}
	p.claim(s.Claim)
}

func opened(data v1.Data) string {
	if data.Version == "" {
		return ""
	}
	text := compatibility.Title(productOf(data.Product)) + " " + data.Version
	if data.Ahead {
		text += " (recorded before its start; it has not been ready yet)"
	}
	if data.Format != "" {
		text += ", data format " + data.Format
	}
	var others []string
	for product, version := range data.Versions {
		if product != data.Product {
			others = append(others, compatibility.Title(productOf(product))+" "+version)
		}
	}
	slices.Sort(others)
	if len(others) > 0 {
		text += "; earlier by " + strings.Join(others, ", ")
	}
	return text
}

func (p printer) claim(claim *v1.Claim) {
	if claim == nil {
		return
	}
	parts := []string{claim.Name}
	switch {
	case claim.Unreadable != "":
		parts = append(parts, p.palette.Warn("cannot be read"))
	case claim.Missing:
		parts = append(parts, p.palette.Bad("gone"), "UID "+claim.UID)
	case claim.Deleting:
		parts = append(parts, p.palette.Bad("being deleted"))
	default:
		parts = append(parts, claim.Phase)
	}
	size := claim.Requested
	if claim.Capacity != "" && claim.Capacity != claim.Requested {
		size = claim.Capacity + " of " + claim.Requested
	}
	parts = append(parts, size, claim.StorageClass)
	p.line("Claim", strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "  "))
	policy := claim.PolicyInEffect
	if policy == "" {
		policy = claim.Policy
	} else if policy != claim.Policy {
		policy += "  " + p.palette.Warn(claim.Policy+" is not in effect yet")
	}
	p.line("On deletion", map[string]string{"Retain": "the data stays", "Delete": "the data goes too"}[claim.Policy]+" ("+policy+")")
	if p.verbose {
		p.line("Claim UID", claim.UID)
	}
}

func (p printer) pod(s v1.Status) {
	if s.Pod == nil {
		if s.Claim != nil && s.Mode == "single-node" {
			p.section("Pod")
			fmt.Fprintln(p.out, "  "+p.palette.Warn("there is none"))
		}
		return
	}
	p.section("Pod")
	if s.Pod.Unreadable != "" {
		p.line("Name", s.Pod.Name+"  "+p.palette.Warn("cannot be read"))
		return
	}
	state := p.palette.Good("ready")
	switch {
	case s.Pod.Deleting:
		state = p.palette.Warn("ending")
	case s.Pod.State != "":
		state = p.palette.Bad(s.Pod.State)
	case !s.Pod.Ready:
		state = p.palette.Warn("not ready")
	}
	p.line("Name", s.Pod.Name)
	p.line("State", fmt.Sprintf("%s, %s", s.Pod.Phase, state))
	p.line("Node", s.Pod.Node)
	if s.Pod.Restarts > 0 {
		p.line("Restarts", p.palette.Warn(strconv.FormatInt(s.Pod.Restarts, 10)))
	}
	p.line("Age", p.age(s.Pod.Created))
}

// age of something, for people.
func (p printer) age(created string) string {
	at, err := time.Parse(time.RFC3339, created)
	if err != nil {
		return ""
	}
	return duration.HumanDuration(p.now.Sub(at))
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
