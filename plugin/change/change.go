// Package change is how commands change things: dry runs, confirmation, and the plugin's own field manager.
package change

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/terminal"
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

// Confirm something that cannot be taken back, or that can lose data. On a terminal a person is asked; elsewhere --yes
// is needed, since a script that is asked hangs.
func (o *Options) Confirm(question string) error {
	if o.Yes || o.DryRun != None {
		return nil
	}
	if !terminal.IsTerminal(o.Streams.In) {
		return exit.Errorf(exit.Usage, "this needs a confirmation, and there is no terminal to ask at: say --yes after reading the above")
	}
	_, _ = fmt.Fprintf(o.Streams.ErrOut, "%s [y/N] ", question)
	answer, err := bufio.NewReader(o.Streams.In).ReadString('\n')
	if err != nil && err != io.EOF {
		return fmt.Errorf("cannot read the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return exit.Errorf(exit.Error, "not confirmed: nothing was changed")
}

// An Object to change.
type Object struct {
	Kind            schema.GroupVersionKind
	Namespace, Name string
}

// String names the object.
func (o Object) String() string {
	return strings.ToLower(o.Kind.Kind) + " " + o.Namespace + "/" + o.Name
}

// Of an object.
func Of(object *unstructured.Unstructured) Object {
	return Object{Kind: object.GroupVersionKind(), Namespace: object.GetNamespace(), Name: object.GetName()}
}

// Annotate an object. A nil value takes the annotation away.
func (o *Options) Annotate(ctx context.Context, client *cluster.Client, object Object, annotations map[string]any) error {
	return o.Merge(ctx, client, object, map[string]any{"metadata": map[string]any{"annotations": annotations}})
}

// Merge fields into an object, and say so.
func (o *Options) Merge(ctx context.Context, client *cluster.Client, object Object, fields map[string]any) error {
	patch, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("cannot encode the change: %w", err)
	}
	if o.DryRun == Client {
		_, err := fmt.Fprintf(o.Streams.Out, "%s would be changed: %s\n", object, patch)
		return err
	}
	if _, err := client.Merge(ctx, object.Kind, object.Namespace, object.Name, patch, o.DryRun == Server); err != nil {
		return err
	}
	return o.said(object, "changed")
}

// Delete an object, and say so.
func (o *Options) Delete(ctx context.Context, client *cluster.Client, object *unstructured.Unstructured) error {
	if o.DryRun == Client {
		_, err := fmt.Fprintf(o.Streams.Out, "%s would be deleted\n", Of(object))
		return err
	}
	if err := client.Delete(ctx, object, o.DryRun == Server); err != nil {
		return err
	}
	return o.said(Of(object), "deleted")
}

// Apply an object, and say so. Forced, its fields are taken over from other managers.
func (o *Options) Apply(ctx context.Context, client *cluster.Client, object *unstructured.Unstructured, force bool) error {
	if o.DryRun == Client {
		_, err := fmt.Fprintf(o.Streams.Out, "%s would be applied\n", Of(object))
		return err
	}
	if _, err := client.Apply(ctx, object, force, o.DryRun == Server); err != nil {
		return err
	}
	return o.said(Of(object), "applied")
}

func (o *Options) said(object Object, what string) error {
	suffix := ""
	if o.DryRun == Server {
		suffix = " (server dry run)"
	}
	_, err := fmt.Fprintf(o.Streams.Out, "%s %s%s\n", object, what, suffix)
	return err
}
