// Package change is how commands change things: dry runs, confirmation, and the plugin's own field manager.
package change

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
)

// Values of --dry-run.
const (
	None   = "none"
	Client = "client"
	Server = "server"
)

// Options of commands that change something.
type Options struct {
	Streams genericiooptions.IOStreams
	DryRun  string
	Yes     bool
}

// AddFlags to a command.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.DryRun, "dry-run", None, "none, client (only say what would be changed), or server (the API server checks it and changes nothing)")
	flags.BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
}

// Validate the flags.
func (o *Options) Validate() error {
	switch o.DryRun {
	case None, Client, Server:
		return nil
	}
	return exit.Errorf(exit.Usage, "--dry-run must be %s, %s or %s, not %q", None, Client, Server, o.DryRun)
}

// An Object to change.
type Object struct {
	Kind            schema.GroupVersionKind
	Namespace, Name string
	// UID of the object that was looked at. One that was created under its name since then is not changed.
	UID types.UID
}

// String names the object.
func (o Object) String() string {
	if o.Namespace == "" {
		return strings.ToLower(o.Kind.Kind) + " " + o.Name
	}
	return strings.ToLower(o.Kind.Kind) + " " + o.Namespace + "/" + o.Name
}

// Of an object.
func Of(object *unstructured.Unstructured) Object {
	return Object{Kind: object.GroupVersionKind(), Namespace: object.GetNamespace(), Name: object.GetName(), UID: object.GetUID()}
}

// Arguments that name an object to a command.
func Arguments(object *unstructured.Unstructured) string {
	return "-n " + object.GetNamespace() + " " + object.GetName()
}

// Annotate an object. A nil value takes the annotation away.
func (o *Options) Annotate(ctx context.Context, client *cluster.Client, object Object, annotations map[string]any) error {
	return o.Merge(ctx, client, object, map[string]any{"metadata": map[string]any{"annotations": annotations}})
}

// Merge fields into an object, and say so.
func (o *Options) Merge(ctx context.Context, client *cluster.Client, object Object, fields map[string]any) error {
	told, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("cannot encode the change: %w", err)
	}
	if o.DryRun == Client {
		_, err = fmt.Fprintf(o.Streams.Out, "%s would be changed: %s\n", object, told)
		return err
	}
	patch, err := json.Marshal(object.only(fields))
	if err != nil {
		return fmt.Errorf("cannot encode the change: %w", err)
	}
	if _, err := client.Merge(ctx, object.Kind, object.Namespace, object.Name, patch, o.DryRun == Server); err != nil {
		return object.replaced(err)
	}
	return o.said(object, "changed", ": "+string(told))
}

// only if it is still the object of that UID, fields are changed.
func (o Object) only(fields map[string]any) map[string]any {
	if o.UID == "" {
		return fields
	}
	metadata, _ := fields["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["uid"] = o.UID
	fields = maps.Clone(fields)
	fields["metadata"] = metadata
	return fields
}

// replaced says in words that another object has the name by now.
func (o Object) replaced(err error) error {
	var status apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return err
	}
	for _, cause := range status.Status().Details.Causes {
		if cause.Field == "metadata.uid" {
			return exit.Errorf(exit.Refused, "%s was deleted and created again in the meantime: nothing was changed", o)
		}
	}
	return err
}

// Delete an object, and say so.
func (o *Options) Delete(ctx context.Context, client *cluster.Client, object *unstructured.Unstructured) error {
	if o.DryRun == Client {
		_, err := fmt.Fprintf(o.Streams.Out, "%s would be deleted\n", Of(object))
		return err
	}
	switch err := client.Delete(ctx, object, o.DryRun == Server); {
	case apierrors.IsConflict(err):
		return exit.Errorf(exit.Refused, "%s was deleted and created again in the meantime: it stays", Of(object))
	case err != nil:
		return err
	}
	return o.said(Of(object), "deleted", "")
}

// Apply an object, and say so. Forced, its fields are taken over from other managers.
func (o *Options) Apply(ctx context.Context, client *cluster.Client, object *unstructured.Unstructured, force bool) error {
	if o.DryRun == Client {
		_, err := fmt.Fprintf(o.Streams.Out, "%s would be applied\n", Of(object))
		return err
	}
	if _, err := client.Apply(ctx, object, force, o.DryRun == Server); err != nil {
		return Of(object).replaced(err)
	}
	return o.said(Of(object), "applied", "")
}

func (o *Options) said(object Object, what, detail string) error {
	suffix := ""
	if o.DryRun == Server {
		suffix = " (server dry run)"
	}
	_, err := fmt.Fprintf(o.Streams.Out, "%s %s%s%s\n", object, what, suffix, detail)
	return err
}
