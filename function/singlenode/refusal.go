package singlenode

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// How Crossplane 2.3 tells of a refused write, in the condition Synced of the next pass. It writes no status in a pass
// that an error other than 422 aborted.
const (
	conditionSynced = "Synced"
	unsyncedPrefix  = "Unsynced resources: "
	refusedFormat   = "cannot apply composed resource %q: "
)

// refusedRoles says what the previous pass could not write, with the API's words where Crossplane passes them on.
func refusedRoles(w World) map[string]string {
	synced := w.condition(conditionSynced)
	if synced == nil || synced.Status != metav1.ConditionFalse {
		return nil
	}
	refused := map[string]string{}
	for _, role := range []string{chroma.RoleClaim, chroma.RoleLedger, chroma.RoleConfig, chroma.RoleService, chroma.RolePod} {
		// "contains": a ServiceAccount that lacks a verb makes Crossplane put its own words in front.
		if _, words, ok := strings.Cut(synced.Message, fmt.Sprintf(refusedFormat, role)); ok {
			refused[role] = words
		}
	}
	if list, ok := strings.CutPrefix(synced.Message, unsyncedPrefix); ok {
		for role := range strings.SplitSeq(list, ", ") {
			refused[role] = ""
		}
	}
	return refused
}

// condition of the XR as observed.
func (w World) condition(kind string) *metav1.Condition {
	for i := range w.Chroma.Status.Conditions {
		if w.Chroma.Status.Conditions[i].Type == kind {
			return &w.Chroma.Status.Conditions[i]
		}
	}
	return nil
}

// backoff before another try: 10 s, 20 s, 40 s, then every minute.
func backoff(attempts int32) time.Duration {
	if attempts > 3 {
		return time.Minute
	}
	return 10 * time.Second << (attempts - 1)
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
func refusals(w World, content map[string]string) map[string]refusal {
	known := map[string]chroma.Retry{}
	for _, retry := range w.Chroma.Status.Retries {
		known[retry.Role] = retry
	}
	for role, words := range refusedRoles(w) {
		retry := known[role]
		if retry.Role == "" || w.Now.Sub(retry.Last.Time) >= backoff(retry.Attempts) {
			retry.Attempts++
			retry.Role, retry.Last, retry.Refused = role, metav1.NewTime(w.Now.UTC().Truncate(time.Second)), content[role]
		}
		if words != "" || retry.Message == "" {
			retry.Message = words
		}
		known[role] = retry
	}
	out := map[string]refusal{}
	for role, retry := range known {
		wait := max(0, backoff(retry.Attempts)-w.Now.Sub(retry.Last.Time))
		if retry.Refused != content[role] || (wait == 0 && w.observes(role)) {
			continue
		}
		out[role] = refusal{Retry: retry, wait: wait}
	}
	return out
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
	return fmt.Sprintf("the API's words are in the events: kubectl events -n %s --for=%s.%s/%s",
		w.Chroma.GetNamespace(), strings.ToLower(w.XR.Kind), chroma.Group, w.XR.Name)
}
