package distributed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
)

// How Crossplane 2.3 tells of a refused write, in the condition Synced that the next pass sees.
const (
	conditionSynced = "Synced"
	// unsyncedPrefix begins the list of the objects that the API server found invalid (422). The pass went on.
	unsyncedPrefix = "Unsynced resources: "
	// refusedFormat is in the message of any other refusal, which ended the pass before its status was written.
	refusedFormat = "cannot apply composed resource %q: "
)

// A refusal of a write.
type refusal struct {
	v1alpha1.Retry
	// wait before the next try. Zero: this pass tries.
	wait time.Duration
}

// backoff before another try: 10 s, 20 s, 40 s, then every minute.
func backoff(attempts int32) time.Duration {
	if attempts > 3 {
		return time.Minute
	}
	return 10 * time.Second << max(0, attempts-1)
}

// refusals of writes by role: those just learned of, and earlier ones that are not over. While one waits, its object
// is kept or left out: a refusal other than 422 ends the pass before the status is written, and nobody would be told.
func (s situation) refusals() map[string]refusal {
	out := map[string]refusal{}
	known := map[string]v1alpha1.Retry{}
	for _, retry := range s.w.Chroma.Status.Retries {
		known[retry.Role] = retry
	}
	for role, words := range s.refusedRoles() {
		retry := known[role]
		if retry.Role == "" || s.w.Now.Sub(retry.Last.Time) >= backoff(retry.Attempts) {
			retry.Role, retry.Attempts, retry.Refused = role, retry.Attempts+1, s.contentOf(role)
			retry.Last = metav1.NewTime(s.w.Now.UTC().Truncate(time.Second))
		}
		if words != "" {
			retry.Message = words
		}
		known[role] = retry
	}
	for role, retry := range known {
		wait := max(0, backoff(retry.Attempts)-s.w.Now.Sub(retry.Last.Time))
		// Other content is tried at once, and what is there after the wait is over was written.
		if retry.Refused != s.contentOf(role) || (wait == 0 && s.w.Observed[role] != nil) {
			continue
		}
		out[role] = refusal{Retry: retry, wait: wait}
	}
	return out
}

// refusedRoles of the previous pass, with the API's words where Crossplane passes them on.
func (s situation) refusedRoles() map[string]string {
	synced := s.w.condition(conditionSynced)
	if synced == nil || synced.Status != metav1.ConditionFalse {
		return nil
	}
	refused := map[string]string{}
	if list, ok := strings.CutPrefix(synced.Message, unsyncedPrefix); ok {
		for role := range strings.SplitSeq(list, ", ") {
			if _, wanted := s.wanted[role]; wanted {
				refused[role] = ""
			}
		}
		return refused
	}
	for role := range s.wanted {
		// "Contains": a ServiceAccount that lacks a verb makes Crossplane put its own words in front.
		if _, words, ok := strings.Cut(synced.Message, fmt.Sprintf(refusedFormat, role)); ok {
			refused[role] = words
		}
	}
	return refused
}

// contentOf what is wanted for a role, by which another try with the same is told from one with something else.
func (s situation) contentOf(role string) string {
	raw, _ := json.Marshal(s.wanted[role].Manifest) //nolint:errchkjson // Apply configurations always encode.
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// retries for the status, in a fixed order.
func retries(refusals map[string]refusal) []v1alpha1.Retry {
	var out []v1alpha1.Retry
	for _, refused := range refusals {
		out = append(out, refused.Retry)
	}
	slices.SortFunc(out, func(a, b v1alpha1.Retry) int { return strings.Compare(a.Role, b.Role) })
	return out
}

// refusedWrite names the first object that the API refuses.
func (s situation) refusedWrite(refusals map[string]refusal) finding {
	list := retries(refusals)
	if len(list) == 0 {
		return finding{}
	}
	object := s.wanted[list[0].Role]
	words := list[0].Message
	if words == "" {
		// The API's words on an invalid object are in an event only. Events of cluster-scoped objects are in default.
		namespace := s.w.Chroma.GetNamespace()
		if s.w.XR.ClaimBacked {
			namespace = metav1.NamespaceDefault
		}
		words = fmt.Sprintf("its words are in the events: kubectl events -n %s --for=%s.%s/%s",
			namespace, strings.ToLower(s.w.XR.Kind), v1alpha1.Group, s.w.XR.Name)
	}
	return finding{reason.WriteRefused, fmt.Sprintf("The API refuses %s %s: %s", object.Kind, object.Name, words)}
}
