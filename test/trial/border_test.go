package trial

import (
	"slices"
	"testing"

	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/test/server"
)

// require returns a release from its npm package.
func require(t *testing.T, version string) Release {
	t.Helper()
	server.Require(t, version)
	release, err := Resolve(t.Context(), version, "")
	if err != nil {
		t.Fatal(err)
	}
	return release
}

// TestBorders tries a server of each data format on data of each other one, and shows that the tables could not say
// anything else without being caught.
func TestBorders(t *testing.T) {
	// The newest server of A1, B and C: no package has one of A2.
	versions := []string{"1.1.1", "1.4.1", "1.5.9"}
	data := map[string]*Data{}
	for _, version := range versions {
		written, err := Write(t.Context(), require(t, version), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		data[version] = written
	}
	for _, from := range versions {
		for _, to := range versions {
			if from == to {
				continue
			}
			t.Run(from+" to "+to, func(t *testing.T) {
				report, err := data[from].Open(t.Context(), require(t, to), t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				verdict := Judge(report, compatibility.Steps(), compatibility.Passages())
				t.Log(verdict)
				if verdict.Untried {
					t.Error("Judge(...): want a step between the formats in the table, there is none")
				}
				for _, contradiction := range verdict.Contradictions {
					t.Errorf("Judge(...): the table is wrong: %s\n%v\n%v", contradiction, report.Opened.Details, report.Back.Details)
				}
				flipEach(t, report)
			})
		}
	}
}

// flipEach fails the test unless each wrong entry that bears on a report is caught.
func flipEach(t *testing.T, report Report) {
	t.Helper()
	results := []compatibility.Result{
		compatibility.ResultIdentical, compatibility.ResultDiffers, compatibility.ResultPanics,
	}
	from, to := compatibility.FormatOf(report.From), compatibility.FormatOf(report.To)
	flipped := 0
	for i, step := range compatibility.Steps() {
		there := step.From == from && step.To == to
		back := step.From == to && step.To == from && report.Opened.Result != compatibility.ResultPanics
		if !there && !back {
			continue
		}
		for _, wrong := range results {
			if wrong == step.Result {
				continue
			}
			steps := slices.Clone(compatibility.Steps())
			steps[i].Result = wrong
			if len(Judge(report, steps, compatibility.Passages()).Contradictions) == 0 {
				t.Errorf("Judge(...): the entry %s to %s is %s, and saying %s instead is not caught", step.From, step.To, step.Result, wrong)
			}
			flipped++
		}
	}
	if flipped == 0 {
		t.Errorf("flipEach(...): no entry of the table bears on %s to %s", from, to)
	}
}
