package simulator

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// condition of a status, as Crossplane and its providers write them.
type condition struct {
	kind    string
	status  string
	reason  string
	message string
	// generation is left out when 0.
	generation int64
}

// Condition types and reasons of Crossplane.
const (
	conditionReady      = "Ready"
	conditionSynced     = "Synced"
	conditionResponsive = "Responsive"

	statusTrue    = "True"
	statusFalse   = "False"
	statusUnknown = "Unknown"

	reasonReconcileSuccess = "ReconcileSuccess"
	reasonReconcileError   = "ReconcileError"
	reasonAvailable        = "Available"
	reasonCreating         = "Creating"
	reasonDeleting         = "Deleting"
	reasonFatalError       = "FatalError"
	reasonCircuitClosed    = "WatchCircuitClosed"
	reasonCircuitOpen      = "WatchCircuitOpen"
)

// systemCondition types are Crossplane's own: a function cannot set them.
func systemCondition(kind string) bool {
	switch kind {
	case conditionReady, conditionSynced, conditionResponsive, "Healthy", "UpToDate", "LastAsyncOperation", "AsyncOperation":
		return true
	}
	return false
}

// setCondition in an object that is not shared. One that says the same keeps its time, as in crossplane-runtime.
func setCondition(object *unstructured.Unstructured, now time.Time, c condition) {
	status, ok := object.Object["status"].(map[string]any)
	if !ok {
		status = map[string]any{}
		object.Object["status"] = status
	}
	set := map[string]any{"type": c.kind, "status": c.status, "reason": c.reason, "lastTransitionTime": now.UTC().Format(time.RFC3339)}
	if c.message != "" {
		set["message"] = c.message
	}
	if c.generation != 0 {
		set[fieldObserved] = c.generation
	}
	old, _ := status["conditions"].([]any)
	conditions := make([]any, 0, len(old)+1)
	found := false
	for _, o := range old {
		existing, _ := o.(map[string]any)
		if existing["type"] != c.kind {
			conditions = append(conditions, o)
			continue
		}
		found = true
		if sameCondition(existing, c) {
			conditions = append(conditions, o)
		} else {
			conditions = append(conditions, set)
		}
	}
	if !found {
		conditions = append(conditions, set)
	}
	status["conditions"] = conditions
}

func sameCondition(existing map[string]any, c condition) bool {
	message, _ := existing["message"].(string)
	if existing["status"] != c.status || existing["reason"] != c.reason || message != c.message {
		return false
	}
	generation, _ := existing[fieldObserved].(int64)
	return generation == 0 || c.generation == 0 || generation == c.generation
}

// conditionTime is the last transition of a condition.
func conditionTime(object *unstructured.Unstructured, kind string) time.Time {
	for _, o := range listAt(object, "status", "conditions") {
		c, _ := o.(map[string]any)
		if text, ok := c["lastTransitionTime"].(string); ok && c["type"] == kind {
			t, _ := time.Parse(time.RFC3339, text)
			return t
		}
	}
	return time.Time{}
}

// Condition is the status, reason and message of one of the object's conditions; all are empty when it is absent.
func Condition(object *unstructured.Unstructured, kind string) (status, reason, message string) {
	for _, o := range listAt(object, "status", "conditions") {
		c, _ := o.(map[string]any)
		if c["type"] != kind {
			continue
		}
		status, _ = c["status"].(string)
		reason, _ = c["reason"].(string)
		message, _ = c["message"].(string)
	}
	return status, reason, message
}
