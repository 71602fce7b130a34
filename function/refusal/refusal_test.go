package refusal

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRefusals(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const quota = `pods "a" is forbidden: exceeded quota: few`
	const forbidden = `cannot compose resources: cannot apply composed resource "a": ` + quota
	first := Retry{Role: "a", Attempts: 1, Last: start, Refused: "wanted-a", Message: quota}
	tried, second := first, Retry{Role: "a", Attempts: 2, Last: start.Add(11 * time.Second), Refused: "wanted-a", Message: quota}
	tried.Tried = true
	another := Retry{Role: "a", Attempts: 3, Last: start, Refused: "another", Message: quota}
	cases := map[string]struct {
		reason   string
		synced   string
		known    []Retry
		observed bool
		after    time.Duration
		want     []Refusal
	}{
		"Nothing": {"The previous pass went well.", "", nil, false, 0, nil},
		"Other":   {"Another error.", "cannot compose resources: cannot run", nil, false, 0, nil},
		"Learned": {"Held back from now on, with the API's words.", forbidden, nil, false, 0, []Refusal{{first, 10 * time.Second}}},
		"OtherWordsFirst": {"A ServiceAccount that lacks a verb: Crossplane puts its own words first.", "[" + forbidden, nil, false, 0,
			[]Refusal{{first, 10 * time.Second}}},
		"Invalid": {"Invalid objects are listed without words.", "Unsynced resources: a, b", nil, true, 0, []Refusal{
			{Retry{Role: "a", Attempts: 1, Last: start, Refused: "wanted-a"}, 10 * time.Second},
			{Retry{Role: "b", Attempts: 1, Last: start, Refused: "wanted-b"}, 10 * time.Second},
		}},
		"Three": {"Three invalid objects are listed with an and.", "Unsynced resources: a, b, and c", nil, true, 0, []Refusal{
			{Retry{Role: "a", Attempts: 1, Last: start, Refused: "wanted-a"}, 10 * time.Second},
			{Retry{Role: "b", Attempts: 1, Last: start, Refused: "wanted-b"}, 10 * time.Second},
			{Retry{Role: "c", Attempts: 1, Last: start, Refused: "wanted-c"}, 10 * time.Second},
		}},
		"More": {"Of more than three the others are not named, and are learned of when these are left out.", "Unsynced resources: a, b, c, and 2 more", nil, true, 0, []Refusal{
			{Retry{Role: "a", Attempts: 1, Last: start, Refused: "wanted-a"}, 10 * time.Second},
			{Retry{Role: "b", Attempts: 1, Last: start, Refused: "wanted-b"}, 10 * time.Second},
			{Retry{Role: "c", Attempts: 1, Last: start, Refused: "wanted-c"}, 10 * time.Second},
		}},
		"NotWanted":  {"What is not wanted is not tried.", "Unsynced resources: unwanted", nil, false, 0, nil},
		"Waiting":    {"The same condition still stands: it is not counted twice.", forbidden, []Retry{first}, false, 4 * time.Second, []Refusal{{first, 6 * time.Second}}},
		"Quiet":      {"The pass without it went well: it waits on.", "", []Retry{first}, false, 4 * time.Second, []Refusal{{first, 6 * time.Second}}},
		"Due":        {"Tried in this pass.", "", []Retry{first}, false, 10 * time.Second, []Refusal{{tried, 0}}},
		"DueThere":   {"What is there is tried with the content that was refused, and told until that is known to be written.", "", []Retry{first}, true, 10 * time.Second, []Refusal{{tried, 0}}},
		"Again":      {"Refused again: it waits twice as long.", forbidden, []Retry{first}, false, 11 * time.Second, []Refusal{{second, 20 * time.Second}}},
		"AgainThere": {"An object that is there is refused again: it waits twice as long too.", "Unsynced resources: a", []Retry{tried}, true, 11 * time.Second, []Refusal{{second, 20 * time.Second}}},
		"AtMost": {"A minute at most.", forbidden, []Retry{{Role: "a", Attempts: 7, Last: start, Refused: "wanted-a", Message: quota}}, false, time.Hour,
			[]Refusal{{Retry{Role: "a", Attempts: 8, Last: start.Add(time.Hour), Refused: "wanted-a", Message: quota}, time.Minute}}},
		"Written":      {"It was tried, is there, and nobody refused it: it was written.", "", []Retry{tried}, true, 12 * time.Second, nil},
		"NotYetThere":  {"It was tried and is not there: the answer is behind, or the pass ended for another reason.", "", []Retry{tried}, false, 12 * time.Second, []Refusal{{tried, 0}}},
		"OtherContent": {"Something else is wanted now: it is tried at once.", "", []Retry{another}, false, 0, nil},
		"OtherContentToo": {"Something else was tried while the first was held back, and is refused as well: it has its own back-off.", forbidden, []Retry{another}, false, 4 * time.Second,
			[]Refusal{{Retry{Role: "a", Attempts: 1, Last: start.Add(4 * time.Second), Refused: "wanted-a", Message: quota}, 10 * time.Second}}},
		"Garbled": {"No role in quotes.", "cannot apply composed resource a: no", nil, false, 0, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Pass{
				Synced: tc.synced, Known: tc.known, Now: start.Add(tc.after),
				Content: func(role string) string {
					if role == "unwanted" {
						return ""
					}
					return "wanted-" + role
				},
				Observed: func(string) bool { return tc.observed },
			}.Refusals()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nRefusals(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestBackoffIsTenTwentyAndFortySecondsAndThenAMinute(t *testing.T) {
	for attempts, want := range map[int32]time.Duration{1: 10 * time.Second, 2: 20 * time.Second, 3: 40 * time.Second, 4: time.Minute, 5: time.Minute, 1 << 30: time.Minute} {
		if got := Backoff(attempts); got != want {
			t.Errorf("after %d refused tries: want %s, got %s", attempts, want, got)
		}
	}
}

// FuzzRefused looks for a message that panics: others write it.
func FuzzRefused(f *testing.F) {
	f.Add(`cannot apply composed resource "a": b`)
	f.Add("Unsynced resources: a, b")
	f.Fuzz(func(_ *testing.T, synced string) { refused(synced) })
}
