package singlenode

import (
	"maps"

	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/ledger"
)

// A record of what has run on the data, as this pass sees it in both places.
type record struct {
	ledger.Record

	// agreed: the status and the claim both have the record, as observed.
	agreed bool
	// newer: a newer function wrote it.
	newer bool
	// note on a declaration that did nothing.
	note string
}

// recordOf the data on the claim. The claim's own record counts alone when the status speaks of another claim.
func recordOf(w World, c claim) record {
	status := ledger.FromStatus(w.Chroma.Status)
	if c.renewed {
		status = nil // A person's word took another claim: what ran on the old one does not matter any more.
	}
	if c.pvc == nil || c.pinned != c.pvc.GetUID() {
		if status == nil {
			status = w.onItsWay(c.pinned)
		}
		if status == nil {
			return record{}
		}
		return record{Record: *status, newer: status.Newer()}
	}
	annotations := c.pvc.GetAnnotations()
	if !createdFor(w, c.pvc) {
		annotations = maps.Clone(annotations)
		delete(annotations, chroma.AnnotationCreatedFor)
	}
	merged := ledger.Merge(status, ledger.FromAnnotations(string(c.pinned), annotations))
	if onItsWay := w.onItsWay(c.pinned); onItsWay != nil {
		merged = merged.With(*onItsWay)
	}
	out := record{Record: merged.Record, agreed: merged.Agreed, newer: merged.Newer}
	if out.newer {
		return out
	}
	return out.declared(w.Chroma.GetAnnotations()[chroma.AnnotationDeclaredDataVersion])
}

// onItsWay to the claim is the record that the ledger Object holds. It is written before the status is, and reaches the claim
// when the provider comes to it: a pass that ends between, a status that is lost with its Chroma, and a provider that is down
// would each take along what was seen, an image edited by hand say. Nil: there is none for this claim.
func (w World) onItsWay(claim types.UID) *ledger.Record {
	if w.Ledger == nil || w.Ledger.GetUID() != claim || w.Ledger.GetAnnotations()[chroma.AnnotationDataRecord] == "" {
		return nil
	}
	if w.Composed.LedgerObject == nil {
		if found := w.Found.LedgerObject.One(); found == nil || holderOf(w, found) == stranger {
			return nil
		}
	}
	record := ledger.FromAnnotations(string(claim), w.Ledger.GetAnnotations())
	return &record
}

// inherit what a predecessor recorded and the claim does not have yet: its ledger Object goes without another write to it.
func inherit(w World, status *chroma.ChromaStatus) {
	claim := w.Found.Claim.One()
	if claim == nil || claim.GetDeletionTimestamp() != nil || ownedByPredecessor(w, claim) {
		return
	}
	left := w.onItsWay(claim.GetUID())
	if left == nil {
		return
	}
	known := ledger.Merge(ledger.FromStatus(*status), ledger.FromAnnotations(string(claim.GetUID()), claim.GetAnnotations()))
	if !known.Newer && left.Serial > known.Record.Serial {
		left.WriteStatus(status)
	}
}

// declared follows the annotation that ends one incident.
func (r record) declared(value string) record {
	declaration := r.Declare(value)
	next := r.with(declaration.Record)
	if !declaration.Spent {
		next.note = declaration.Message
	}
	return next
}

// ran takes in what was seen on the Pod.
func (r record) ran(e edit) record {
	if r.newer || r.ClaimUID == "" {
		return r
	}
	if e.seen != nil {
		before, known := r.Versions[e.seen.Version.Product]
		r = r.with(r.Observe(*e.seen))
		// The newest image seen that may run is what a refused server starts again with. One of a version that was known
		// already is not: two images of one version would take turns for ever.
		newer := !known || e.seen.Version.NewerThan(before)
		if highest, ok := r.Versions[e.seen.Version.Product]; ok && newer && !r.Unknown && e.allowed && highest.Equal(e.seen.Version) && r.Last == e.seen.Version.Product {
			r = r.with(r.WithRecoveryImage(e.seen.Image))
		}
	}
	if !e.opened.IsZero() {
		r = r.with(r.Opened(e.opened))
	}
	return r
}

// raised before a candidate runs: its version, and itself as the image to recover with when nothing newer was seen.
func (r record) raised(next candidate) record {
	out := r.Raise(next.release.Version)
	if highest := out.Versions[next.release.Product]; !next.release.Version.OlderThan(highest) {
		out = out.WithRecoveryImage(next.image)
	}
	return r.with(out)
}

// with another content, which is not in both places yet.
func (r record) with(next ledger.Record) record {
	r.agreed = r.agreed && next.Equal(r.Record)
	r.Record = next
	return r
}

// covers tells whether both places are observed to say that the candidate may have run: only then its Pod is composed.
func (r record) covers(next candidate) bool { return r.agreed && r.Covers(next.release.Version) }

// Write the record into a status.
func (r record) write(status *chroma.ChromaStatus, before *chroma.ChromaStatus) {
	if r.ClaimUID == "" && !r.newer {
		return
	}
	if !r.newer {
		r.WriteStatus(status)
		return
	}
	status.DataRecord, status.DataSchema, status.DataVersion, status.DataProduct = before.DataRecord, before.DataSchema, before.DataVersion, before.DataProduct
	status.DataVersions, status.DataVersionUnknown, status.DataVersionUnknownIncident = before.DataVersions, before.DataVersionUnknown, before.DataVersionUnknownIncident
	status.DataIncidentsSettled, status.RecoveryImage, status.DataAhead = before.DataIncidentsSettled, before.RecoveryImage, before.DataAhead
}

// ledgerPlan for the Object that writes the record to the claim.
func ledgerPlan(s situation, final record) LedgerPlan {
	plan := LedgerPlan{Action: Keep, Ready: true}
	known := s.claim.state == claimUsable || s.claim.state == claimTerminating
	if !known || final.newer || !s.writable(chroma.RoleLedger, terminating(s.w.Composed.LedgerObject), asMeta(s.w.Found.LedgerObject.One())) {
		return plan
	}
	if s.claim.state == claimTerminating && s.w.Composed.LedgerObject == nil {
		return plan
	}
	plan.Action, plan.UID, plan.Record = Apply, s.claim.pinned, final.Record
	plan.LookAgain = lookAgain(s.w.Composed.LedgerObject, s.claim.pvc, recordDiffers(s.claim.pvc.GetAnnotations(), final.Annotations()),
		s.w.Composed.LedgerObject == nil || recordDiffers(s.w.Ledger.GetAnnotations(), final.Annotations()))
	return plan
}

// recordDiffers tells whether the claim itself does not have the record.
func recordDiffers(have, want map[string]string) bool {
	for key, value := range want {
		if have[key] != value {
			return true
		}
	}
	return false
}
