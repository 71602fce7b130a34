package simulation

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// What a sequence can come to. Each has to come in a long run.
const (
	createdAnew      = "outcome: Chroma created and ready"
	createdAgain     = "outcome: Chroma created again on its claim and ready"
	backAgain        = "outcome: server back with the same image"
	upgraded         = "outcome: upgrade finished"
	downgraded       = "outcome: downgrade finished"
	productChanged   = "outcome: product change finished"
	imageRefused     = "outcome: image refused"
	claimAdopted     = "outcome: claim adopted"
	claimAccepted    = "outcome: claim accepted"
	claimWasLost     = "outcome: claim lost"
	claimTerminating = "outcome: claim terminating"
	claimGrown       = "outcome: claim grown"
	orphanTaken      = "outcome: orphan taken over"
	incidentRaised   = "outcome: incident raised"
	incidentEnded    = "outcome: incident ended"
	writeRefused     = "outcome: refused write told"
	nameConflict     = "outcome: name conflict told"
	predecessor      = "outcome: predecessor awaited"
	nodeAwaited      = "outcome: lost node awaited"
	newerRecord      = "outcome: record of a newer function left alone"
	rivalConflict    = "outcome: second Chroma of the name told of the conflict"
	rivalReady       = "outcome: second Chroma of the name ready where the first is gone"
	passConflict     = "pass: conflict"
	passCrashed      = "pass: crashed"
	passFailed       = "pass: failed"
	passWaiting      = "pass: waiting for the function"
)

func outcomes() []string {
	return []string{
		createdAnew, createdAgain, backAgain, upgraded, downgraded, productChanged, imageRefused, claimAdopted, claimAccepted, claimWasLost, claimTerminating,
		claimGrown, orphanTaken, incidentRaised, incidentEnded, writeRefused, nameConflict, predecessor, nodeAwaited, newerRecord, rivalConflict, rivalReady,
		passConflict, passCrashed, passFailed, passWaiting,
	}
}

// told is the outcome that a reason tells of.
func told(because reason.Reason) string {
	switch because {
	case reason.Downgrade, reason.DowngradeChangesFormat, reason.ProductChange, reason.ProductChangeNotKnown, reason.UpgradeNotKnown:
		return imageRefused
	case reason.PodRefused, reason.ConfigRefused, reason.ServiceRefused, reason.ClaimRefused:
		return writeRefused
	case reason.ClaimLost:
		return claimWasLost
	case reason.ClaimTerminating:
		return claimTerminating
	case reason.NameConflict:
		return nameConflict
	case reason.WaitingForPredecessor:
		return predecessor
	case reason.NodeLost:
		return nodeAwaited
	case reason.LedgerNewer:
		return newerRecord
	}
	return ""
}

// server that was ready last on a claim.
type server struct {
	xr      types.UID
	image   string
	version compatibility.Version
	product chroma.Product
}

// outcome counts what came of it.
func (r *run) outcome(c store.Change) {
	if c.Before == nil || c.After == nil {
		return
	}
	if c.Actor == simulator.ActorCrossplane && metav1.GetControllerOf(c.Before) == nil && metav1.GetControllerOf(c.After) != nil {
		r.counts[orphanTaken]++
	}
	switch c.Key.GVK {
	case kindClaim:
		before, after := decode[corev1.PersistentVolumeClaim](r.t, c.Before), decode[corev1.PersistentVolumeClaim](r.t, c.After)
		if grown := after.Spec.Resources.Requests.Storage(); grown.Cmp(*before.Spec.Resources.Requests.Storage()) > 0 {
			r.counts[claimGrown]++
		}
	case kindChroma, kindXChroma:
		if xr := r.xr("demo"); xr != nil && xr.GetUID() == c.After.GetUID() {
			r.statusOutcome(c)
			return
		}
		if ready := conditionChanged(c, reason.ServerReady); c.Key.GVK == kindXChroma && ready == reason.NameConflict {
			r.counts[rivalConflict]++
		} else if c.Key.GVK == kindXChroma && ready == reason.PodReady {
			r.counts[rivalReady]++
		}
	}
}

// conditionChanged to this reason, empty when it did not.
func conditionChanged(c store.Change, kind reason.ConditionType) reason.Reason {
	_, before, _ := simulator.Condition(c.Before, string(kind))
	_, after, _ := simulator.Condition(c.After, string(kind))
	if before == after {
		return ""
	}
	return reason.Reason(after)
}

func (r *run) statusOutcome(c store.Change) {
	var reasons []reason.Reason
	for _, kind := range []reason.ConditionType{reason.ServerReady, reason.UpgradeBlocked} {
		if because := conditionChanged(c, kind); because != "" {
			r.counts[string(kind)+" "+string(because)]++
			reasons = append(reasons, because)
		}
	}
	for _, because := range reasons {
		if outcome := told(because); outcome != "" {
			r.counts[outcome]++
		}
	}
	before, after := decode[chroma.Chroma](r.t, c.Before), decode[chroma.Chroma](r.t, c.After)
	if slices.Contains(reasons, reason.PodReady) {
		r.ready(after)
	}
	if before.Status.ClaimUID == "" && after.Status.ClaimUID != "" && r.oracle.truths[types.UID(after.Status.ClaimUID)] != nil {
		r.counts[claimAdopted]++
	}
	if !before.Status.DataVersionUnknown && after.Status.DataVersionUnknown {
		r.counts[incidentRaised]++
	}
	if after.Status.AcceptedClaim != before.Status.AcceptedClaim && after.Status.AcceptedClaim != "" {
		r.counts[claimAccepted]++
	}
	if c.Actor == simulator.ActorCrossplane {
		r.incidentEnded(before, after)
	}
}

// incidentEnded takes in a person's word that a pass has followed. The incident stands in the status, or on the claim or in
// the ledger Object alone when an older status was restored, one of an earlier claim or incident perhaps.
func (r *run) incidentEnded(before, after *chroma.Chroma) {
	if after.Status.DataVersionUnknown || after.Status.DataRecord == before.Status.DataRecord {
		return
	}
	var incidents []string
	if before.Status.ClaimUID == after.Status.ClaimUID {
		incidents = append(incidents, before.Status.DataVersionUnknownIncident)
	}
	if claim := r.claim("demo"); claim != nil && string(claim.GetUID()) == after.Status.ClaimUID {
		incidents = append(incidents, claim.GetAnnotations()[chroma.AnnotationDataVersionUnknown])
	}
	// The Object is written before the status: what it held is what the pass has seen.
	if onItsWay := r.oracle.seen.onItsWay; onItsWay != nil && string(onItsWay.GetUID()) == after.Status.ClaimUID {
		incidents = append(incidents, onItsWay.GetAnnotations()[chroma.AnnotationDataVersionUnknown])
	}
	incidents = slices.DeleteFunc(incidents, func(code string) bool { return code == "" })
	if len(incidents) == 0 {
		return
	}
	r.counts[incidentEnded]++
	word := r.oracle.seen.read().chroma.GetAnnotations()[chroma.AnnotationDeclaredDataVersion]
	if slices.ContainsFunc(incidents, func(code string) bool { return strings.HasSuffix(word, "/"+code) }) {
		r.oracle.declared(after)
	}
}

// ready is called when the server got ready.
func (r *run) ready(of *chroma.Chroma) {
	now := server{xr: of.GetUID(), image: of.Status.Image}
	now.version, now.product = versionOf(of.Status.Image)
	last, known := r.served[types.UID(of.Status.ClaimUID)]
	r.served[types.UID(of.Status.ClaimUID)] = now
	switch {
	case !known:
		r.counts[createdAnew]++
	case last.xr != now.xr:
		r.counts[createdAgain]++
	}
	switch {
	case !known:
	case last.image == now.image:
		r.counts[backAgain]++
	case last.version.IsZero() || now.version.IsZero():
	case last.product != now.product:
		r.counts[productChanged]++
	case now.version.NewerThan(last.version):
		r.counts[upgraded]++
	case last.version.NewerThan(now.version):
		r.counts[downgraded]++
	}
}
