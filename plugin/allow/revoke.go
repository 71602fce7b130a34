package allow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// takeAway the annotations of the command that are there, all of them: one that stayed would allow more than a person
// knows of.
func (o *options) takeAway(ctx context.Context, client *cluster.Client, v *live.View) error {
	annotations, keys := map[string]any{}, []string{}
	for _, key := range o.permission.keys {
		if _, found := v.Object.GetAnnotations()[key]; found {
			annotations[key] = nil
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		_, err := fmt.Fprintf(o.Streams.Out, "%s/%s has none of %s.\n", v.Namespace(), v.Name(), strings.Join(o.permission.keys, ", "))
		return err
	}
	slices.Sort(keys)
	if err := o.Annotate(ctx, client, change.Of(v.Object), annotations); err != nil {
		return err
	}
	taken := "taken away"
	if o.DryRun != change.None {
		taken = "would be taken away"
	}
	if _, err := fmt.Fprintf(o.Streams.Out, "%s: %s\n", taken, strings.Join(keys, ", ")); err != nil {
		return err
	}
	return o.without(ctx, client, v, keys)
}

// without the annotations the function may hold back the image that the spec asks for, also one that runs already.
func (o *options) without(ctx context.Context, client *cluster.Client, v *live.View, keys []string) error {
	if !v.SingleNode() {
		return nil
	}
	answer, err := v.Ask(ctx, client, func(xr *unstructured.Unstructured) error {
		annotations := xr.GetAnnotations()
		for _, key := range keys {
			delete(annotations, key)
		}
		xr.SetAnnotations(annotations)
		return nil
	})
	if err != nil {
		o.Note([]string{"what follows from it is not known: " + err.Error()})
		return nil //nolint:nilerr // The annotations are gone, and that is what was asked for.
	}
	blocked := answer.Condition(string(reason.UpgradeBlocked))
	if blocked.Status != string(metav1.ConditionTrue) {
		return nil
	}
	is := "is held back now"
	if o.DryRun != change.None {
		is = "would be held back"
	}
	o.tell(fmt.Sprintf("The image that the spec asks for %s (%s). A server that runs goes on. %s", is, blocked.Reason, change.Risk(blocked.Message)))
	return nil
}
