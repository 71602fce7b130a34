package lifecycle

import (
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/vald/config"
)

// A world is what one pass observes, decoded.
type world struct {
	vor      *valdv1.ValdOperatorRelease
	settings settings.Vald
	// config of the build, unless it cannot be read.
	config      config.Config
	configError error
	// specHash is the hash of the user's spec.
	specHash string
	// conditions of the previous pass, by type.
	conditions map[reason.ConditionType]pass.Condition
	observed   map[string]*unstructured.Unstructured
	required   map[string]pass.Found
	now        time.Time
}

func read(request pass.Request) (world, error) {
	w := world{
		vor: &valdv1.ValdOperatorRelease{}, settings: request.Settings.Vald, now: request.Now,
		observed: request.Observed, required: request.Required,
		conditions: map[reason.ConditionType]pass.Condition{},
	}
	if err := pass.Decode(request.XR, w.vor); err != nil {
		return world{}, err
	}
	hash, err := hashOfSpec(request.XR)
	if err != nil {
		return world{}, err
	}
	w.specHash = hash
	w.config, w.configError = config.Parse(w.settings.Config, w.settings.Environment)
	for _, c := range w.vor.Status.Conditions {
		w.conditions[reason.ConditionType(c.Type)] = pass.Condition{
			Type: reason.ConditionType(c.Type), Status: pass.ConditionStatus(c.Status), Reason: reason.Reason(c.Reason), Message: c.Message,
		}
	}
	return w, nil
}

// isTerminating is true for what is being deleted.
func isTerminating(object *unstructured.Unstructured) bool {
	return object != nil && object.GetDeletionTimestamp() != nil
}

// isThere is true for what exists and stays: a ValdRelease that can be read, an Object whose manifest is in its cluster.
// What the Vald Helm Operator makes of the ValdRelease is not looked at.
func isThere(object *unstructured.Unstructured) bool {
	if object == nil || isTerminating(object) {
		return false
	}
	return object.GetKind() != objectKind || conditionStatus(object.Object, "Ready") == metav1.ConditionTrue
}

// isDelivered is true for what is there as it should be: for an Object, the last change of its manifest has arrived too.
func isDelivered(object *unstructured.Unstructured) bool {
	return isThere(object) && (object.GetKind() != objectKind || conditionStatus(object.Object, "Synced") != metav1.ConditionFalse)
}

// conditionStatus of an object's status. Empty: it has no such condition.
func conditionStatus(object map[string]any, conditionType string) metav1.ConditionStatus {
	value, _, _ := unstructured.NestedFieldNoCopy(object, "status", "conditions")
	conditions, _ := value.([]any)
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		if condition["type"] == conditionType {
			status, _ := condition["status"].(string)
			return metav1.ConditionStatus(status)
		}
	}
	return ""
}

func sortedKeys[V any](values map[string]V) []string { return slices.Sorted(maps.Keys(values)) }

// few names of many, in the order given: a message stays readable whatever the number of clusters.
func few(names []string) string {
	const most = 5
	out := ""
	for i, name := range names {
		if i == most {
			return fmt.Sprintf("%s and %d more", out, len(names)-most)
		}
		if i > 0 {
			out += ", "
		}
		out += name
	}
	return out
}
