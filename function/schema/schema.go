// Package schema leaves out of a status what the XR's definition on the cluster does not declare.
//
// The Function and the Configuration are two packages, and are upgraded one after the other. The API server refuses a
// status with a single field that it does not know as a whole, conditions included: nothing would be told any more. The
// schema is asked for only then, for it is larger than all the rest of a request.
package schema

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/function-chroma/function-chroma/function/ledger"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// Fit an answer to the definition of the XR: ask for its schema where that may lack fields, and leave these out.
func Fit(request pass.Request, answer pass.Answer) (pass.Answer, error) {
	wrapped, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&struct {
		Status any `json:"status"`
	}{answer.Status})
	if err != nil {
		return pass.Answer{}, fmt.Errorf("cannot encode the status: %w", err)
	}
	status := wrapped["status"]
	answer.Status = status // Encoded once.
	older := knownOlder(request.XR)
	if !older && !doubted(request, status) {
		return answer, nil
	}
	answer.AskSchema = true
	if request.Schema == nil {
		return answer, nil
	}
	if found := fit(status, request.Schema); older || found.Status != pass.True {
		answer.Conditions = append(slices.Clone(answer.Conditions), found)
	}
	return answer, nil
}

// knownOlder tells whether an earlier pass left something out.
func knownOlder(xr *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedFieldNoCopy(xr.Object, "status", "conditions")
	list, _ := conditions.([]any)
	return slices.ContainsFunc(list, func(item any) bool {
		condition, _ := item.(map[string]any)
		return condition["type"] == string(reason.DefinitionCurrent) && condition["status"] != string(pass.True)
	})
}

// fit a status in place, and say what is left out.
//
// The record of what has run on the data is left out as a whole when a part of it is: a record with a hole in it never
// agrees with its twin on the claim, and both would be written for ever. Without one, what runs is kept, nothing is
// started, and the definition is said to be the reason.
func fit(status any, schema map[string]any) pass.Condition {
	properties, _ := schema["properties"].(map[string]any)
	declared, ok := properties["status"].(map[string]any)
	if !ok {
		return pass.Condition{Type: reason.DefinitionCurrent, Status: pass.True, Reason: reason.StatusDeclared} // It is no schema of ours.
	}
	left := leaveOut(status, declared, "status")
	record := ledger.StatusFields()
	if slices.ContainsFunc(left, func(path string) bool { return slices.Contains(record, fieldOf(path)) }) {
		content, _ := status.(map[string]any)
		for _, field := range record {
			if _, there := content[field]; there {
				delete(content, field)
				left = append(left, "status."+field)
			}
		}
	}
	if len(left) == 0 {
		return pass.Condition{Type: reason.DefinitionCurrent, Status: pass.True, Reason: reason.StatusDeclared}
	}
	slices.Sort(left)
	return pass.Condition{
		Type: reason.DefinitionCurrent, Status: pass.False, Reason: reason.DefinitionOlder,
		Message: "The definition on this cluster does not declare " + strings.Join(slices.Compact(left), ", ") +
			", which this version of the function writes: it is left out. Upgrade the Configuration to the function's version.",
	}
}

// fieldOf the status that a path lies in.
func fieldOf(path string) string {
	field, _, _ := strings.Cut(strings.TrimPrefix(path, "status."), ".")
	return strings.TrimSuffix(field, "[]")
}

// leaveOut what a schema does not declare, and name it.
func leaveOut(value any, schema map[string]any, path string) []string {
	if preserve, _ := schema["x-kubernetes-preserve-unknown-fields"].(bool); preserve {
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		return leaveOutOfMap(v, schema, path)
	case []any:
		items, ok := schema["items"].(map[string]any)
		if !ok {
			return nil
		}
		var left []string
		for _, item := range v {
			left = append(left, leaveOut(item, items, path+"[]")...)
		}
		return left
	}
	return nil
}

func leaveOutOfMap(value, schema map[string]any, path string) []string {
	properties, _ := schema["properties"].(map[string]any)
	further, open := schema["additionalProperties"].(map[string]any)
	var left []string
	for key, item := range value {
		declared, ok := properties[key].(map[string]any)
		switch {
		case ok:
			left = append(left, leaveOut(item, declared, path+"."+key)...)
		case open:
			left = append(left, leaveOut(item, further, path+"[]")...)
		case schema["additionalProperties"] == true:
		default:
			delete(value, key)
			left = append(left, path+"."+key)
		}
	}
	return left
}
