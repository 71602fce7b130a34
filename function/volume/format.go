package volume

// Formats returns the names of the data formats that have these migrations, as they stand in the tables of package
// compatibility: none for migrations of no known release, more than one where releases with the same migrations still do
// not read all of each other's data.
func (m Migrations) Formats() []string {
	switch m {
	case Migrations{System: 9, Metadata: 5, Queue: 2}:
		return []string{"A1", "A2"}
	case Migrations{System: 10, Metadata: 5, Queue: 2}:
		return []string{"B"}
	case Migrations{System: 10, Metadata: 6, Queue: 2}:
		return []string{"C"}
	default:
		return nil
	}
}
