// Package pipeline finds this function's step, and its Input, in a Composition.
package pipeline

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	input "github.com/function-chroma/function-chroma/apis/input/v1beta1"
)

// FunctionName is what our packages call the function.
const FunctionName = "function-chroma"

// A Step of a Composition's pipeline.
type Step struct {
	Name string
	// Function is the name of the Function object.
	Function string
	// Input is nil where the step has none.
	Input map[string]any
}

// ErrNoStep says that a Composition does not call this function.
var ErrNoStep = errors.New("no step of its pipeline calls " + FunctionName)

// For tells which kind a Composition is for.
func For(composition *unstructured.Unstructured) schema.GroupVersionKind {
	apiVersion, _, _ := unstructured.NestedString(composition.Object, "spec", "compositeTypeRef", "apiVersion")
	kind, _, _ := unstructured.NestedString(composition.Object, "spec", "compositeTypeRef", "kind")
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

// Find the step that calls this function: the one with our Input, else the one whose Function has our name. A package
// that a Configuration pulls in gets the path of its image in front of its name.
func Find(composition *unstructured.Unstructured) (Step, error) {
	steps, _, err := unstructured.NestedSlice(composition.Object, "spec", "pipeline")
	if err != nil {
		return Step{}, fmt.Errorf("cannot read the pipeline of Composition %s: %w", composition.GetName(), err)
	}
	var named *Step
	for _, one := range steps {
		fields, ok := one.(map[string]any)
		if !ok {
			continue
		}
		step := Step{}
		step.Name, _, _ = unstructured.NestedString(fields, "step")
		step.Function, _, _ = unstructured.NestedString(fields, "functionRef", "name")
		step.Input, _, _ = unstructured.NestedMap(fields, "input")
		apiVersion, _ := step.Input["apiVersion"].(string)
		if schema.FromAPIVersionAndKind(apiVersion, "").Group == input.Group {
			return step, nil
		}
		if named == nil && IsFunction(step.Function) {
			named = &step
		}
	}
	if named == nil {
		return Step{}, fmt.Errorf("cannot use Composition %s: %w", composition.GetName(), ErrNoStep)
	}
	return *named, nil
}

// IsFunction tells whether a Function's name is ours.
func IsFunction(name string) bool {
	return name == FunctionName || strings.HasSuffix(name, "-"+FunctionName)
}
