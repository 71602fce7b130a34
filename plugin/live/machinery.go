package live

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/pipeline"
)

// Machinery is what of Crossplane works on the object.
type Machinery struct {
	// Composition and its revision in use.
	Composition, Revision string
	// CompositionMissing: there is no Composition, or revision of one, of the name that the object has.
	CompositionMissing bool
	Step               *pipeline.Step
	// Function object and its current revision. Nil: absent or unreadable.
	Function, FunctionRevision *unstructured.Unstructured
	// FunctionMissing: there is no Function of the name that the Composition gives.
	FunctionMissing bool
}

// readMachinery follows Composition, Function and revision.
func (v *View) readMachinery(ctx context.Context, client *cluster.Client) {
	path := []string{"spec", "crossplane"}
	if v.XR.GetNamespace() == "" {
		path = []string{"spec"}
	}
	v.Machinery.Composition = Text(v.XR, append(path, "compositionRef", "name")...)
	v.Machinery.Revision = Text(v.XR, append(path, "compositionRevisionRef", "name")...)
	kind, name := cluster.CompositionRevision(), v.Machinery.Revision
	if name == "" {
		kind, name = cluster.Composition(), v.Machinery.Composition
	}
	if name == "" {
		return
	}
	composition, err := client.Find(ctx, kind, "", name)
	if err != nil {
		v.note(fmt.Errorf("the function's settings are not known, and its defaults are assumed: %w", err))
		return
	}
	if composition == nil {
		v.Machinery.CompositionMissing = true
		v.note(fmt.Errorf("the function's settings are not known, and its defaults are assumed: there is no %s %s", kind.Kind, name))
		return
	}
	step, err := pipeline.Find(composition)
	if err != nil {
		v.note(err)
		return
	}
	v.Machinery.Step = &step
	v.readFunction(ctx, client, step.Function)
}

func (v *View) readFunction(ctx context.Context, client *cluster.Client, name string) {
	function, err := client.Find(ctx, cluster.Function(), "", name)
	if err != nil {
		v.note(err)
		return
	}
	v.Machinery.Function, v.Machinery.FunctionMissing = function, function == nil
	if function == nil {
		return
	}
	if config := Text(function, "spec", "runtimeConfigRef", "name"); config != "" && config != "default" {
		v.note(fmt.Errorf("the function's environment is set by DeploymentRuntimeConfig %s, which is not read here", config))
	}
	v.note(otherVersion(function, pluginVersion()))
	// Healthy counts the revision's Deployment in. Only its message is the revision's own.
	if revision := Text(function, "status", "currentRevision"); revision != "" && ConditionOf(function, "Healthy").Status != "True" {
		v.Machinery.FunctionRevision, err = client.Find(ctx, cluster.FunctionRevision(), "", revision)
		v.note(err)
	}
}
