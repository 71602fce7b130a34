package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// A Screen shows one frame after the other. On a terminal a frame is drawn over the one before, without clearing it
// first, so that nothing flickers. Elsewhere a frame is printed when it is another one.
type Screen struct {
	to   io.Writer
	size func() (width, height int)
	last string
	rows int
}

// NewScreen on a writer.
func NewScreen(to io.Writer) *Screen {
	s := &Screen{to: to}
	if file, ok := to.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		s.size = func() (int, int) {
			width, height, err := term.GetSize(int(file.Fd()))
			if err != nil || width < 1 || height < 2 {
				return DefaultWidth, 24
			}
			return width, height
		}
	}
	return s
}

const (
	clearLine  = "\x1b[K"
	clearBelow = "\x1b[J"
)

// Draw a frame. One that is higher than the terminal is cut at its end: what has scrolled away cannot be drawn over.
func (s *Screen) Draw(frame string) {
	if frame == s.last {
		return
	}
	s.last = frame
	if s.size == nil {
		_, _ = io.WriteString(s.to, frame+"\n")
		return
	}
	width, height := s.size()
	var out strings.Builder
	if s.rows > 0 {
		fmt.Fprintf(&out, "\x1b[%dA\r", s.rows)
	}
	s.rows = 0
	for line := range strings.SplitSeq(strings.TrimSuffix(frame, "\n"), "\n") {
		rows := max(1, (visible(line)+width-1)/width)
		if s.rows+rows >= height {
			break
		}
		s.rows += rows
		out.WriteString(line + clearLine + "\n")
	}
	out.WriteString(clearBelow)
	_, _ = io.WriteString(s.to, out.String())
}

// visible characters of a line: what paints it is not.
func visible(line string) int {
	count := 0
	for {
		before, after, found := strings.Cut(line, "\x1b[")
		count += utf8.RuneCountInString(before)
		if !found {
			return count
		}
		end := strings.IndexFunc(after, func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return count
		}
		line = after[end+1:]
	}
}
