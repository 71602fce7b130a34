package compatibility

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pairs of a table, as people write them.
func pairs(table []Passage) []string {
	var out []string
	for _, passage := range table {
		out = append(out, passage.From.Title()+" to "+passage.To.Title())
	}
	return out
}

func TestThePassagesAndTheWaysBackAreTheOnesThatOthersHaveTried(t *testing.T) {
	cases := map[string]struct {
		reason string
		table  []Passage
		want   []string
	}{
		"Passages": {
			reason: "What is not in the table is refused.", table: Passages(),
			want: []string{
				"Chroma 1.5.9 to VecturaDB 1.0.0-preview.2", "Chroma 1.5.9 to VecturaDB 1.0.0-preview.3",
				"VecturaDB 1.0.0-preview.2 to VecturaDB 1.0.0-preview.3",
			},
		},
		"WaysBack": {
			reason: "They are in a table of their own, since each needs a person's consent.", table: WaysBack(),
			want: []string{"VecturaDB 1.0.0-preview.2 to Chroma 1.5.9", "VecturaDB 1.0.0-preview.3 to Chroma 1.5.9"},
		},
	}
	page, err := os.ReadFile("../../docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "were made by others, on volumes with real data. The images could not be had") {
		t.Errorf("the page does not say whose trials these are")
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, pairs(tc.table)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			for _, passage := range tc.table {
				// A trial without a date is one that others made.
				if trial := passage.Trial; trial.Date != "" || trial.Compared == "" || trial.Outcome == "" {
					t.Errorf("the trial behind %s is not told: %+v", pairs([]Passage{passage}), trial)
				}
				if row := "| " + passage.From.Title() + " | " + passage.To.Title() + " | "; !strings.Contains(string(page), row) {
					t.Errorf("the page has no row %q", row)
				}
			}
		})
	}
}

func TestWhoGoesBackToChromaIsToldAllOfIt(t *testing.T) {
	for _, passage := range WaysBack() {
		v := Judge(Question{Data: data(t, string(passage.From.Product)+" "+passage.From.String()), Wanted: passage.To, Overrides: Overrides{AllowProductChange: "true"}})
		for _, text := range []string{
			"Chroma reads records, documents and metadata, but not the sparse vectors, which stay in the data",
			"Writing with Chroma to collections with BM25 fails with the Python client",
			"other clients write records without their BM25 vectors, or leave the old vectors on documents that they change",
			"Do not write with Chroma to data that uses sparse vectors or BM25",
		} {
			if !strings.Contains(v.Message, text) {
				t.Errorf("from %s: the message does not say %q: %s", passage.From.Title(), text, v.Message)
			}
		}
	}
}
