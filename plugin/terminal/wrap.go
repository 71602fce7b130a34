package terminal

import (
	"strings"
	"unicode/utf8"
)

// DefaultWidth of text for people where no terminal says another.
const DefaultWidth = 120

// Wrap text at words so that no line is longer than width. A longer word, such as a command's argument, stays whole.
func Wrap(text string, width int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			switch {
			case line == "":
				line = word
			case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
				lines = append(lines, line)
				line = word
			default:
				line += " " + word
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// Pad text to a width with spaces. It counts characters, and must come before the paint.
func Pad(text string, width int) string {
	if missing := width - utf8.RuneCountInString(text); missing > 0 {
		return text + strings.Repeat(" ", missing)
	}
	return text
}

// Shorten text to a width. What is cut off is marked.
func Shorten(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= max(width, 1) {
		return text
	}
	return string(runes[:max(width, 1)-1]) + "…"
}
