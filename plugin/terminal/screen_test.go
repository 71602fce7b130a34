package terminal

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScreen(t *testing.T) {
	cases := map[string]struct {
		reason        string
		width, height int
		frames        []string
		want          string
	}{
		"Same":     {reason: "The same frame is not drawn again.", width: 10, height: 10, frames: []string{"a\n", "a\n"}, want: "a\x1b[K\n\x1b[J"},
		"Over":     {reason: "A frame is drawn over the one before, line by line.", width: 10, height: 10, frames: []string{"a\nb\n", "c\n"}, want: "a\x1b[K\nb\x1b[K\n\x1b[J\x1b[2A\rc\x1b[K\n\x1b[J"},
		"LongLine": {reason: "A line that the terminal breaks takes two rows.", width: 4, height: 10, frames: []string{"abcdef\n", "x\n"}, want: "abcdef\x1b[K\n\x1b[J\x1b[2A\rx\x1b[K\n\x1b[J"},
		"Painted":  {reason: "Paint takes no room.", width: 4, height: 10, frames: []string{"\x1b[1mabc\x1b[0m\n", "x\n"}, want: "\x1b[1mabc\x1b[0m\x1b[K\n\x1b[J\x1b[1A\rx\x1b[K\n\x1b[J"},
		"TooHigh":  {reason: "What does not fit is cut.", width: 10, height: 3, frames: []string{"a\nb\nc\nd\n"}, want: "a\x1b[K\nb\x1b[K\n\x1b[J"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			screen := NewScreen(&out)
			screen.size = func() (int, int) { return tc.width, tc.height }
			for _, frame := range tc.frames {
				screen.Draw(frame)
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("\n%s\nDraw(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
