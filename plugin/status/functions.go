package status

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/pipeline"
)

// functions of the rows of a table, each looked at once: when one is missing or down, that shows on no object.
type functions struct {
	client *cluster.Client
	// troubles by composition, and by Function.
	compositions map[string]string
	troubles     map[string]string
	// notes are what could not be read.
	notes []string
}

func newFunctions(client *cluster.Client) *functions {
	return &functions{client: client, compositions: map[string]string{}, troubles: map[string]string{}}
}

// trouble of the Function that a composition calls, empty where there is none or it cannot be known.
func (f *functions) trouble(ctx context.Context, kind schema.GroupVersionKind, name string) string {
	if name == "" {
		return ""
	}
	key := kind.Kind + "/" + name
	trouble, known := f.compositions[key]
	if !known {
		trouble = f.ofComposition(ctx, kind, name)
		f.compositions[key] = trouble
	}
	return trouble
}

func (f *functions) ofComposition(ctx context.Context, kind schema.GroupVersionKind, name string) string {
	composition, err := f.client.Find(ctx, kind, "", name)
	if err != nil || composition == nil {
		f.note(err)
		return ""
	}
	step, err := pipeline.Find(composition)
	if err != nil {
		f.note(err)
		return ""
	}
	trouble, known := f.troubles[step.Function]
	if !known {
		function, err := f.client.Find(ctx, cluster.Function(), "", step.Function)
		f.note(err)
		if err == nil {
			trouble = troubleOf(function)
		}
		f.troubles[step.Function] = trouble
	}
	return trouble
}

// troubleOf a Function. Its Healthy counts its Deployment in.
func troubleOf(function *unstructured.Unstructured) string {
	switch {
	case function == nil:
		return attentionFunctionMissing
	case live.ConditionOf(function, "Installed").Status == statusFalse, live.ConditionOf(function, "Healthy").Status == statusFalse:
		return attentionFunctionDown
	}
	return ""
}

func (f *functions) note(err error) {
	if err != nil {
		f.notes = append(f.notes, "it is not known whether the Function runs: "+err.Error())
	}
}
