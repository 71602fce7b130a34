package reason

import "slices"

// Table of all reasons, by mode. A reason that several modes share stands in the first of them.
func Table() []Entry {
	var table []Entry
	for _, entry := range slices.Concat(SingleNode(), Compatibility(), Distributed(), Vald(), Definition()) {
		if _, found := lookup(table, entry.Reason); !found {
			table = append(table, entry)
		}
	}
	return table
}

// Lookup a reason in the table.
func Lookup(reason Reason) (Entry, bool) { return lookup(Table(), reason) }

func lookup(table []Entry, reason Reason) (Entry, bool) {
	i := slices.IndexFunc(table, func(e Entry) bool { return e.Reason == reason })
	if i < 0 {
		return Entry{}, false
	}
	return table[i], true
}
