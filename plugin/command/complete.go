package command

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// patience of a person who presses the tabulator key.
const patience = 2 * time.Second

// complete arguments and flags of all commands with what the cluster has. Whatever fails completes nothing.
func complete(root *cobra.Command, f factory.Factory) {
	names := func(kind schema.GroupVersionKind, prefix string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return func(command *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return list(command.Context(), f, kind, prefix, typed), cobra.ShellCompDirectiveNoFileComp
		}
	}
	for _, command := range below(root) {
		switch {
		case command.ValidArgsFunction != nil || len(command.ValidArgs) > 0:
		case command.Parent() != nil && command.Parent().Name() == "incident":
			command.ValidArgsFunction = incidents(command, f)
		case strings.Contains(command.Use, "CLAIM"):
			command.ValidArgsFunction = names(cluster.PersistentVolumeClaim(), "")
		case strings.Contains(command.Use, "vor/NAME"):
			chromas, releases := names(cluster.Chroma(), ""), names(cluster.ValdOperatorRelease(), "vor/")
			command.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
				if strings.HasPrefix(typed, "vor/") {
					return releases(c, args, typed)
				}
				return chromas(c, args, typed)
			}
		case strings.Contains(command.Use, "NAME"):
			command.ValidArgsFunction = names(cluster.Chroma(), "")
		default:
			command.ValidArgsFunction = cobra.NoFileCompletions
		}
		if command.Flags().Lookup("image") != nil {
			_ = command.RegisterFlagCompletionFunc("image", func(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				return images(c.Context(), f, typed), cobra.ShellCompDirectiveNoFileComp
			})
		}
	}
	_ = root.RegisterFlagCompletionFunc("namespace", func(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return list(c.Context(), f, corev1.SchemeGroupVersion.WithKind("Namespace"), "", typed), cobra.ShellCompDirectiveNoFileComp
	})
}

// incidents completes the names of those that have an open one, each with its code.
func incidents(of *cobra.Command, f factory.Factory) cobra.CompletionFunc {
	if !strings.Contains(of.Use, "NAME") {
		return cobra.NoFileCompletions
	}
	return func(command *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []string
		for _, object := range objects(command.Context(), f, cluster.Chroma()) {
			if code := live.Text(object, "status", "dataVersionUnknownIncident"); code != "" && strings.HasPrefix(object.GetName(), typed) {
				out = append(out, cobra.CompletionWithDesc(object.GetName(), "incident "+code))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// below a command, all of them.
func below(of *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, command := range of.Commands() {
		out = append(out, command)
		out = append(out, below(command)...)
	}
	return out
}

func list(ctx context.Context, f factory.Factory, kind schema.GroupVersionKind, prefix, typed string) []string {
	var out []string
	for _, object := range objects(ctx, f, kind) {
		if name := prefix + object.GetName(); strings.HasPrefix(name, typed) {
			out = append(out, name)
		}
	}
	return out
}

// objects of a kind in the namespace.
func objects(ctx context.Context, f factory.Factory, kind schema.GroupVersionKind) []*unstructured.Unstructured {
	client, namespace, err := f.Both()
	if err != nil {
		return nil
	}
	if kind.Kind == "Namespace" {
		namespace = ""
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := client.List(ctx, kind, namespace, "")
	if err != nil {
		return nil
	}
	return out
}

// images that run in the namespace, and the function's default.
func images(ctx context.Context, f factory.Factory, typed string) []string {
	out := []string{settings.DefaultImage}
	for _, object := range objects(ctx, f, cluster.Chroma()) {
		if image := live.Text(object, "status", "image"); image != "" {
			out = append(out, image)
		}
	}
	out = slices.DeleteFunc(out, func(image string) bool { return !strings.HasPrefix(image, typed) })
	slices.Sort(out)
	return slices.Compact(out)
}
