package ledger

import (
	"slices"

	"github.com/function-chroma/function-chroma/function/compatibility"
)

// Merged is what two records say together.
type Merged struct {
	// Record to go on with, and to write to both places.
	Record Record
	// Agreed says whether both places hold the record already.
	Agreed bool
	// Newer says that a newer version of this function wrote one of them: keep both as they are, start nothing.
	Newer bool
}

// Merge the record in the status, nil without one, with that of the claim that holds the data.
//
// Of two records of one claim the higher serial counts. With the same serial and different content the higher version
// counts, and what cannot be compared becomes unknown. A record of another claim does not count at all.
func Merge(status *Record, claim Record) Merged {
	if status == nil || status.ClaimUID != claim.ClaimUID && !status.Newer() {
		return Merged{Record: claim, Newer: claim.Newer()}
	}
	switch {
	case claim.Newer():
		return Merged{Record: claim, Newer: true}
	case status.Newer():
		return Merged{Record: *status, Newer: true}
	case status.Serial > claim.Serial:
		return Merged{Record: *status}
	case status.Serial < claim.Serial:
		return Merged{Record: claim}
	case status.sameContent(claim), status.lacksOnlyImage(claim):
		return Merged{Record: claim, Agreed: true}
	default:
		return Merged{Record: combine(*status, claim)}
	}
}

// With a record that is on its way to the claim: it counts when it is ahead of what both places hold.
func (m Merged) With(onItsWay Record) Merged {
	switch {
	case m.Newer || onItsWay.ClaimUID != m.Record.ClaimUID:
		return m
	case onItsWay.Newer():
		return Merged{Record: onItsWay, Newer: true}
	case onItsWay.Serial > m.Record.Serial:
		return Merged{Record: onItsWay}
	case onItsWay.Serial == m.Record.Serial && m.Record.lacksOnlyImage(onItsWay):
		m.Record.RecoveryImage = onItsWay.RecoveryImage
	}
	return m
}

// lacksOnlyImage: a status whose definition on the cluster is older than the field has no recovery image. It says nothing of
// what has run, so the claim's counts; a difference would be told anew in each pass, and nothing would ever start.
func (r Record) lacksOnlyImage(claim Record) bool {
	if r.RecoveryImage != "" {
		return false
	}
	r.RecoveryImage = claim.RecoveryImage
	return r.sameContent(claim)
}

// combine two records with one serial and different content. It does not matter which is which.
func combine(a, b Record) Record {
	next := a.next()
	for _, version := range b.Versions {
		next.raise(version)
	}
	next.Ahead = slices.Concat(a.Ahead, b.Ahead)
	slices.Sort(next.Ahead)
	next.Ahead = slices.Compact(next.Ahead)
	next.RecoveryImage = newerImage(a, b)
	next.Last = max(a.Last, b.Last)
	next.Unknown = a.Unknown || b.Unknown
	next.Incident = max(a.Incident, b.Incident)
	switch {
	case a.Unknown && b.Unknown && a.Incident != b.Incident:
		next.Incident = conflict(next, a.Incident, b.Incident)
	case !next.Unknown && a.Last != b.Last && a.Last != "" && b.Last != "":
		next.Unknown = true
		next.Incident = conflict(next, string(a.Last), string(b.Last))
	}
	next.Settled = slices.Concat(a.Settled, b.Settled)
	slices.Sort(next.Settled)
	next.Settled = slices.DeleteFunc(slices.Compact(next.Settled), func(settled string) bool {
		return settled == next.Incident
	})
	return next
}

// conflict returns the code of an incident that is the contradiction of two records.
func conflict(next Record, a, b string) string {
	return code(digest("conflict", next.ClaimUID, min(a, b), max(a, b)), next.Serial)
}

// newerImage returns the recovery image of the record with the higher version.
func newerImage(a, b Record) string {
	newer := func(x, y compatibility.Version) bool { return y.IsZero() && !x.IsZero() || x.NewerThan(y) }
	highest := func(r Record) compatibility.Version { return r.Versions[max(a.Last, b.Last)] }
	switch {
	case a.RecoveryImage == "" || b.RecoveryImage == "":
		return a.RecoveryImage + b.RecoveryImage
	case newer(highest(a), highest(b)):
		return a.RecoveryImage
	case newer(highest(b), highest(a)):
		return b.RecoveryImage
	default:
		return max(a.RecoveryImage, b.RecoveryImage)
	}
}
