// Package release knows the schema of a ValdRelease, and lays one over another.
//
// A document that a person wrote (the template, the overlay) is made to conform: members that the schema does not know
// vanish, as the API server would prune them, and a member of the wrong type, which the API server would refuse later, is an error that
// names its path.
package release

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/resource"
)

// A PathError is what is wrong with one member of a document.
type PathError struct {
	// Path of the member below the root of the document, like spec.agent.tolerations[0].
	Path string
	// Problem with it.
	Problem string
}

// Error says where what is wrong.
func (e *PathError) Error() string {
	if e.Path == "" {
		return e.Problem
	}
	return e.Path + ": " + e.Problem
}

// below puts a member's name, or an item's [index], before the path.
func (e *PathError) below(parent string) *PathError {
	switch {
	case e.Path == "":
		e.Path = parent
	case strings.HasPrefix(e.Path, "["):
		e.Path = parent + e.Path
	default:
		e.Path = parent + "." + e.Path
	}
	return e
}

// Conform reduces a document that a person wrote to the members that count in a ValdRelease: spec, and labels and
// annotations of metadata. The name, the namespace, the API version and the kind are not a document's to choose.
// Nulls stay: laid over another document, a null removes. The error is a *PathError.
func Conform(document map[string]any) (map[string]any, error) {
	out := make(map[string]any, 2)
	if spec, ok := document["spec"]; ok {
		conformed, err := schema().conform(spec)
		if err != nil {
			return nil, err.below("spec")
		}
		out["spec"] = conformed
	}
	if metadata, ok := document["metadata"]; ok {
		conformed, err := conformMetadata(metadata)
		if err != nil {
			return nil, err.below("metadata")
		}
		out["metadata"] = conformed
	}
	return out, nil
}

func conformMetadata(value any) (any, *PathError) {
	if value == nil {
		return nil, nil // A null is a value here: it removes.
	}
	metadata, ok := value.(map[string]any)
	if !ok {
		return nil, mismatch("an object", value)
	}
	out := make(map[string]any, 2)
	for _, key := range []string{"annotations", "labels"} {
		member, ok := metadata[key]
		if !ok {
			continue
		}
		if member == nil {
			out[key] = nil
			continue
		}
		values, ok := member.(map[string]any)
		if !ok {
			return nil, mismatch("an object", member).below(key)
		}
		for _, name := range sortedKeys(values) {
			if _, isString := values[name].(string); !isString && values[name] != nil {
				return nil, mismatch("a string", values[name]).below(name).below(key)
			}
		}
		out[key] = values
	}
	return out, nil
}

// conform a value to its node. Nothing of the value is changed in place.
func (n *node) conform(value any) (any, *PathError) {
	if value == nil {
		return nil, nil // A null is a value here: it removes.
	}
	switch n.kind {
	case "object":
		return n.conformObject(value)
	case "array":
		return n.conformArray(value)
	case "string":
		return n.conformString(value)
	case "boolean":
		if _, ok := value.(bool); !ok {
			return nil, mismatch("a boolean", value)
		}
		return value, nil
	case "integer":
		integer, ok := integral(value)
		if !ok {
			return nil, mismatch("an integer", value)
		}
		return integer, n.within(float64(integer))
	case "number":
		number, ok := numeric(value)
		if !ok {
			return nil, mismatch("a number", value)
		}
		return whole(value), n.within(number)
	}
	return conformFree(value)
}

func (n *node) conformObject(value any) (any, *PathError) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, mismatch("an object", value)
	}
	out := make(map[string]any, len(object))
	// The keys are walked in order, so that of several errors always the same one is told: a condition repeats it.
	for _, key := range sortedKeys(object) {
		member := object[key]
		property, known := n.properties[key]
		var conformed any
		var err *PathError
		switch {
		case known:
			conformed, err = property.conform(member)
		case n.free:
			conformed, err = conformFree(member)
		default:
			continue
		}
		if err == nil && key == "resources" {
			conformed, err = canonicalResources(conformed)
		}
		if err != nil {
			return nil, err.below(key)
		}
		out[key] = conformed
	}
	return out, nil
}

func (n *node) conformArray(value any) (any, *PathError) {
	array, ok := value.([]any)
	if !ok {
		return nil, mismatch("an array", value)
	}
	out := make([]any, 0, len(array))
	for i, item := range array {
		var conformed any
		var err *PathError
		switch {
		case n.items == nil:
			conformed, err = conformFree(item)
		case item == nil:
			err = &PathError{Problem: "must not be null"}
		default:
			conformed, err = n.items.conform(item)
		}
		if err != nil {
			return nil, err.below("[" + strconv.Itoa(i) + "]")
		}
		out = append(out, withoutNulls(conformed))
	}
	return out, nil
}

func (n *node) conformString(value any) (any, *PathError) {
	text, ok := value.(string)
	if !ok {
		return nil, mismatch("a string", value)
	}
	if len(n.enum) > 0 && !slices.Contains(n.enum, text) {
		return nil, &PathError{Problem: fmt.Sprintf("must be one of %s, not %s", strings.Join(n.enum, ", "), shown(value))}
	}
	if n.pattern != nil && !n.pattern.MatchString(text) {
		return nil, &PathError{Problem: fmt.Sprintf("must match %s, not %s", n.pattern, shown(value))}
	}
	return value, nil
}

func (n *node) within(number float64) *PathError {
	switch {
	case n.minimum != nil && number < *n.minimum:
		return &PathError{Problem: fmt.Sprintf("must be at least %v, not %v", *n.minimum, number)}
	case n.maximum != nil && number > *n.maximum:
		return &PathError{Problem: fmt.Sprintf("must be at most %v, not %v", *n.maximum, number)}
	}
	return nil
}

// conformFree keeps everything, with whole numbers as integers and canonical quantities below resources.
func conformFree(value any) (any, *PathError) {
	switch v := value.(type) {
	case map[string]any:
		free := node{kind: "object", free: true}
		return free.conformObject(v)
	case []any:
		free := node{kind: "array"}
		return free.conformArray(v)
	}
	return whole(value), nil
}

// canonicalResources prints the quantities of a container's resources as the API server's types do, 0.5 as 500m, since
// the Vald Operator decodes them into those types. The value is a conformed one, hence ours to change.
func canonicalResources(value any) (any, *PathError) {
	resources, ok := value.(map[string]any)
	if !ok {
		return value, nil
	}
	for _, key := range []string{"limits", "requests"} {
		amounts, ok := resources[key].(map[string]any)
		if !ok {
			continue
		}
		canonical := make(map[string]any, len(amounts))
		for _, name := range sortedKeys(amounts) {
			quantity, err := canonicalQuantity(amounts[name])
			if err != nil {
				return nil, err.below(name).below(key)
			}
			canonical[name] = quantity
		}
		resources[key] = canonical
	}
	return resources, nil
}

func canonicalQuantity(value any) (any, *PathError) {
	var text string
	switch v := value.(type) {
	case nil:
		return nil, nil // A null is a value here: it removes.
	case string:
		text = v
	case int64:
		text = strconv.FormatInt(v, 10)
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return nil, mismatch("a quantity", value)
	}
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return nil, mismatch("a quantity", value)
	}
	return quantity.String(), nil
}

// integral numbers count as integers however they are written: 3, 3.0, 1e3.
func integral(value any) (int64, bool) {
	switch v := value.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case float64:
		// 2^63 itself is no int64, and every float64 below it that is whole is one.
		if v == math.Trunc(v) && v >= math.MinInt64 && v < math.MaxInt64 {
			return int64(v), true
		}
	}
	return 0, false
}

func numeric(value any) (float64, bool) {
	switch v := value.(type) {
	case int64:
		return float64(v), true
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// whole numbers become integers, everything else stays.
func whole(value any) any {
	if integer, ok := integral(value); ok {
		return integer
	}
	return value
}

func mismatch(want string, got any) *PathError {
	return &PathError{Problem: "must be " + want + ", not " + shown(got)}
}

// shown is a value as a message shows it: short, and the same for the same value.
func shown(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case string:
		const most = 64
		if len(v) > most {
			cut := most
			for cut > 0 && !utf8.RuneStart(v[cut]) {
				cut--
			}
			v = v[:cut] + "…"
		}
		return strconv.Quote(v)
	default:
		return fmt.Sprint(v)
	}
}

func sortedKeys[V any](values map[string]V) []string {
	return slices.Sorted(maps.Keys(values))
}
