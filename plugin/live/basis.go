package live

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/cluster"
)

// Basis of a decision about an object that was read already: what the function is shown of it. Events are not, and the
// function is yet to be asked.
func Basis(ctx context.Context, client *cluster.Client, object *unstructured.Unstructured, now time.Time) (*View, error) {
	v := newView(object, now)
	v.glance, v.eventless = true, true
	if err := v.begin(ctx, client); err != nil {
		return nil, err
	}
	v.read(ctx, client)
	return v, nil
}
