// Package terminal is how the plugin writes for people: colours, tables and sections.
package terminal

import (
	"fmt"
	"io"
	"os"

	"github.com/fatih/color"
	"golang.org/x/term"
)

// When to use colours: the values of --color.
const (
	Auto   = "auto"
	Always = "always"
	Never  = "never"
)

// A Palette paints text, or leaves it as it is.
type Palette struct{ on bool }

// NewPalette for a writer. Auto paints on a terminal, unless NO_COLOR is set (no-color.org).
func NewPalette(when string, to io.Writer, getenv func(string) string) (Palette, error) {
	switch when {
	case Always:
		return Palette{on: true}, nil
	case Never:
		return Palette{}, nil
	case Auto, "":
		return Palette{on: IsTerminal(to) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"}, nil
	}
	return Palette{}, fmt.Errorf("--color must be %s, %s or %s, not %q", Auto, Always, Never, when)
}

// IsTerminal tells whether a person looks at the stream.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Width of the terminal behind a writer, 0 when it is none.
func Width(to io.Writer) int {
	file, ok := to.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Good is what is as it should be.
func (p Palette) Good(text string) string { return p.paint(text, color.FgGreen) }

// Bad needs a person.
func (p Palette) Bad(text string) string { return p.paint(text, color.FgRed, color.Bold) }

// Warn is on its way, or worth a look.
func (p Palette) Warn(text string) string { return p.paint(text, color.FgYellow) }

// Strong is what the eye looks for.
func (p Palette) Strong(text string) string { return p.paint(text, color.Bold) }

// Faint is detail.
func (p Palette) Faint(text string) string { return p.paint(text, color.Faint) }

// EventType says in a word what colours say too: a warning is one without them.
func EventType(warning bool) string {
	if warning {
		return "Warning"
	}
	return "Normal"
}

func (p Palette) paint(text string, attributes ...color.Attribute) string {
	if !p.on || text == "" {
		return text
	}
	with := color.New(attributes...)
	with.EnableColor()
	return with.Sprint(text)
}
