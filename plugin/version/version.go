// Package version is kubectl chroma version.
package version

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/pipeline"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// Of the program, as the Go linker recorded it.
func Of(info *debug.BuildInfo) v1.ClientVersion {
	out := v1.ClientVersion{Version: "(devel)", GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return out
	}
	if info.Main.Version != "" {
		out.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			out.Commit = setting.Value
		case "vcs.time":
			out.Time = setting.Value
		}
	}
	return out
}

// Options of version.
type Options struct {
	factory factory.Factory
	client  bool
	output  string
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &Options{factory: f}
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the plugin and of the cluster's function",
		Long:  "Print the versions of the plugin and of the cluster's function. With --client nothing is connected to.\n\n" + exit.Help,
		Example: `  # The plugin's own version
  kubectl chroma version --client`,
		Args: factory.Arguments(0, 0, "no arguments"),
		RunE: func(command *cobra.Command, _ []string) error {
			if err := factory.Document(o.output); err != nil {
				return err
			}
			info, _ := debug.ReadBuildInfo()
			return o.Run(command.Context(), Of(info))
		},
	}
	command.Flags().BoolVar(&o.client, "client", false, "only the plugin's own version, without a connection")
	command.Flags().StringVarP(&o.output, "output", "o", "", "json or yaml")
	return command
}

// Run prints.
func (o *Options) Run(ctx context.Context, client v1.ClientVersion) error {
	versions := v1.Version{Header: v1.HeaderOf(v1.KindVersion), ClientVersion: client}
	var err error
	if !o.client {
		versions.Functions, err = o.functions(ctx)
	}
	// The plugin's own version is told whatever became of the cluster's.
	return errors.Join(o.print(o.factory.Streams.Out, versions), err)
}

// functions of the cluster that are ours, by their names.
func (o *Options) functions(ctx context.Context) ([]v1.InstalledFunction, error) {
	client, err := o.factory.Client()
	if err != nil {
		return nil, err
	}
	objects, err := client.List(ctx, cluster.Function(), "", "")
	if err != nil {
		return nil, err
	}
	var out []v1.InstalledFunction
	for _, object := range objects {
		if pipeline.IsFunction(object.GetName()) {
			out = append(out, v1.InstalledFunction{Name: object.GetName(), Package: live.Text(object, "spec", "package"), Healthy: live.ConditionOf(object, "Healthy").Status})
		}
	}
	return out, nil
}

func (o *Options) print(out io.Writer, versions v1.Version) error {
	if o.output != "" {
		return terminal.Document(out, o.output, versions)
	}
	client := versions.ClientVersion
	if _, err := fmt.Fprintf(out, "kubectl-chroma %s (%s, %s)\n", client.Version, client.Platform, client.GoVersion); err != nil {
		return err
	}
	for _, function := range versions.Functions {
		if _, err := fmt.Fprintf(out, "%s %s\n", function.Name, function.Package); err != nil {
			return err
		}
	}
	return nil
}
