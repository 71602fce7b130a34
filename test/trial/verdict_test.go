package trial

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/volume"
)

func version(t *testing.T, product v1alpha1.Product, text string) compatibility.Version {
	t.Helper()
	parsed, err := compatibility.ParseVersion(product, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestJudge(t *testing.T) {
	const identical, differs, panics = compatibility.ResultIdentical, compatibility.ResultDiffers, compatibility.ResultPanics
	formatB, formatC := volume.Migrations{System: 10, Metadata: 5, Queue: 2}, volume.Migrations{System: 10, Metadata: 6, Queue: 2}
	chroma := func(text string) compatibility.Version { return version(t, v1alpha1.ProductChroma, text) }
	vectura := func(text string) compatibility.Version { return version(t, v1alpha1.ProductVecturaDB, text) }
	cases := map[string]struct {
		reason  string
		from    compatibility.Version
		to      compatibility.Version
		opened  compatibility.Result
		back    compatibility.Result
		written volume.Migrations
		left    volume.Migrations
		untried bool
		want    []string
	}{
		"AsTheTableSays": {
			reason: "A way up is identical, and the way back over the border is not",
			from:   chroma("1.4.1"), to: chroma("1.5.9"), opened: identical, back: differs, written: formatB, left: formatC,
		},
		"OpenedOtherwise": {
			reason: "A way up that changes answers contradicts the table, and the function that allows it",
			from:   chroma("1.4.1"), to: chroma("1.5.9"), opened: differs, back: differs, written: formatB, left: formatC,
			want: []string{
				"1.5.9 on data of 1.4.1: the table says identical, the trial differs",
				"the function allows 1.5.9 on data of 1.4.1: the trial differs",
			},
		},
		"BackOtherwise": {
			reason: "What the table says of the way back is held against the way back",
			from:   chroma("1.4.1"), to: chroma("1.5.9"), opened: identical, back: panics, written: formatB, left: formatC,
			want: []string{"1.4.1 on data of 1.4.1 that 1.5.9 has opened: the table says differs, the trial panics"},
		},
		"NothingLeft": {
			reason: "A server that panics must leave the data to the first one as it was",
			from:   chroma("1.5.9"), to: chroma("1.1.1"), opened: panics, back: differs, written: formatC, left: formatC,
			want: []string{"1.5.9 on data of 1.5.9 that 1.1.1 has opened: the table says identical, the trial differs"},
		},
		"WrongFormat": {
			reason: "A version in the wrong row of the table of formats shows in the migrations of its data",
			from:   chroma("1.4.1"), to: chroma("1.4.1"), opened: identical, back: identical, written: formatC, left: formatC,
			want: []string{
				"1.4.1 writes the format B, the volume has {10 6 2}",
				"1.4.1 leaves the format B, the volume has {10 6 2}",
			},
		},
		"Untried": {
			reason: "A version that the table does not know contradicts nothing, unless the function lets it damage data",
			from:   chroma("1.5.9"), to: chroma("1.6.0"), opened: differs, back: panics, written: formatC, left: volume.Migrations{},
			untried: true,
			want: []string{
				"the function allows 1.6.0 on data of 1.5.9: the trial differs",
				"1.6.0 leaves the format unknown, the volume has {0 0 0}",
			},
		},
		"Passage": {
			reason: "A passage to another product must keep all that the trial compares",
			from:   chroma("1.5.9"), to: vectura("1.0.0-preview.3"), opened: differs, back: identical, written: formatC, left: formatC,
			want: []string{
				"1.0.0-preview.3 on data of 1.5.9: the table says identical, the trial differs",
				"the function allows 1.0.0-preview.3 on data of 1.5.9: the trial differs",
			},
		},
		"NoPassage": {
			reason: "A way that no passage allows is not in the table",
			from:   chroma("1.5.8"), to: vectura("1.0.0-preview.3"), opened: identical, back: identical, written: formatC, left: formatC,
			untried: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			report := Report{
				From: tc.from, To: tc.to, Opened: Observation{Result: tc.opened}, Back: Observation{Result: tc.back},
				Written: tc.written, Left: tc.left,
			}
			got := Judge(report, compatibility.Steps(), compatibility.Passages())
			if diff := cmp.Diff(tc.want, got.Contradictions); diff != "" {
				t.Errorf("\n%s\nJudge(...): -want contradictions, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.untried, got.Untried); diff != "" {
				t.Errorf("\n%s\nJudge(...): -want untried, +got:\n%s", tc.reason, diff)
			}
			if said := strings.Contains(got.String(), "CONTRADICTION"); said != (len(tc.want) > 0) {
				t.Errorf("\n%s\nString(): %s", tc.reason, got)
			}
		})
	}
}

func TestRow(t *testing.T) {
	report := Report{
		From: version(t, v1alpha1.ProductChroma, "1.4.1"), To: version(t, v1alpha1.ProductChroma, "1.5.9"),
		Opened:  Observation{Result: compatibility.ResultIdentical},
		Back:    Observation{Result: compatibility.ResultDiffers, Details: []string{"a | b\nc"}},
		Written: volume.Migrations{System: 10, Metadata: 5, Queue: 2}, Left: volume.Migrations{System: 10, Metadata: 6, Queue: 2},
	}
	want := `| Chroma 1.4.1 | Chroma 1.5.9 | identical | differs | 10/5/2 to 10/6/2 | 2026-11-30 | a \| b c |`
	if diff := cmp.Diff(want, report.Row(time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC))); diff != "" {
		t.Errorf("\nA row stays one row whatever a server says\nRow(...): -want, +got:\n%s", diff)
	}
}

func TestDifferences(t *testing.T) {
	count := map[string]Answer{"count": {Text: "20"}}
	near := func(text string, distances ...float32) Snapshot {
		return Snapshot{"records": {"count": {Text: "20"}, "nearest": {Text: text, Distances: distances}}, "gone": count}
	}
	before := near(`["a","b"]`, 0.25, 0.5)
	cases := map[string]struct {
		reason string
		after  Snapshot
		want   []string
	}{
		"Same": {
			reason: "Two servers that answer alike have no differences",
			after:  near(`["a","b"]`, 0.25, 0.5),
			want:   []string{},
		},
		"Rounding": {
			reason: "Distances may differ in their last digits",
			after:  near(`["a","b"]`, 0.250001, 0.499999),
			want:   []string{},
		},
		"Distance": {
			reason: "Another distance is a difference, even when the order is the same",
			after:  near(`["a","b"]`, 0.25, 0.75),
			want:   []string{"collection records answers otherwise to 1 of 2 questions, first its nearest: [0.25 0.5] became [0.25 0.75]"},
		},
		"Answer": {
			reason: "Another answer is a difference, shown where it begins",
			after:  near(`["b","a"]`, 0.25, 0.5),
			want:   []string{`collection records answers otherwise to 1 of 2 questions, first its nearest: ["a","b"] became ["b","a"]`},
		},
		"Collections": {
			reason: "A collection that is missing or new is a difference",
			after:  Snapshot{"records": before["records"], "new": count},
			want:   []string{"collection gone is gone", "collection new was not there"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, before.differences(tc.after)); diff != "" {
				t.Errorf("\n%s\ndifferences(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPanicOf(t *testing.T) {
	cases := map[string]struct {
		reason   string
		output   string
		want     string
		panicked bool
	}{
		"Panic": {
			reason:   "The message of a panic stands below its place in the source",
			output:   "banner\nthread 'main' panicked at rust/sqlite/src/db.rs:157:42:\nrange start index 10\nstack backtrace:\n",
			want:     "range start index 10",
			panicked: true,
		},
		"CutOff": {
			reason:   "A panic is one without its message, too",
			output:   "thread 'main' panicked at ",
			panicked: true,
		},
		"Other": {
			reason: "An image that is not there is no panic of a server",
			output: "no such image\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, panicked := panicOf(tc.output)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\npanicOf(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.panicked, panicked); diff != "" {
				t.Errorf("\n%s\npanicOf(...): -want panicked, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
