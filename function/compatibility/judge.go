package compatibility

import (
	"fmt"
	"slices"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
)

// Judge says whether a version may open data, and what it takes if not.
//
// Every version on the data counts: the wanted one has to be allowed from each of them. So whoever returns to a product
// below its own highest version is bound by the rules of that product too, and data that VecturaDB has opened is open
// to no other Chroma than those of WaysBack, even when Chroma ran last. The highest version of the product that ran
// last may always open the data again.
func Judge(q Question) Verdict {
	if q.Data.Unknown {
		return unknown(q.Data)
	}
	if q.Wanted.IsZero() {
		return Verdict{
			Reason:  reason.ImageWithoutVersion,
			Message: "The wanted image has no exact version, so what it does to the data cannot be known.",
		}
	}
	var steps []step
	for _, highest := range q.Data.highest() {
		steps = append(steps, judgeStep(highest, q.Wanted, q.Data))
	}
	if last, ok := q.Data.Versions[q.Data.Last]; ok && last.Equal(q.Wanted) {
		for i := range steps {
			steps[i].refusal, steps[i].needed = "", nil
		}
	}
	return combine(q, steps)
}

// A step from one version on the data to the wanted one.
type step struct {
	Crossing

	refusal     reason.Reason // what it is refused with unless needed is there; empty when allowed
	needed      []Annotation  // what allows it; empty when nothing does
	message     string        // why it is refused, or what has to be known
	explanation string
}

// never says whether no annotation allows the step.
func (s step) never() bool { return s.refusal != "" && len(s.needed) == 0 }

func judgeStep(from, to Version, data Data) step {
	switch {
	case from.Equal(to):
		return step{Crossing: Crossing{From: from, To: to, Tried: true}}
	case from.Product == v1alpha1.ProductVecturaDB && to.Product == v1alpha1.ProductChroma:
		return judgeWayBack(from, to, data.Last)
	case to.OlderThan(from):
		return judgeDowngrade(from, to)
	case to.Product == v1alpha1.ProductVecturaDB:
		return judgePassage(from, to, slices.Contains(data.Ahead, from.Product))
	default:
		return judgeUpgrade(from, to)
	}
}

// judgeUpgrade of Chroma. Every upgrade that was tried kept the data, also over borders of the format.
func judgeUpgrade(from, to Version) step {
	s := step{Crossing: crossing(from, to)}
	if !sameFormat(from, to) {
		s.explanation = fmt.Sprintf("%s %s has %s. Going back to %s afterwards would cross a border of the data format. %s",
			Title(to.Product), to, formatPhrase(to), from, effect(to, from))
	}
	return s
}

// judgePassage to a VecturaDB from an older one, or from Chroma.
func judgePassage(from, to Version, ahead bool) step {
	s := step{Crossing: Crossing{From: from, To: to}}
	passage, ok := find(Passages(), from, to)
	if ok && !ahead {
		s.Tried, s.Trial = true, &passage.Trial
		return s
	}
	s.refusal = reason.ProductChangeNotKnown
	if from.Product == to.Product {
		s.refusal = reason.UpgradeNotKnown
	}
	if ok {
		s.message = fmt.Sprintf("%s was about to run on this data and was never seen ready, so the data may still be of an older version. "+
			"The passage to %s was tried from data that %s itself had opened: run that first.", from.Title(), to.Title(), from.Title())
		return s
	}
	s.message = fmt.Sprintf("%s has run on this data, and no trial has shown that %s opens it.%s",
		from.Title(), to.Title(), alternatives(Passages(), from, to.Product))
	return s
}

// judgeWayBack from VecturaDB to Chroma. Consent is needed for the change itself, not again while Chroma runs.
func judgeWayBack(from, to Version, last v1alpha1.Product) step {
	s := step{Crossing: Crossing{From: from, To: to}, explanation: chromaOnVecturaDB()}
	passage, ok := find(WaysBack(), from, to)
	if !ok {
		s.refusal = reason.ProductChangeNotKnown
		s.message = fmt.Sprintf("%s has run on this data, and no trial has shown that %s opens it.%s",
			from.Title(), to.Title(), alternatives(WaysBack(), from, to.Product))
		return s
	}
	s.Tried, s.Trial = true, &passage.Trial
	if last == to.Product {
		return s
	}
	s.refusal = reason.ProductChange
	s.needed = []Annotation{{Key: v1alpha1.AnnotationAllowProductChange, Value: v1alpha1.AnnotationTrue}}
	s.message = fmt.Sprintf("%s opened this data last, and %s does not read all that it can hold. %s",
		from.Title(), to.Title(), s.explanation)
	return s
}

// judgeDowngrade within one product.
func judgeDowngrade(from, to Version) step {
	s := step{Crossing: crossing(from, to), refusal: reason.Downgrade}
	s.needed = []Annotation{{Key: v1alpha1.AnnotationAllowDowngrade, Value: v1alpha1.AnnotationTrue}}
	s.message = fmt.Sprintf("%s is older than %s, which has run on this data.", to.Title(), from)
	if sameFormat(from, to) {
		s.message += fmt.Sprintf(" Both have the data format %s. %s", FormatOf(to), effect(from, to))
		return s
	}
	s.refusal = reason.DowngradeChangesFormat
	s.needed = append(s.needed, Annotation{Key: v1alpha1.AnnotationAllowFormatDowngrade, Value: to.String()})
	s.message += fmt.Sprintf(" Version %s has %s, version %s has %s. %s Restore a backup from before the upgrade if there is one.",
		from, formatPhrase(from), to, formatPhrase(to), effect(from, to))
	return s
}

// crossing within Chroma, or to an older VecturaDB, with what is known of it.
func crossing(from, to Version) Crossing {
	c := Crossing{From: from, To: to}
	if known, ok := StepBetween(from, to); ok {
		c.Trial = &known.Trial
		c.Tried = known.Ran && within(ran(), from) && within(ran(), to)
	}
	return c
}

// combine the steps from all versions on the data into one verdict.
func combine(q Question, steps []step) Verdict {
	var v Verdict
	var wanted []Annotation
	for _, s := range steps {
		v.Crossings = append(v.Crossings, s.Crossing)
		v.Explanation = join(v.Explanation, s.explanation)
		wanted = append(wanted, s.needed...)
	}
	for _, s := range steps {
		if s.never() {
			v.Reason, v.Message, v.Explanation = s.refusal, s.message+" No annotation allows this.", ""
			return v
		}
	}
	set := q.Overrides.set()
	v.Needed, v.Unneeded = missing(wanted, set), unneeded(wanted, set)
	v.Allowed = len(v.Needed) == 0
	if !v.Allowed {
		v.Reason, v.Message = refuse(steps, v.Needed, set)
		return v
	}
	v.Reason, v.Message = allow(q, steps)
	return v
}

// refuse returns reason and message of steps that annotations would allow. Consent to another product comes first.
func refuse(steps []step, needed, set []Annotation) (reason.Reason, string) {
	var because reason.Reason
	var message string
	for _, s := range steps {
		if s.refusal == "" || len(missing(s.needed, set)) == 0 {
			continue
		}
		if because == "" || s.refusal == reason.ProductChange {
			because = s.refusal
		}
		message = join(message, s.message)
	}
	return because, join(message, howToAllow(needed, set))
}

func allow(q Question, steps []step) (reason.Reason, string) {
	var downgrade string
	for _, s := range steps {
		if s.refusal == reason.Downgrade || s.refusal == reason.DowngradeChangesFormat {
			downgrade = join("Annotations allow a downgrade.", s.message)
		}
	}
	_, opened := q.Data.Versions[v1alpha1.ProductVecturaDB]
	switch {
	case opened && q.Wanted.Product == v1alpha1.ProductChroma:
		return reason.ProductChangeAllowed, join(chromaOnVecturaDB(), downgrade)
	case downgrade != "":
		return reason.DowngradeAllowed, downgrade
	case len(steps) == 0:
		return reason.VersionAllowed, fmt.Sprintf("No server has run on the data yet: %s may open it.", q.Wanted.Title())
	default:
		return reason.VersionAllowed, fmt.Sprintf("%s may open the data.", q.Wanted.Title())
	}
}

// unknown refuses everything: what would be compared with is not known.
func unknown(data Data) Verdict {
	placeholder := "<x.y.z>"
	if data.Last == v1alpha1.ProductVecturaDB {
		placeholder = "<product>:<x.y.z>" // x.y.z alone would be ambiguous.
	}
	needed := Annotation{Key: v1alpha1.AnnotationDeclaredDataVersion, Value: placeholder + "/" + data.Incident}
	return Verdict{
		Reason: reason.DataVersionUnknown,
		Message: fmt.Sprintf("The version of the data is not known (incident %s), so nothing is replaced or started. "+
			"Find out the highest version that has run on the data, then set the annotation %s to %q with what you found in place of %s.",
			data.Incident, needed.Key, needed.Value, placeholder),
		Needed: []Annotation{needed},
	}
}

// missing returns the wanted annotations that are not set to the wanted value.
func missing(wanted, set []Annotation) []Annotation {
	var out []Annotation
	for _, w := range wanted {
		if !slices.Contains(set, w) {
			out = append(out, w)
		}
	}
	return out
}

// unneeded returns the set annotations that are not wanted, whatever their value.
func unneeded(wanted, set []Annotation) []Annotation {
	var out []Annotation
	for _, s := range set {
		if _, ok := valueOf(wanted, s.Key); !ok {
			out = append(out, s)
		}
	}
	return out
}
