package upgrade

import (
	"fmt"
	"io"
	"slices"
	"strings"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// printTable of many checks for people.
func printTable(to io.Writer, palette terminal.Palette, items []v1.UpgradeCheck) error {
	rows := [][]terminal.Cell{terminal.Plain("NAMESPACE", "NAME", "FROM", "ALLOWED", "REASON", "FORMAT")}
	for _, item := range items {
		format, verdict, because, paint := "-", "yes", item.Reason, palette.Good
		if item.FormatBefore != "" {
			format = item.FormatBefore + " to " + item.FormatAfter
		}
		switch {
		case item.Error != "":
			verdict, because, paint = "not known", "-", palette.Warn
		case !item.Allowed:
			verdict, paint = "no", palette.Bad
		}
		row := terminal.Plain(item.Namespace, item.Name, tagOf(item.From), verdict, because, format)
		row[3].Paint = paint
		rows = append(rows, row)
	}
	return terminal.Table(to, rows)
}

// shared notes of the items, each once: who cannot read something can read it of none.
func shared(items []v1.UpgradeCheck) []string {
	var notes []string
	of := map[string][]string{}
	for _, item := range items {
		for _, note := range item.Notes {
			if len(of[note]) == 0 {
				notes = append(notes, note)
			}
			if name := item.Namespace + "/" + item.Name; !slices.Contains(of[note], name) {
				of[note] = append(of[note], name)
			}
		}
	}
	for i, note := range notes {
		who := of[note][0]
		if others := len(of[note]) - 1; others > 0 {
			who += fmt.Sprintf(" and %d more", others)
		}
		notes[i] = who + ": " + note
	}
	return notes
}

// printOne check for people.
func printOne(to io.Writer, palette terminal.Palette, check v1.UpgradeCheck) error {
	var text strings.Builder
	verdict := palette.Good("allowed")
	if !check.Allowed {
		verdict = palette.Bad("refused") + "  " + check.Reason
	}
	fmt.Fprintf(&text, "%s  %s\n", palette.Strong(fmt.Sprintf("%s %s/%s", chroma.Kind, check.Namespace, check.Name)), verdict)
	formats := ""
	if check.FormatBefore != "" {
		formats = check.FormatBefore + " now, " + check.FormatAfter + " with the image"
	}
	why := check.Message
	if len(check.NextSteps) > 0 {
		why = change.Risk(why)
	}
	if check.Reason == string(reason.LedgerPending) {
		// What the function would do first is no reason.
		why = ""
	}
	for _, line := range []struct{ label, text string }{
		{"Runs", check.From}, {"Wanted", check.To}, {"Data format", formats}, {"Why", why}, {"Tried", check.Trial}, {"Way back", check.WayBack},
	} {
		if line.text == "" {
			continue
		}
		for i, part := range terminal.Wrap(line.text, terminal.DefaultWidth-15) {
			label := line.label
			if i > 0 {
				label = ""
			}
			fmt.Fprintf(&text, "  %s %s\n", palette.Faint(terminal.Pad(label, 12)), part)
		}
	}
	for _, note := range check.Notes {
		fmt.Fprintf(&text, "  %s %s\n", palette.Faint(terminal.Pad("Note", 12)), note)
	}
	for i, step := range check.NextSteps {
		if i == 0 {
			fmt.Fprintf(&text, "\n%s\n", palette.Strong("Next step"))
		}
		fmt.Fprintf(&text, "  %s\n    %s\n", step.Why, palette.Strong(step.Command))
	}
	_, err := io.WriteString(to, text.String())
	return err
}

func tagOf(image string) string {
	if image == "" {
		return "-"
	}
	return image[strings.LastIndex(image, "/")+1:]
}
