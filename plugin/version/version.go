// Package version is kubectl chroma version.
package version

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/plugin/exit"
)

// Client is the version of the plugin.
type Client struct {
	Version   string `json:"version"`
	Commit    string `json:"commit,omitempty"`
	Time      string `json:"time,omitempty"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
}

// Of the program, as the Go linker recorded it.
func Of(info *debug.BuildInfo) Client {
	out := Client{Version: "(devel)", GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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
	streams genericiooptions.IOStreams
	client  bool
	output  string
}

// New command.
func New(streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{streams: streams}
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the plugin",
		Long:  "Print the version of the plugin. With --client nothing is connected to.\n\n" + exit.Help,
		Example: `  # The plugin's own version
  kubectl chroma version --client`,
		Args: cobra.NoArgs,
		RunE: func(_ *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			return o.Run(Of(info))
		},
	}
	command.Flags().BoolVar(&o.client, "client", false, "only the plugin's own version, without a connection")
	command.Flags().StringVarP(&o.output, "output", "o", "", "json or yaml")
	return command
}

// Run prints.
func (o *Options) Run(client Client) error {
	return o.print(o.streams.Out, client)
}

func (o *Options) print(out io.Writer, client Client) error {
	switch o.output {
	case "":
		_, err := fmt.Fprintf(out, "kubectl-chroma %s (%s, %s)\n", client.Version, client.Platform, client.GoVersion)
		return err
	case "json":
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "    ")
		return encoder.Encode(map[string]any{"clientVersion": client})
	case "yaml":
		text, err := yaml.Marshal(map[string]any{"clientVersion": client})
		if err != nil {
			return fmt.Errorf("cannot print the version: %w", err)
		}
		_, err = out.Write(text)
		return err
	}
	return exit.Errorf(exit.Usage, "--output must be json or yaml, not %q", o.output)
}
