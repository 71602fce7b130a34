package volume

// A Format names a data format. Releases of Chroma with the same format open each other's data.
type Format string

// The data formats by their migrations.
const (
	// Unknown are migrations of no known release, or of none before 1.0.0.
	Unknown Format = ""
	// A is the format of Chroma 1.0.0 to 1.2.2. The migrations do not tell the two formats of these releases apart: from
	// 1.2.0 on a configuration may name an embedding function in a way that breaks older servers.
	A Format = "A"
	// B is the format of Chroma 1.3.0 to 1.4.1: collections have a schema.
	B Format = "B"
	// C is the format of Chroma 1.5.0 to 1.5.9: metadata can have arrays.
	C Format = "C"
)

// Format returns the data format that migrations make.
func (m Migrations) Format() Format {
	switch m {
	case Migrations{System: 9, Metadata: 5, Queue: 2}:
		return A
	case Migrations{System: 10, Metadata: 5, Queue: 2}:
		return B
	case Migrations{System: 10, Metadata: 6, Queue: 2}:
		return C
	}
	return Unknown
}
