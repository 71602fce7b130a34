package compatibility

import (
	"fmt"

	"github.com/Masterminds/semver/v3"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// A Trial is what a row of a table rests on.
type Trial struct {
	// Date it was made, like 2026-11-30. Empty when it was made by others, who give none.
	Date string
	// Compared says what was done and looked at.
	Compared string
	// Outcome says what was seen.
	Outcome string
}

// A Result of opening data of one format with a server of another, in a word that a trial can be held against.
type Result string

// The results.
const (
	// ResultIdentical: opened, and everything that is compared is the same.
	ResultIdentical Result = "identical"
	// ResultDiffers: opened without a message, and some requests fail or answer otherwise.
	ResultDiffers Result = "differs"
	// ResultPanics: the server ends at its start.
	ResultPanics Result = "panics"
)

// A Step between the data formats of two versions of Chroma.
type Step struct {
	// From is the format of the data.
	From string
	// To is the format of the version that opens it.
	To string
	// Only restricts the step to some versions of To. Empty: all of them.
	Only []Span
	// Result of the step.
	Result Result
	// Effect says what happens to somebody who takes the step.
	Effect string
	// Ran says whether servers of both formats were run for the trial. If not, it rests on the sources or a simulation.
	Ran bool
	// Trial behind the step.
	Trial Trial
}

// Steps returns the steps between the data formats of Chroma. A step restricted to some versions comes before the one
// for the rest of its format.
func Steps() []Step {
	const (
		date     = "2026-11-30"
		compared = "1,500 records with deletes and upserts, past the flush of the vector index, a cosine collection " +
			"with settings and, in C, metadata with arrays: counts, ids, documents, metadata, embeddings, " +
			"configuration, vector queries and filters; then new records and a new collection, then the first server again"
		source    = "the migrations and the code that reads them, in the git tags; no server of 1.2.x could be had"
		identical = "The records are the same, and so are the results."
		panics    = "The older server panics at its start, because the data has a migration that it does not know. " +
			"The data is not harmed: a version of its format opens it again."
		cosine = "Version 1.2.2 opens the data without a message, but does not read the settings of its collections " +
			"where newer versions keep them: it searches collections with cosine distance by l2, and gives other " +
			"results without an error."
		listing = "Version 1.1.1 and older starts, but once a single collection has an embedding function that it " +
			"does not know, it answers the list of all collections with an error 500."
		arrays = "The older server opens the data without a message, and answers requests on collections that have " +
			"arrays in their metadata with an error 400. Updates and deletes refused like that still happen when a " +
			"newer version opens the data again."
		same    = "opened by all, records identical, opened again by the first"
		migrate = "opened by all, records identical; the first server then panics, even when nothing was written"
		refuse  = "all panic at the start, the data stays as it was"
	)
	tried := func(pairs, outcome string) Trial {
		return Trial{Date: date, Compared: compared, Outcome: pairs + " pairs: " + outcome}
	}
	read := func(outcome string) Trial { return Trial{Date: date, Compared: source, Outcome: outcome} }
	only122 := []Span{{2, 2, 2}}
	return []Step{
		{From: "A1", To: "A1", Result: ResultIdentical, Effect: identical, Ran: true, Trial: tried("81", same)},
		{From: "A1", To: "A2", Result: ResultIdentical, Effect: identical, Trial: read("the same migrations")},
		{From: "A1", To: "B", Result: ResultIdentical, Effect: identical, Ran: true, Trial: tried("54", migrate)},
		{From: "A1", To: "C", Result: ResultIdentical, Effect: identical, Ran: true, Trial: tried("45", migrate)},
		{From: "A2", To: "A1", Result: ResultDiffers, Effect: listing, Trial: Trial{Date: date,
			Compared: "a simulation: 1.1.1 on data with one collection whose embedding function is unknown",
			Outcome:  "it starts and its heartbeat answers, the list of collections answers 500"}},
		{From: "A2", To: "A2", Result: ResultIdentical, Effect: identical, Trial: read("the same migrations")},
		{From: "A2", To: "B", Result: ResultIdentical, Effect: identical, Trial: read("B migrates what A1 and A2 share")},
		{From: "A2", To: "C", Result: ResultIdentical, Effect: identical, Trial: read("C migrates what A1 and A2 share")},
		{From: "B", To: "A1", Result: ResultPanics, Effect: panics, Ran: true, Trial: tried("54", refuse)},
		{From: "B", To: "A2", Only: only122, Result: ResultDiffers, Effect: cosine, Trial: read("1.2.2 no longer checks for unknown migrations")},
		{From: "B", To: "A2", Result: ResultPanics, Effect: panics, Trial: read("1.2.0 and 1.2.1 check migrations with the code of A1")},
		{From: "B", To: "B", Result: ResultIdentical, Effect: identical, Ran: true, Trial: tried("36", same)},
		{From: "B", To: "C", Result: ResultIdentical, Effect: identical, Ran: true, Trial: tried("30", same)},
		{From: "C", To: "A1", Result: ResultPanics, Effect: panics, Ran: true, Trial: tried("45", refuse)},
		{From: "C", To: "A2", Only: only122, Result: ResultDiffers, Effect: cosine, Trial: Trial{Date: date,
			Compared: "the sources, and a simulation: 1.1.1 on data of C without the row of the additional migration",
			Outcome:  "opened; a cosine collection is searched by l2, other results and embeddings, no error"}},
		{From: "C", To: "A2", Result: ResultPanics, Effect: panics, Trial: read("1.2.0 and 1.2.1 check migrations with the code of A1")},
		{From: "C", To: "B", Result: ResultDiffers, Effect: arrays, Ran: true, Trial: tried("30",
			"all open without a message; collections with arrays in metadata answer 400, the others are identical; opened again by the first")},
		{From: "C", To: "C", Result: ResultIdentical, Effect: identical, Ran: true, Trial: tried("25", same)},
	}
}

// StepBetween returns the step from data of one version of Chroma to another version, if the table has one.
func StepBetween(from, to Version) (Step, bool) {
	formatFrom, formatTo := FormatOf(from), FormatOf(to)
	for _, step := range Steps() {
		if step.From == formatFrom && step.To == formatTo && (len(step.Only) == 0 || within(step.Only, to)) {
			return step, true
		}
	}
	return Step{}, false
}

// A Passage from data of one version to another version, of VecturaDB or of another product.
type Passage struct {
	From, To Version
	Trial    Trial
}

// Passages returns the passages to a VecturaDB. What is not here is refused: nothing is concluded from the numbers of
// versions. These trials were made by others, on volumes with real data, whose images could not be had for a trial of
// our own.
func Passages() []Passage {
	dense := Trial{
		Compared: "a volume that Chroma had filled with 200 dense records, opened by VecturaDB; BM25 and sparse vectors added",
		Outcome:  "the dense records kept ids and results; the new vectors were written and found by search",
	}
	return []Passage{
		{From: chroma(1, 5, 9), To: preview(2), Trial: dense},
		{From: chroma(1, 5, 9), To: preview(3), Trial: dense},
		{From: preview(2), To: preview(3), Trial: Trial{
			Compared: "dense records, BM25 and explicit sparse vectors written by the older preview, on a new volume and " +
				"on data of Chroma 1.5.9, opened by the newer one",
			Outcome: "all records intact, searches with the same results; new records were written and found",
		}},
	}
}

// WaysBack returns the passages from data of a VecturaDB to a Chroma. Each needs a person's consent, because Chroma
// does not read everything that such data can hold. These trials were made by others as well.
func WaysBack() []Passage {
	partly := Trial{
		Compared: "data that VecturaDB had opened, with dense records, BM25 and sparse vectors, opened and written by Chroma",
		Outcome:  "records, documents and metadata are read; sparse vectors are not, and writing to collections with BM25 fails or loses their vectors",
	}
	return []Passage{
		{From: preview(2), To: chroma(1, 5, 9), Trial: partly},
		{From: preview(3), To: chroma(1, 5, 9), Trial: partly},
	}
}

func find(table []Passage, from, to Version) (Passage, bool) {
	for _, passage := range table {
		if passage.From.Equal(from) && passage.To.Equal(to) {
			return passage, true
		}
	}
	return Passage{}, false
}

func chroma(major, minor, patch uint64) Version {
	return Version{Product: v1alpha1.ProductChroma, number: *semver.New(major, minor, patch, "", "")}
}

func preview(n uint64) Version {
	return Version{Product: v1alpha1.ProductVecturaDB, number: *semver.New(1, 0, 0, fmt.Sprintf("preview.%d", n), "")}
}
