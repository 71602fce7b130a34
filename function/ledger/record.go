// Package ledger keeps the record of what has run on the data of a single-node Chroma.
//
// The record is written ahead, in the status of the Chroma and in annotations of its claim, before a Pod that needs it
// is created: so whatever is lost, one of the two still says at least what has opened the data, or that it is unknown.
// Nothing here lowers a version, and every change raises the serial.
package ledger

import (
	"maps"
	"slices"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
)

// Schema of the records that this package writes.
const Schema int64 = 1

// A Record of what has run on the data of one claim.
type Record struct {
	// ClaimUID of the claim with the data.
	ClaimUID string
	// Serial rises with every change. 0 is a record that was never numbered, as those of the original operator.
	Serial int64
	// Schema the record was written in.
	Schema int64
	// Versions is the highest version of every product that may have run on the data. Empty: none has.
	Versions map[v1alpha1.Product]compatibility.Version
	// Last is the product that opened the data last.
	Last v1alpha1.Product
	// Ahead are the products whose highest version was recorded ahead of a Pod that was not seen ready yet, sorted.
	Ahead []v1alpha1.Product
	// Unknown says that a version that is not known may have run on the data.
	Unknown bool
	// Incident is the code of that: a declaration of the version names it. Empty while the version is known.
	Incident string
	// Settled are incidents that declarations have ended, until the next one.
	Settled []string
	// RecoveryImage is the newest image seen that was allowed and not older than the data.
	RecoveryImage string
}

// Newer says whether a newer version of this function wrote the record. It is kept as it is, and nothing is started.
func (r Record) Newer() bool { return r.Schema > Schema }

// Empty says whether nothing has run on the data.
func (r Record) Empty() bool { return len(r.Versions) == 0 && !r.Unknown && !r.Newer() }

// Data is what a verdict needs of the record. What a newer record says is not known.
func (r Record) Data() compatibility.Data {
	return compatibility.Data{
		Versions: r.Versions,
		Last:     r.Last,
		Ahead:    r.Ahead,
		Unknown:  r.Unknown || r.Newer(),
		Incident: r.Incident,
	}
}

// Covers says whether the record already says that the version may have run, as the product that runs now. A Pod with
// that version may be created once both places hold such a record.
func (r Record) Covers(version compatibility.Version) bool {
	highest, ok := r.Versions[version.Product]
	return ok && !r.Unknown && !r.Newer() && r.Last == version.Product && !version.NewerThan(highest)
}

// Equal says whether two records are the same, serial and all.
func (r Record) Equal(o Record) bool {
	return r.ClaimUID == o.ClaimUID && r.Serial == o.Serial && r.Schema == o.Schema && r.sameContent(o)
}

// sameContent says whether two records say the same of the data.
func (r Record) sameContent(o Record) bool {
	return r.Last == o.Last && r.Unknown == o.Unknown && r.Incident == o.Incident && r.RecoveryImage == o.RecoveryImage &&
		slices.Equal(r.Settled, o.Settled) && slices.Equal(r.Ahead, o.Ahead) && maps.EqualFunc(r.Versions, o.Versions, compatibility.Version.Equal)
}

// next returns a copy of the record with the next serial.
func (r Record) next() Record {
	next := r
	next.Versions, next.Settled, next.Ahead = maps.Clone(r.Versions), slices.Clone(r.Settled), slices.Clone(r.Ahead)
	next.Serial, next.Schema = r.Serial+1, Schema
	return next
}

// change returns what edit makes of the record, with the next serial, or the record itself when that changes nothing.
// A newer record is never changed.
func (r Record) change(edit func(*Record)) Record {
	if r.Newer() {
		return r
	}
	next := r.next()
	edit(&next)
	if next.sameContent(r) {
		return r
	}
	return next
}

// raise the highest version of a product. It never lowers one, and says whether it raised it.
func (r *Record) raise(version compatibility.Version) bool {
	if highest, ok := r.Versions[version.Product]; ok && !version.NewerThan(highest) {
		return false
	}
	if r.Versions == nil {
		r.Versions = map[v1alpha1.Product]compatibility.Version{}
	}
	r.Versions[version.Product] = version
	return true
}

// setAhead notes whether the highest version of a product was seen ready.
func (r *Record) setAhead(product v1alpha1.Product, ahead bool) {
	index, found := slices.BinarySearch(r.Ahead, product)
	switch {
	case ahead && !found:
		r.Ahead = slices.Insert(r.Ahead, index, product)
	case !ahead && found:
		r.Ahead = slices.Delete(r.Ahead, index, index+1)
	}
}

// suspect makes the version unknown by an incident. What was settled before is over.
func (r *Record) suspect(incident string) {
	r.Unknown, r.Incident = true, code(incident, r.Serial)
	r.Settled = nil
}
