package terminal

import (
	"fmt"
	"io"
	"strings"
)

// A Screen shows one frame after the other. On a terminal a frame is drawn over the one before, without clearing it
// first, so that nothing flickers. Elsewhere a frame is printed when it is another one.
type Screen struct {
	to       io.Writer
	terminal bool
	last     string
	lines    int
}

// NewScreen on a writer.
func NewScreen(to io.Writer) *Screen { return &Screen{to: to, terminal: IsTerminal(to)} }

const (
	clearLine  = "\x1b[K"
	clearBelow = "\x1b[J"
)

// Draw a frame.
func (s *Screen) Draw(frame string) {
	if frame == s.last {
		return
	}
	s.last = frame
	if !s.terminal {
		_, _ = io.WriteString(s.to, frame+"\n")
		return
	}
	var out strings.Builder
	if s.lines > 0 {
		fmt.Fprintf(&out, "\x1b[%dA\r", s.lines)
	}
	lines := strings.Split(strings.TrimSuffix(frame, "\n"), "\n")
	for _, line := range lines {
		out.WriteString(line + clearLine + "\n")
	}
	out.WriteString(clearBelow)
	s.lines = len(lines)
	_, _ = io.WriteString(s.to, out.String())
}
