package compatibility

import (
	"fmt"
	"slices"
	"strings"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// chromaOnVecturaDB says what Chroma does with data that VecturaDB has opened.
func chromaOnVecturaDB() string {
	return "On data that VecturaDB has opened, Chroma reads records, documents and metadata, but not the sparse vectors, " +
		"which stay in the data. Writing with Chroma to collections with BM25 fails with the Python client; other " +
		"clients write records without their BM25 vectors, or leave the old vectors on documents that they change. " +
		"Do not write with Chroma to data that uses sparse vectors or BM25."
}

// formatPhrase names the format of a version.
func formatPhrase(v Version) string {
	format := FormatOf(v)
	if format == FormatUnknown {
		return "a data format that is not known"
	}
	return "the data format " + format
}

// effect says what happens when a version opens data of another one.
func effect(from, to Version) string {
	known, ok := StepBetween(from, to)
	if !ok {
		return "This way back was not tried: the older server may refuse to start, or open the data and read it wrongly."
	}
	return known.Effect
}

// alternatives names the targets that a table has from a version, or else the versions that it starts from.
func alternatives(table []Passage, from Version, product v1alpha1.Product) string {
	var targets, sources []string
	for _, passage := range table {
		if passage.To.Product != product || passage.From.Product != from.Product {
			continue
		}
		sources = append(sources, passage.From.Title())
		if passage.From.Equal(from) {
			targets = append(targets, passage.To.Title())
		}
	}
	if len(targets) > 0 {
		return fmt.Sprintf(" What was tried from there is %s.", list(targets))
	}
	return fmt.Sprintf(" What was tried starts from %s.", list(sources))
}

// ByHand begins the sentence of a message that says which annotations to set. A command that sets them leaves it out.
const ByHand = "To do it nevertheless set the"

// howToAllow names the missing annotations, and those that have a value that does not count.
func howToAllow(needed, set []Annotation) string {
	assignments := make([]string, 0, len(needed))
	var wrong string
	for _, annotation := range needed {
		assignments = append(assignments, fmt.Sprintf("%s to %q", annotation.Key, annotation.Value))
		if value, ok := valueOf(set, annotation.Key); ok {
			wrong = join(wrong, fmt.Sprintf("The present value %q of %s does not count: only %q does.",
				value, annotation.Key, annotation.Value))
		}
	}
	word := "annotation"
	if len(needed) > 1 {
		word = "annotations"
	}
	return join(fmt.Sprintf("%s %s %s.", ByHand, word, list(assignments)), wrong)
}

func valueOf(annotations []Annotation, key string) (string, bool) {
	for _, annotation := range annotations {
		if annotation.Key == key {
			return annotation.Value, true
		}
	}
	return "", false
}

// list writes a, b and c, each once.
func list(items []string) string {
	items = slices.Compact(items)
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// join two texts of whole sentences.
func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	default:
		return a + " " + b
	}
}
