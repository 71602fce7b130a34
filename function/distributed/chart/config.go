package chart

import (
	"fmt"
	"slices"
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
	var current *section
	start, end := 0, 0 // of the text since the last tag or section
	for line := range strings.Lines(file) {
		if name, ok := sectionName(line); ok {
			if current != nil {
				current.pieces = append(current.pieces, piece{text: file[start:end]})
			}
			config.sections = append(config.sections, section{name: name})
			current, start = &config.sections[len(config.sections)-1], end
		}
		if current == nil {
			return nil, fmt.Errorf("cannot read config file: it starts with %q, not with a key", line)
		}
		if before, tag, tagged := strings.Cut(strings.TrimSuffix(line, "\n"), " !"); tagged {
			value, err := parseTag("!" + tag)
			if err != nil {
				return nil, fmt.Errorf("cannot read config file: section %s: %w", current.name, err)
			}
			value.text = file[start : end+len(before)+1]
			current.pieces = append(current.pieces, value)
			start = end + len(before) + len(" !") + len(tag)
		}
		end += len(line)
	}
	if current != nil {
		current.pieces = append(current.pieces, piece{text: file[start:]})
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

func parseTag(tag string) (piece, error) {
	name, argument, _ := strings.Cut(tag, " ")
	value := piece{placeholder: placeholder(name), argument: argument}
	switch value.placeholder {
	case namespacePlaceholder, bucketPlaceholder, collectorPlaceholder:
		if argument != "" {
			return piece{}, fmt.Errorf("tag %s takes no argument", name)
		}
	case hostPlaceholder:
		if argument == "" {
			return piece{}, fmt.Errorf("tag %s needs the name of a Service", name)
		}
	default:
		return piece{}, fmt.Errorf("tag %s is not known", name)
	}
	return value, nil
}

// MustExtend gives a config file with more keys in a section: how a later version says what it added. The keys are
// written as a file of their own, without indentation. It panics when the section does not exist.
func (c *Config) MustExtend(name, keys string) *Config {
	i := slices.IndexFunc(c.sections, func(s section) bool { return s.name == name })
	if i < 0 {
		panic(fmt.Sprintf("cannot extend config file: no section %s", name))
	}
	var indented strings.Builder
	for line := range strings.Lines(keys) {
		indented.WriteString("  " + line)
	}
	// The keys are read as a section, whose own line is then cut off.
	header := name + ":\n"
	added := MustConfig(header + indented.String()).sections[0].pieces
	added[0].text = strings.TrimPrefix(added[0].text, header)

	extended := &Config{sections: slices.Clone(c.sections)}
	extended.sections[i].pieces = slices.Concat(c.sections[i].pieces, added)
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
