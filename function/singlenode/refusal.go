package singlenode

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	writes "github.com/function-chroma/function-chroma/function/refusal"
)

const conditionSynced = "Synced"

// condition of the XR as observed.
func (w World) condition(kind string) *metav1.Condition {
	for i := range w.Chroma.Status.Conditions {
		if w.Chroma.Status.Conditions[i].Type == kind {
			return &w.Chroma.Status.Conditions[i]
		}
	}
	return nil
}

// A refusal of a write that is held back for now.
type refusal struct {
	chroma.Retry
	// wait before the next try. Zero: try in this pass.
	wait time.Duration
}

// refusals of this pass: those just learned of, and the earlier ones. While one waits, the object keeps its previous
// intent, or is left out when it does not exist, so that an error that aborts the pass cannot hold up the status. A write
// with other content is tried at once.
func refusals(w World, content map[string]string) (held map[string]refusal, aborted bool) {
	before := writes.Pass{
		Content:  func(role string) string { return content[role] },
		Observed: w.observes, Now: w.Now,
	}
	if synced := w.condition(conditionSynced); synced != nil && synced.Status == metav1.ConditionFalse {
		before.Synced = synced.Message
	}
	for _, retry := range w.Chroma.Status.Retries {
		before.Known = append(before.Known, writes.Retry{
			Role: retry.Role, Attempts: retry.Attempts, Last: retry.Last.Time, Refused: retry.Refused, Message: retry.Message, Tried: retry.Tried,
		})
	}
	out := map[string]refusal{}
	for _, held := range before.Refusals() {
		out[held.Role] = refusal{wait: held.Wait, Retry: chroma.Retry{
			Role: held.Role, Attempts: held.Attempts, Last: metav1.NewTime(held.Last), Refused: held.Refused, Message: held.Message, Tried: held.Tried,
		}}
	}
	return out, before.Aborted()
}

// retries for the status, in a fixed order.
func retries(held map[string]refusal) []chroma.Retry {
	out := make([]chroma.Retry, 0, len(held))
	for _, refused := range held {
		out = append(out, refused.Retry)
	}
	slices.SortFunc(out, func(a, b chroma.Retry) int { return strings.Compare(a.Role, b.Role) })
	return out
}

// words of the API on a refused write, or where to find them.
func words(w World, refused chroma.Retry) string {
	if refused.Message != "" {
		return refused.Message
	}
	// A 422 does not reach the conditions, only an event.
	namespace := w.Chroma.GetNamespace()
	if w.XR.ClaimBacked {
		namespace = metav1.NamespaceDefault // Events of cluster-scoped objects are kept there.
	}
	return fmt.Sprintf("the API's words are in the events: kubectl events -n %s --for=%s.%s/%s",
		namespace, strings.ToLower(w.XR.Kind), chroma.Group, w.XR.Name)
}
