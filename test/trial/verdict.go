package trial

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
)

// A Verdict is a report held against the tables.
type Verdict struct {
	Report Report
	// Untried says that the tables have no result for this pair of versions.
	Untried bool
	// Contradictions are what the tables say otherwise.
	Contradictions []string
}

// Judge holds a report against tables: the steps between the formats of Chroma, and the passages between products.
func Judge(report Report, steps []compatibility.Step, passages []compatibility.Passage) Verdict {
	verdict := Verdict{Report: report}
	contradict := func(format string, arguments ...any) {
		verdict.Contradictions = append(verdict.Contradictions, fmt.Sprintf(format, arguments...))
	}
	opened, known := expected(report.From, report.To, steps, passages)
	verdict.Untried = !known
	if known && opened != report.Opened.Result {
		contradict("%s on data of %s: the table says %s, the trial %s", report.To, report.From, opened, report.Opened.Result)
	}
	// A server that never ran changed nothing, and the first one opens its own data.
	back := compatibility.ResultIdentical
	if report.Opened.Result != compatibility.ResultPanics {
		back, known = expected(report.To, report.From, steps, passages)
	}
	if known && back != report.Back.Result {
		contradict("%s on data of %s that %s has opened: the table says %s, the trial %s",
			report.From, report.From, report.To, back, report.Back.Result)
	}
	if allowed(report) && report.Opened.Result != compatibility.ResultIdentical {
		contradict("the function allows %s on data of %s: the trial %s", report.To, report.From, report.Opened.Result)
	}
	if report.From.Product != v1alpha1.ProductChroma || report.To.Product != v1alpha1.ProductChroma {
		return verdict
	}
	// The data itself says its format: a version in the wrong row of the table of formats shows here.
	if format := compatibility.FormatOf(report.From); !slices.Contains(report.Written.Formats(), format) {
		contradict("%s writes the format %s, the volume has %v", report.From, format, report.Written)
	}
	newest := report.From
	if report.To.NewerThan(newest) && report.Opened.Result != compatibility.ResultPanics {
		newest = report.To
	}
	if format := compatibility.FormatOf(newest); !slices.Contains(report.Left.Formats(), format) {
		contradict("%s leaves the format %s, the volume has %v", newest, format, report.Left)
	}
	return verdict
}

// expected returns the result of a version on the data of another, if the tables have one.
func expected(
	from, to compatibility.Version, steps []compatibility.Step, passages []compatibility.Passage,
) (compatibility.Result, bool) {
	for _, passage := range passages {
		if passage.From.Equal(from) && passage.To.Equal(to) {
			return compatibility.ResultIdentical, true
		}
	}
	formatFrom, formatTo := compatibility.FormatOf(from), compatibility.FormatOf(to)
	for _, step := range steps {
		within := func(span compatibility.Span) bool { return span.Contains(to) }
		if step.From == formatFrom && step.To == formatTo && (len(step.Only) == 0 || slices.ContainsFunc(step.Only, within)) {
			return step.Result, true
		}
	}
	return "", false
}

// allowed tells whether the function lets a version open the data of another without a person's word.
func allowed(report Report) bool {
	return compatibility.Judge(compatibility.Question{
		Data: compatibility.Data{
			Versions: map[v1alpha1.Product]compatibility.Version{report.From.Product: report.From},
			Last:     report.From.Product,
		},
		Wanted: report.To,
	}).Allowed
}

// String returns the verdict in one line.
func (v Verdict) String() string {
	opinion := "as the table says"
	switch {
	case len(v.Contradictions) > 0:
		opinion = "CONTRADICTION: " + strings.Join(v.Contradictions, "; ")
	case v.Untried:
		opinion = "not in the table"
	}
	return fmt.Sprintf("%s -> %s: %s; back to %s: %s; %s", v.Report.From.Title(), v.Report.To.Title(),
		v.Report.Opened.Result, v.Report.From, v.Report.Back.Result, opinion)
}

// Header is the head of a Markdown table of rows.
func Header() string {
	return "| From | To | Opened | Back | Migrations | Date | Seen |\n|---|---|---|---|---|---|---|"
}

// Row returns the report as a row of a Markdown table.
func (r Report) Row(date time.Time) string {
	migrations := fmt.Sprintf("%d/%d/%d to %d/%d/%d", r.Written.System, r.Written.Metadata, r.Written.Queue,
		r.Left.System, r.Left.Metadata, r.Left.Queue)
	cells := []string{
		r.From.Title(), r.To.Title(), string(r.Opened.Result), string(r.Back.Result), migrations,
		date.Format(time.DateOnly), strings.Join(slices.Concat(r.Opened.Details, r.Back.Details), "; "),
	}
	for i, cell := range cells {
		cells[i] = strings.NewReplacer("|", `\|`, "\n", " ").Replace(cell)
	}
	return "| " + strings.Join(cells, " | ") + " |"
}
