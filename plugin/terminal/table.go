package terminal

import (
	"io"
	"strings"
	"unicode/utf8"
)

// A Cell of a table, painted after it is aligned.
type Cell struct {
	Text  string
	Paint func(string) string
}

// Plain cells of texts.
func Plain(texts ...string) []Cell {
	cells := make([]Cell, 0, len(texts))
	for _, text := range texts {
		cells = append(cells, Cell{Text: text})
	}
	return cells
}

// gap between columns, as kubectl has it.
const gap = 3

// Table prints rows in aligned columns. The first row is the header.
func Table(to io.Writer, rows [][]Cell) error {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell.Text))
		}
	}
	var out strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			text := cell.Text
			if i < len(row)-1 {
				text = Pad(text, widths[i]+gap)
			}
			if cell.Paint != nil {
				text = cell.Paint(text)
			}
			out.WriteString(text)
		}
		out.WriteString("\n")
	}
	_, err := io.WriteString(to, out.String())
	return err
}
