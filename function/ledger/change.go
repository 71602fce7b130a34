package ledger

import (
	"slices"

	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/reason"
)

// Raise returns the record that has to be in both places before a Pod with the version is created.
func (r Record) Raise(version compatibility.Version) Record {
	return r.change(func(next *Record) {
		if next.raise(version) {
			next.setAhead(version.Product, true)
		}
		next.Last = version.Product
	})
}

// Opened returns the record after a Pod with the version was seen ready: its server has opened and migrated the data.
func (r Record) Opened(version compatibility.Version) Record {
	highest, ok := r.Versions[version.Product]
	if !ok || !highest.Equal(version) {
		return r
	}
	return r.change(func(next *Record) { next.setAhead(version.Product, false) })
}

// WithRecoveryImage returns the record with another recovery image. A record of data on which nothing has run has none.
func (r Record) WithRecoveryImage(image string) Record {
	if r.Empty() {
		return r
	}
	return r.change(func(next *Record) { next.RecoveryImage = image })
}

// MarkUnknown returns the record after an incident, as Incident identifies it. It changes nothing when the incident is
// open or was settled by a declaration. A later incident takes the place of an open one, because a declaration made for
// the earlier one cannot have known of it.
func (r Record) MarkUnknown(incident string) Record {
	if r.IsOpen(incident) || r.IsSettled(incident) {
		return r
	}
	return r.change(func(next *Record) { next.suspect(incident) })
}

// IsOpen says whether an incident made the version unknown and no declaration has ended it.
func (r Record) IsOpen(incident string) bool { return r.Unknown && isCodeOf(r.Incident, incident) }

// IsSettled says whether a declaration has ended an incident: its Pod may be replaced.
func (r Record) IsSettled(incident string) bool {
	return slices.ContainsFunc(r.Settled, func(code string) bool { return isCodeOf(code, incident) })
}

// A Sighting of an image on a Pod that is not the one we gave it: changed by hand, or rewritten.
type Sighting struct {
	PodUID string
	Image  string
	// Version of the image. The zero Version for one without an exact version or of an unknown product.
	Version compatibility.Version
	// Unwitnessed says that another image may have run meanwhile: the image is the wanted one again, but belonged to
	// somebody else, and the container has restarted.
	Unwitnessed bool
}

// Observe returns the record after a sighting. A newer version raises it, an older one of the same product changes
// nothing: the data was opened by the newer one all the same. An image without a version, of another product, or along
// no passage is an incident as well, which keeps what is known of it.
func (r Record) Observe(seen Sighting) Record {
	incident := Incident(r.ClaimUID, seen.PodUID, seen.Image)
	if r.IsOpen(incident) || r.IsSettled(incident) {
		return r
	}
	follows := !seen.Unwitnessed && !seen.Version.IsZero() && r.follows(seen.Version)
	return r.change(func(next *Record) {
		if !seen.Version.IsZero() {
			if next.raise(seen.Version) {
				next.setAhead(seen.Version.Product, true)
			}
			next.Last = seen.Version.Product
		}
		if !follows {
			next.suspect(incident)
		}
	})
}

// follows says whether a version ran on the data where the known ones could be followed by it, wanted or not.
func (r Record) follows(version compatibility.Version) bool {
	if len(r.Versions) == 0 {
		return true
	}
	data := r.Data()
	data.Unknown = false // The open incident stays: this is about what is known beside it.
	verdict := compatibility.Judge(compatibility.Question{Data: data, Wanted: version})
	return version.Product == r.Last && verdict.Reason != reason.ProductChangeNotKnown && verdict.Reason != reason.UpgradeNotKnown
}
