package terminal

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// A Screen shows one frame after the other. On a terminal each is one write that draws over the frame before without
// clearing it first, so that nothing flickers. Elsewhere a frame is printed when it is another one.
type Screen struct {
	to    io.Writer
	size  func() (width, height int)
	last  string
	drawn bool
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

// Live tells whether frames are drawn over each other on a terminal. Elsewhere each is printed below the one before.
func (s *Screen) Live() bool { return s.size != nil }

const (
	home       = "\x1b[H"
	clearLine  = "\x1b[K"
	clearBelow = "\x1b[J"
)

// Draw a frame with a foot below it. A frame that is higher than the terminal is cut above its foot, and says so: what
// has scrolled away cannot be drawn over.
func (s *Screen) Draw(frame, foot string) { s.draw(frame, foot, true) }

// End with a frame, whole however high it is.
func (s *Screen) End(frame string) { s.draw(frame, "", false) }

func (s *Screen) draw(frame, foot string, cut bool) {
	whole := frame + foot
	if whole == s.last && (cut || s.size == nil) {
		return
	}
	s.last = whole
	if s.size == nil {
		if cut {
			whole += "\n"
		}
		_, _ = io.WriteString(s.to, whole)
		return
	}
	width, height := s.size()
	var out strings.Builder
	if !s.drawn {
		// What was on the terminal stays above, to be scrolled back to.
		out.WriteString(strings.Repeat("\n", height-1))
		s.drawn = true
	}
	out.WriteString(home)
	lines, below := linesOf(frame), linesOf(foot)
	if cut {
		lines = fitting(lines, width, height-rowsOf(below, width))
	}
	for _, line := range append(lines, below...) {
		out.WriteString(line + clearLine + "\n")
	}
	out.WriteString(clearBelow)
	_, _ = io.WriteString(s.to, out.String())
}

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// fitting lines: all of them, or as many as leave a row for the number of those that are left out. The cursor takes the
// last row.
func fitting(lines []string, width, height int) []string {
	if rowsOf(lines, width) < height {
		return lines
	}
	rows := 1
	for i := range lines {
		if rows += rowsOf(lines[i:i+1], width); rows >= height {
			return append(slices.Clone(lines[:i]), Shorten(fmt.Sprintf("… %d more lines: the terminal is too low", len(lines)-i), width))
		}
	}
	return lines
}

// rowsOf lines on a terminal, which breaks them at its width.
func rowsOf(lines []string, width int) int {
	rows := 0
	for _, line := range lines {
		rows += max(1, (visible(line)+width-1)/width)
	}
	return rows
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
