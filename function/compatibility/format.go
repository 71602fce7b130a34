package compatibility

import "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"

// FormatUnknown is the name of the format of a version that the table does not have. Two versions of unknown formats
// never share one.
const FormatUnknown = "unknown"

// A Span of released versions of Chroma: 1.Minor.First to 1.Minor.Last.
type Span struct {
	Minor, First, Last uint64
}

// Contains says whether a version of Chroma lies in the span.
func (s Span) Contains(v Version) bool {
	return v.Product == v1alpha1.ProductChroma && v.number.Major() == 1 && v.number.Minor() == s.Minor &&
		v.number.Patch() >= s.First && v.number.Patch() <= s.Last
}

// Versions in the span, oldest first.
func (s Span) Versions() []Version {
	versions := make([]Version, 0, s.Last-s.First+1)
	for patch := s.First; patch <= s.Last; patch++ {
		versions = append(versions, chroma(1, s.Minor, patch))
	}
	return versions
}

// A Format of the data of Chroma: what a group of versions writes and reads alike.
type Format struct {
	// Name of the format.
	Name string
	// Spans of the versions that have it. A number between two spans was never released and has no known format.
	Spans []Span
	// Differs says how it differs from the format before it.
	Differs string
	// Known says how that was found out.
	Known string
}

// Formats returns the data formats of Chroma, oldest first. The borders do not follow the version numbers: 1.1 to 1.2
// changes the format, 1.0 to 1.1 does not. They were read on 2026-11-30 from the migration folders of each git tag.
func Formats() []Format {
	const read = "Read on 2026-11-30 from the SQLite migrations in the git tag of each version"
	return []Format{
		{
			Name:    "A1",
			Spans:   []Span{{0, 0, 21}, {1, 0, 1}},
			Differs: "The first format of Chroma 1.x: migrations sysdb 1 to 9, metadb 1 to 5, embeddings_queue 1 and 2.",
			Known:   read + ", and tried with the servers 1.0.9 to 1.1.1.",
		},
		{
			Name:  "A2",
			Spans: []Span{{2, 0, 2}},
			Differs: "The same migrations as A1, but the configuration of a collection can name an unknown embedding " +
				"function, which A1 cannot parse.",
			Known: read + "; no server of these versions could be had for a trial.",
		},
		{
			Name:    "B",
			Spans:   []Span{{3, 0, 7}, {4, 0, 1}},
			Differs: "Migration sysdb 10 adds the schema of a collection, which from here on holds its settings.",
			Known:   read + ", and tried with servers from 1.3.1 to 1.4.1.",
		},
		{
			Name:    "C",
			Spans:   []Span{{5, 0, 9}},
			Differs: "Migration metadb 6 adds a table for arrays in metadata.",
			Known:   read + ", and tried with the servers 1.5.0 to 1.5.9.",
		},
	}
}

// FormatOf returns the name of the data format of a version, FormatUnknown for one that the table does not have.
// No format of VecturaDB is known: each of its versions is a format of its own.
func FormatOf(v Version) string {
	for _, format := range Formats() {
		if within(format.Spans, v) {
			return format.Name
		}
	}
	return FormatUnknown
}

// sameFormat says whether two versions are known to share a data format.
func sameFormat(a, b Version) bool {
	format := FormatOf(a)
	return format != FormatUnknown && format == FormatOf(b)
}

func within(spans []Span, v Version) bool {
	for _, span := range spans {
		if span.Contains(v) {
			return true
		}
	}
	return false
}

// ran returns the versions of Chroma whose servers took part in the trial of all pairs: those whose sources name one
// of the twenty npm bindings that were run. 1.0.0 to 1.0.8 and 1.2.0 to 1.2.2 have none.
func ran() []Span {
	return []Span{
		{0, 9, 13}, {0, 15, 17}, {0, 19, 21}, {1, 0, 1},
		{3, 1, 3}, {3, 5, 5}, {4, 0, 1}, {5, 0, 9},
	}
}
