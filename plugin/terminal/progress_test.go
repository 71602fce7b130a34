package terminal

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProgressTellsWhatChangesAndThatItLasts(t *testing.T) {
	cases := map[string]struct {
		reason string
		// told line by second.
		told []string
		want string
	}{
		"Change": {reason: "Another line is told at once.", told: []string{"a", "b"}, want: "0s      a\n1s      b\n"},
		"Same":   {reason: "A second look that finds the same says nothing.", told: []string{"a", "a", "a"}, want: "0s      a\n"},
		"Lasts":  {reason: "What lasts is told every half minute, with how long it was waited.", told: seconds("a", 61), want: "0s      a\n30s     a\n1m0s    a\n"},
		"Back":   {reason: "A line that comes back is told.", told: []string{"a", "b", "a"}, want: "0s      a\n1s      b\n2s      a\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			progress := NewProgress(&out, begun)
			for i, line := range tc.told {
				progress.Tell(begun.Add(time.Duration(i)*time.Second), line)
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("\n%s\nTell(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// seconds of the same line.
func seconds(line string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = line
	}
	return out
}
