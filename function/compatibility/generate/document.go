package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
)

//go:embed compatibility.md.tmpl
var document string

// content of the document.
type content struct {
	Formats  []compatibility.Format
	Steps    []compatibility.Step
	Compared []string // in the trials of the steps, each once
	Passages []compatibility.Passage
	WaysBack []compatibility.Passage
	Matrix   string

	AllowDowngrade, AllowFormatDowngrade, AllowProductChange string
}

// render the document.
func render() ([]byte, error) {
	parsed, err := template.New("compatibility.md").Funcs(template.FuncMap{"spans": spans, "on": on, "number": number}).Parse(document)
	if err != nil {
		return nil, fmt.Errorf("cannot parse the template: %w", err)
	}
	table, err := matrix()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, content{
		Formats:              compatibility.Formats(),
		Steps:                compatibility.Steps(),
		Compared:             compared(),
		Passages:             compatibility.Passages(),
		WaysBack:             compatibility.WaysBack(),
		Matrix:               table,
		AllowDowngrade:       v1alpha1.AnnotationAllowDowngrade,
		AllowFormatDowngrade: v1alpha1.AnnotationAllowFormatDowngrade,
		AllowProductChange:   v1alpha1.AnnotationAllowProductChange,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot render the document: %w", err)
	}
	return out.Bytes(), nil
}

// compared returns what the trials of the steps compared, each once.
func compared() []string {
	var texts []string
	for _, step := range compatibility.Steps() {
		if !slices.Contains(texts, step.Trial.Compared) {
			texts = append(texts, step.Trial.Compared)
		}
	}
	return texts
}

// number of what a trial compared, from 1.
func number(trial compatibility.Trial) int { return slices.Index(compared(), trial.Compared) + 1 }

// spans writes "1.0.0 to 1.0.21, 1.1.0 to 1.1.1".
func spans(list []compatibility.Span) string {
	parts := make([]string, 0, len(list))
	for _, span := range list {
		versions := span.Versions()
		part := versions[0].String()
		if len(versions) > 1 {
			part += " to " + versions[len(versions)-1].String()
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// on writes a trial with its date.
func on(trial compatibility.Trial) string {
	text := strings.ToUpper(trial.Compared[:1]) + trial.Compared[1:] + ". Seen: " + trial.Outcome + "."
	if trial.Date != "" {
		text = trial.Date + ". " + text
	}
	return text
}

// matrix of every pair of versions: a row for what has run on the data, a column for what is wanted.
func matrix() (string, error) {
	versions, err := versions()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	writeHeader(&out, versions)
	for _, from := range versions {
		fmt.Fprintf(&out, "%-*s ", widest(versions), short(from))
		for _, to := range versions {
			out.WriteByte(cell(from, to))
		}
		out.WriteByte('\n')
	}
	return out.String(), nil
}

// versions of the matrix: all of the table, and of each product one that is newer.
func versions() ([]compatibility.Version, error) {
	var all []compatibility.Version
	for _, format := range compatibility.Formats() {
		for _, span := range format.Spans {
			all = append(all, span.Versions()...)
		}
	}
	previews := map[string]bool{}
	for _, passage := range compatibility.Passages() {
		if !previews[passage.To.String()] {
			previews[passage.To.String()] = true
			all = append(all, passage.To)
		}
	}
	for _, newer := range []struct {
		product v1alpha1.Product
		number  string
	}{{v1alpha1.ProductChroma, "1.5.10"}, {v1alpha1.ProductVecturaDB, "1.0.0-preview.4"}} {
		version, err := compatibility.ParseVersion(newer.product, newer.number)
		if err != nil {
			return nil, fmt.Errorf("cannot write the matrix: %w", err)
		}
		all = append(all, version)
	}
	return all, nil
}

// cell of the matrix: a capital for a pair that was tried.
func cell(from, to compatibility.Version) byte {
	if from.Equal(to) {
		return '='
	}
	data := compatibility.Data{Versions: map[v1alpha1.Product]compatibility.Version{from.Product: from}, Last: from.Product}
	verdict := compatibility.Judge(compatibility.Question{Data: data, Wanted: to})
	letter := letterOf(verdict)
	if verdict.Tried() {
		letter -= 'a' - 'A'
	}
	return letter
}

func letterOf(verdict compatibility.Verdict) byte {
	keys := map[string]bool{}
	for _, annotation := range verdict.Needed {
		keys[annotation.Key] = true
	}
	switch {
	case verdict.Allowed:
		return 'u'
	case keys[v1alpha1.AnnotationAllowProductChange]:
		return 'p'
	case keys[v1alpha1.AnnotationAllowFormatDowngrade]:
		return 'f'
	case keys[v1alpha1.AnnotationAllowDowngrade]:
		return 'd'
	default:
		return 'x'
	}
}

// short names a version in the matrix: previews by pre.N.
func short(v compatibility.Version) string {
	return strings.Replace(v.String(), "1.0.0-preview", "pre", 1)
}

func widest(versions []compatibility.Version) int {
	width := 0
	for _, v := range versions {
		width = max(width, len(short(v)))
	}
	return width
}

// writeHeader writes the versions from top to bottom, one above each column.
func writeHeader(out *strings.Builder, versions []compatibility.Version) {
	height := widest(versions)
	for line := range height {
		var row strings.Builder
		for _, v := range versions {
			letter := byte(' ')
			if name := short(v); line >= height-len(name) {
				letter = name[line-(height-len(name))]
			}
			row.WriteByte(letter)
		}
		out.WriteString(strings.TrimRight(strings.Repeat(" ", height+1)+row.String(), " ") + "\n")
	}
}
