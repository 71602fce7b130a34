package terminal

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writes one after the other: a frame in two of them would flicker.
type writes []string

func (w *writes) Write(content []byte) (int, error) {
	*w = append(*w, string(content))
	return len(content), nil
}

func TestScreen(t *testing.T) {
	cases := map[string]struct {
		reason        string
		width, height int
		frames        []string
		foot          string
		end           string
		want          []string
	}{
		"Same":     {reason: "The same frame is not drawn again.", width: 10, height: 3, frames: []string{"a\n", "a\n"}, want: []string{"\n\n\x1b[Ha\x1b[K\n\x1b[J"}},
		"Over":     {reason: "A frame is drawn over the one before, line by line, and never cleared first.", width: 10, height: 3, frames: []string{"a\nb\n", "c\n"}, want: []string{"\n\n\x1b[Ha\x1b[K\nb\x1b[K\n\x1b[J", "\x1b[Hc\x1b[K\n\x1b[J"}},
		"LongLine": {reason: "A line that the terminal breaks takes two rows.", width: 4, height: 3, frames: []string{"abcdef\nx\n"}, want: []string{"\n\n\x1b[H… 2…\x1b[K\n\x1b[J"}},
		"Painted":  {reason: "Paint takes no room.", width: 4, height: 3, frames: []string{"\x1b[1mabc\x1b[0m\nx\n"}, want: []string{"\n\n\x1b[H\x1b[1mabc\x1b[0m\x1b[K\nx\x1b[K\n\x1b[J"}},
		"TooHigh":  {reason: "What does not fit is cut, and counted.", width: 60, height: 3, frames: []string{"a\nb\nc\nd\n"}, want: []string{"\n\n\x1b[Ha\x1b[K\n… 3 more lines: the terminal is too low\x1b[K\n\x1b[J"}},
		"Foot":     {reason: "What to do stays in view.", width: 60, height: 4, frames: []string{"a\nb\nc\n"}, foot: "do\n", want: []string{"\n\n\n\x1b[Ha\x1b[K\n… 2 more lines: the terminal is too low\x1b[K\ndo\x1b[K\n\x1b[J"}},
		"End":      {reason: "The last frame is whole.", width: 60, height: 3, frames: []string{"a\n"}, end: "a\nb\nc\nd\n", want: []string{"\n\n\x1b[Ha\x1b[K\n\x1b[J", "\x1b[Ha\x1b[K\nb\x1b[K\nc\x1b[K\nd\x1b[K\n\x1b[J"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out writes
			screen := NewScreen(&out)
			screen.size = func() (int, int) { return tc.width, tc.height }
			for _, frame := range tc.frames {
				screen.Draw(frame, tc.foot)
			}
			if tc.end != "" {
				screen.End(tc.end)
			}
			if diff := cmp.Diff(tc.want, []string(out)); diff != "" {
				t.Errorf("\n%s\nDraw(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFramesElsewhere(t *testing.T) {
	var out writes
	screen := NewScreen(&out)
	screen.Draw("a\n", "do\n")
	screen.Draw("a\n", "do\n")
	screen.End("b\n")
	if diff := cmp.Diff([]string{"a\ndo\n\n", "b\n"}, []string(out)); diff != "" {
		t.Errorf("without a terminal each frame is apart from the next, and nothing follows the last: -want, +got:\n%s", diff)
	}
}
