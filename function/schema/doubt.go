package schema

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/pass"
)

// patience with a field that is not there yet. A status that changed starts the next pass at once, and so, while
// something moves, the last write is young. A refused status is tried again after 1, 2, 4, 8 s.
const patience = 3 * time.Second

// doubted tells whether a field of the status may have been refused: it is not there, and the status was last written
// some time ago. Nothing else on the XR tells of a refused status: Crossplane 2.3 writes its own conditions together
// with it, and so loses them too. The schema is then asked for once too often rather than never.
func doubted(request pass.Request, status any) bool {
	observed, _, _ := unstructured.NestedFieldNoCopy(request.XR.Object, "status")
	if has(observed, status) {
		return false
	}
	last := lastWritten(request.XR)
	return !last.IsZero() && request.Now.Sub(last) > patience
}

// lastWritten is when the status was written, else when the XR was made. Zero: it is in no cluster.
func lastWritten(xr *unstructured.Unstructured) time.Time {
	last := xr.GetCreationTimestamp().Time
	for _, entry := range xr.GetManagedFields() {
		if entry.Subresource == "status" && entry.Time != nil && entry.Time.After(last) {
			last = entry.Time.Time
		}
	}
	return last
}

// has tells whether every field that is wanted is observed, with whatever value.
func has(observed, wanted any) bool {
	switch w := wanted.(type) {
	case map[string]any:
		o, _ := observed.(map[string]any)
		for key, value := range w {
			if item, there := o[key]; !there || !has(item, value) {
				return false
			}
		}
	case []any:
		o, _ := observed.([]any)
		for i, value := range w {
			if i < len(o) && !has(o[i], value) {
				return false
			}
		}
	}
	return true
}
