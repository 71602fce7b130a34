package status

import (
	"slices"

	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// withStanding keeps a refusal of the API server that stands. The function tries a refused write again from time to time,
// and who asks it at such a moment hears that nothing is held back. Whether the API server takes it then, only Crossplane
// finds out.
func withStanding(decision, stands []v1.Condition, answer *live.Answer) []v1.Condition {
	retries, _ := answer.Status["retries"].([]any)
	if len(retries) == 0 {
		return decision
	}
	for i, condition := range decision {
		before := slices.IndexFunc(stands, func(c v1.Condition) bool { return c.Type == condition.Type })
		if before >= 0 && isRefusal(stands[before].Reason) && stands[before].Reason != condition.Reason && !fine(stands[before]) {
			decision[i] = stands[before]
		}
	}
	return decision
}

// isRefusal tells whether a reason is a write that the API server refused, and that is tried again.
func isRefusal(of string) bool {
	switch reason.Reason(of) {
	case reason.PodRefused, reason.ClaimRefused, reason.ServiceRefused, reason.ConfigRefused, reason.WriteRefused:
		return true
	}
	return false
}
