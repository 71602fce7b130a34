package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/refusal"
)

// conditionSynced is Crossplane's: what became of the writes of the previous pass.
const conditionSynced = "Synced"

// refusals of what is wished for.
func (w world) refusals(wishes []wish) (held []refusal.Refusal, aborted bool) {
	manifests := make(map[string]map[string]any, len(wishes))
	for _, wish := range wishes {
		manifests[wish.role] = wish.manifest
	}
	p := refusal.Pass{
		Now:      w.now,
		Content:  func(role string) string { return contentHash(manifests[role]) },
		Observed: func(role string) bool { return w.observed[role] != nil },
	}
	if synced := w.conditions[conditionSynced]; synced.Status == pass.False {
		p.Synced = synced.Message
	}
	for _, retry := range w.vor.Status.Retries {
		p.Known = append(p.Known, refusal.Retry{
			Role: retry.Role, Attempts: retry.Attempts, Last: retry.Last.Time, Refused: retry.Refused, Message: retry.Message, Tried: retry.Tried,
		})
	}
	return p.Refusals(), p.Aborted()
}

// contentHash of a manifest. It is empty for what is not wished for.
func contentHash(manifest map[string]any) string {
	if manifest == nil {
		return ""
	}
	encoded, err := json.Marshal(manifest) // Sorts the keys.
	if err != nil {
		return "" // Never: it is made of JSON values.
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:8])
}

// retries for the status.
func retries(refusals []refusal.Refusal) []valdv1.Retry {
	var out []valdv1.Retry
	for _, refused := range refusals {
		out = append(out, valdv1.Retry{
			Role: refused.Role, Attempts: refused.Attempts, Last: metav1.NewTime(refused.Last), Refused: refused.Refused, Message: refused.Message, Tried: refused.Tried,
		})
	}
	return out
}

// refusalWords for a person.
func refusalWords(refused refusal.Refusal) string {
	if refused.Message == "" {
		return refused.Role + " is invalid, see the events" // The API's words on an invalid object are in an event only.
	}
	return refused.Message
}

// nextTry of the refused writes.
func nextTry(refusals []refusal.Refusal) time.Duration {
	next := time.Minute
	for _, refused := range refusals {
		next = min(next, max(refused.Wait, time.Second))
	}
	return next
}
