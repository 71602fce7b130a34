package distributed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	writes "github.com/function-chroma/function-chroma/function/refusal"
)

const conditionSynced = "Synced"

// A refusal of a write.
type refusal struct {
	v1alpha1.Retry
	// wait before the next try. Zero: this pass tries.
	wait time.Duration
}

// refusals of writes by role: those just learned of, and earlier ones that are not over. While one waits, its object
// is kept or left out: a refusal other than 422 ends the pass before the status is written, and nobody would be told.
func (s situation) refusals() (held map[string]refusal, aborted bool) {
	before := writes.Pass{
		Content:  s.contentOf,
		Observed: func(role string) bool { return s.w.Observed[role] != nil },
		Now:      s.w.Now,
	}
	if synced := s.w.condition(conditionSynced); synced != nil && synced.Status == metav1.ConditionFalse {
		before.Synced = synced.Message
	}
	for _, retry := range s.w.Chroma.Status.Retries {
		before.Known = append(before.Known, writes.Retry{
			Role: retry.Role, Attempts: retry.Attempts, Last: retry.Last.Time, Refused: retry.Refused, Message: retry.Message, Tried: retry.Tried,
		})
	}
	out := map[string]refusal{}
	for _, held := range before.Refusals() {
		out[held.Role] = refusal{wait: held.Wait, Retry: v1alpha1.Retry{
			Role: held.Role, Attempts: held.Attempts, Last: metav1.NewTime(held.Last), Refused: held.Refused, Message: held.Message, Tried: held.Tried,
		}}
	}
	return out, before.Aborted()
}

// tried are the refusals of a pass without those whose time has come and that it does not reach: nothing is tried then, so
// nothing would ever end them.
func (s situation) tried(c course) map[string]refusal {
	out := maps.Clone(c.refusals)
	maps.DeleteFunc(out, func(role string, held refusal) bool { return held.wait == 0 && !s.reaches(role, c) })
	return out
}

// mayWrite says that neither a refusal of the role nor one that ended the previous pass is in the way.
func (c course) mayWrite(role string) bool { return !c.aborted && c.refusals[role].wait == 0 }

// reaches says whether a pass goes as far as a role: the rest is kept, whatever the API says to what is wanted of it.
func (s situation) reaches(role string, c course) bool {
	for name, known := range c.repairs {
		if component, _ := s.layout.Component(name); known.due && role == workloadRole(component) {
			return true
		}
	}
	switch c.stage {
	case claim:
		return role == accountRole()
	case build:
		wanted, isWanted := s.wanted[role]
		return isWanted && wanted.Tier <= c.progress.reached
	case hold:
	}
	return false
}

// contentOf what is wanted for a role, by which another try with the same is told from one with something else. Empty:
// it is not wanted.
func (s situation) contentOf(role string) string {
	wanted, ok := s.wanted[role]
	if !ok {
		return ""
	}
	raw, _ := json.Marshal(wanted.Manifest) //nolint:errchkjson // Apply configurations always encode.
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

// refusedWrite names the first object that the API refuses, of those that the pass reaches.
func (s situation) refusedWrite(c course) finding {
	list := slices.DeleteFunc(retries(c.refusals), func(refused v1alpha1.Retry) bool { return !s.reaches(refused.Role, c) })
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
