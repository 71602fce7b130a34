package chart

import (
	"fmt"
	"strconv"
	"strings"
)

// Config is one of Chroma's config files: YAML in which the following local tags stand for what a Chroma decides.
//
//	!namespace    the namespace
//	!bucket       the bucket
//	!host NAME    the Service NAME in the namespace
//	!collector    the URL of the OpenTelemetry collector in the namespace
//
// The file is cut at its tags once. Its text is then joined from the pieces, so no value a user chooses can be taken
// for a part of the file, and the file's own numbers stay the digits they are: 18446744073709551615 in the frontend's
// file survives neither float64 nor a protobuf Struct.
type Config struct {
	sections []section
}

// section is a key at the top level of the file: the part that one service reads.
type section struct {
	name   string
	pieces []piece
}

// piece is text that stays, followed by a value. Without a placeholder the text stands alone.
type piece struct {
	text        string
	placeholder placeholder
	argument    string
}

type placeholder string

const (
	namespacePlaceholder placeholder = "!namespace"
	bucketPlaceholder    placeholder = "!bucket"
	hostPlaceholder      placeholder = "!host"
	collectorPlaceholder placeholder = "!collector"
)

// MustConfig reads a config file that is compiled into the program. It panics when a tag is not known.
func MustConfig(file string) *Config {
	config, err := ParseConfig(file)
	if err != nil {
		panic(err)
	}
	return config
}

// ParseConfig reads a config file.
func ParseConfig(file string) (*Config, error) {
	config := &Config{}
	for line := range strings.Lines(file) {
		if name, ok := sectionName(line); ok {
			config.sections = append(config.sections, section{name: name})
		}
		if len(config.sections) == 0 {
			return nil, fmt.Errorf("cannot read config file: it starts with %q, not with a key", line)
		}
		current := &config.sections[len(config.sections)-1]
		pieces, err := appendLine(current.pieces, line)
		if err != nil {
			return nil, fmt.Errorf("cannot read config file: section %s: %w", current.name, err)
		}
		current.pieces = pieces
	}
	return config, nil
}

// sectionName of a line that begins one.
func sectionName(line string) (string, bool) {
	if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "-") {
		return "", false
	}
	name, _, ok := strings.Cut(line, ":")
	return name, ok
}

func appendLine(pieces []piece, line string) ([]piece, error) {
	before, tag, tagged := strings.Cut(strings.TrimSuffix(line, "\n"), ": !")
	if !tagged {
		return appendText(pieces, line), nil
	}
	name, argument, _ := strings.Cut("!"+tag, " ")
	value := piece{placeholder: placeholder(name), argument: argument}
	switch value.placeholder {
	case namespacePlaceholder, bucketPlaceholder, hostPlaceholder, collectorPlaceholder:
	default:
		return nil, fmt.Errorf("tag %s is not known", name)
	}
	pieces = appendText(pieces, before+": ")
	pieces[len(pieces)-1].placeholder, pieces[len(pieces)-1].argument = value.placeholder, value.argument
	return append(pieces, piece{text: "\n"}), nil
}

// appendText to the last piece, which never has a placeholder yet.
func appendText(pieces []piece, text string) []piece {
	if len(pieces) == 0 {
		return append(pieces, piece{text: text})
	}
	pieces[len(pieces)-1].text += text
	return pieces
}

// MustExtend gives a config file with more keys in a section: how a later version says what it added. The keys are
// written as a file of their own, without indentation. It panics when the section does not exist.
func (c *Config) MustExtend(name, keys string) *Config {
	var indented strings.Builder
	for line := range strings.Lines(keys) {
		indented.WriteString("  " + line)
	}
	extended := &Config{sections: make([]section, len(c.sections))}
	found := false
	for i, current := range c.sections {
		extended.sections[i] = current
		if current.name != name {
			continue
		}
		found = true
		added := MustConfig(name + ":\n" + indented.String()).sections[0].pieces
		added[0].text = strings.TrimPrefix(added[0].text, name+":\n")
		extended.sections[i].pieces = append(append([]piece{}, current.pieces...), added...)
	}
	if !found {
		panic(fmt.Sprintf("cannot extend config file: no section %s", name))
	}
	return extended
}

// Text of the file for the values of a Chroma.
func (c *Config) Text(values Values) string {
	// Quoted values are always strings: a namespace of digits must not turn into a number. What strconv.Quote escapes,
	// YAML's double quotes read the same way.
	var (
		namespace = strconv.Quote(values.Namespace)
		bucket    = strconv.Quote(values.S3.Bucket)
		collector = strconv.Quote("http://" + values.Collector())
	)
	var text strings.Builder
	text.Grow(1 << 14)
	for _, section := range c.sections {
		for _, piece := range section.pieces {
			text.WriteString(piece.text)
			switch piece.placeholder {
			case namespacePlaceholder:
				text.WriteString(namespace)
			case bucketPlaceholder:
				text.WriteString(bucket)
			case hostPlaceholder:
				text.WriteString(strconv.Quote(values.Host(piece.argument)))
			case collectorPlaceholder:
				text.WriteString(collector)
			}
		}
	}
	return text.String()
}
