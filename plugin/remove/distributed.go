package remove

import (
	"context"
	"fmt"
	"slices"
	"strings"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// stays is what becomes of the data of a distributed Chroma.
const stays = "What is in its Postgres and its bucket stays."

// distributed Chromas have their data elsewhere, where nothing of ours deletes it.
func (o *options) distributed(ctx context.Context, client *cluster.Client, v *live.View) error {
	if o.lose {
		return exit.Errorf(exit.Refused, "the data of a distributed Chroma is in its Postgres and bucket, which are never deleted: use --keep-data")
	}
	if err := o.Confirm(fmt.Sprintf("Delete %s/%s? %s", v.Namespace(), v.Name(), stays)); err != nil {
		return err
	}
	if err := o.Delete(ctx, client, v.Object); err != nil {
		return err
	}
	return o.end(ctx, client, v, "")
}

// lists waits for the Objects that hold the MemberLists, which go after the Chroma. In a namespace that ends before they
// are gone, provider-kubernetes lets none of them go any more.
func (o *options) lists(ctx context.Context, client *cluster.Client, v *live.View) error {
	var left []string
	err := o.Wait(ctx, o.timeout, "the Objects that hold its MemberLists are gone", func(ctx context.Context) (bool, error) {
		objects, err := client.List(ctx, cluster.Object(), v.Namespace(), chroma.LabelChroma+"="+v.Name())
		if err != nil {
			return false, err
		}
		left = nil
		for _, object := range objects {
			// Those of a Chroma that was created again meanwhile stay, as do those that somebody has orphaned.
			if slices.ContainsFunc(object.GetOwnerReferences(), v.Owns) {
				left = append(left, object.GetName())
			}
		}
		return len(left) == 0, nil
	})
	if err == nil {
		_, err = fmt.Fprintf(o.Streams.Out, "%s is gone. %s\n", change.Of(v.Object), stays)
		return err
	}
	which := "Whether the Objects of provider-kubernetes that hold its MemberLists are gone too is not known"
	if len(left) > 0 {
		which = "Objects of provider-kubernetes that hold its MemberLists are left: " + strings.Join(left, ", ")
	}
	return fmt.Errorf("%w\n%s is gone. %s. Until they are gone, do not delete the namespace: it would stay Terminating. See: kubectl get %s -n %s -l %s=%s",
		err, change.Of(v.Object), which, objectResource, v.Namespace(), chroma.LabelChroma, v.Name())
}

// objectResource as kubectl names it.
const objectResource = "objects.kubernetes.m.crossplane.io"
