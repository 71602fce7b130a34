// Package command puts the commands of the plugin together.
package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/accept"
	"github.com/function-chroma/function-chroma/plugin/allow"
	"github.com/function-chroma/function-chroma/plugin/check"
	"github.com/function-chroma/function-chroma/plugin/claims"
	"github.com/function-chroma/function-chroma/plugin/completion"
	"github.com/function-chroma/function-chroma/plugin/endpoint"
	"github.com/function-chroma/function-chroma/plugin/events"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/explain"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/forward"
	"github.com/function-chroma/function-chroma/plugin/incident"
	"github.com/function-chroma/function-chroma/plugin/install"
	"github.com/function-chroma/function-chroma/plugin/lint"
	"github.com/function-chroma/function-chroma/plugin/logs"
	"github.com/function-chroma/function-chroma/plugin/remove"
	"github.com/function-chroma/function-chroma/plugin/render"
	"github.com/function-chroma/function-chroma/plugin/report"
	"github.com/function-chroma/function-chroma/plugin/restart"
	"github.com/function-chroma/function-chroma/plugin/status"
	"github.com/function-chroma/function-chroma/plugin/terminal"
	"github.com/function-chroma/function-chroma/plugin/tree"
	"github.com/function-chroma/function-chroma/plugin/upgrade"
	"github.com/function-chroma/function-chroma/plugin/version"
)

// Name of the plugin as people type it.
const Name = "kubectl chroma"

// Execute the plugin with arguments, and tell how it ended.
func Execute(ctx context.Context, streams genericiooptions.IOStreams, getenv func(string) string, args []string) exit.Code {
	return ExecuteAt(ctx, streams, getenv, time.Now, args)
}

// ExecuteAt is Execute with a clock.
func ExecuteAt(ctx context.Context, streams genericiooptions.IOStreams, getenv func(string) string, now func() time.Time, args []string) exit.Code {
	root := New(streams, getenv, now)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exit.Fine
	}
	code := exit.CodeOf(err)
	if err.Error() == "" {
		return code
	}
	// Errors that are joined come one to a line.
	for line := range strings.SplitSeq(err.Error(), "\n") {
		_, _ = fmt.Fprintln(streams.ErrOut, "error: "+line)
	}
	if code == exit.Usage {
		_, _ = fmt.Fprintln(streams.ErrOut, "See --help.")
	}
	return code
}

// New root command.
func New(streams genericiooptions.IOStreams, getenv func(string) string, now func() time.Time) *cobra.Command {
	color := terminal.Auto
	root := &cobra.Command{
		Use:   "kubectl-chroma",
		Short: "See, understand and change Chroma and Vald that Crossplane composes",
		Long: `See, understand and change Chroma and Vald that Crossplane composes.

The plugin gives the composition function's own answers: it decides with the same code.

` + exit.Help,
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: Name},
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			if like := c.SuggestionsFor(args[0]); len(like) > 0 {
				return exit.Errorf(exit.Usage, "there is no command %q; did you mean %s?", args[0], strings.Join(like, " or "))
			}
			return exit.Errorf(exit.Usage, "there is no command %q", args[0])
		},
		SuggestionsMinimumDistance: 2,
		RunE:                       func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return exit.With(exit.Usage, err) })

	connection := genericclioptions.NewConfigFlags(true)
	connection.AddFlags(root.PersistentFlags())
	// The help is the same for everybody.
	root.PersistentFlags().Lookup("cache-dir").DefValue = "$HOME/.kube/cache"
	root.PersistentFlags().Lookup("request-timeout").Usage = "how long to wait for one answer of the API server, like 10s; 0 means 5s"
	root.PersistentFlags().StringVar(&color, "color", color, "paint the output: auto (on a terminal, unless NO_COLOR is set), always or never")

	f := factory.Factory{Streams: streams, Connection: connection, Color: &color, Getenv: getenv, Now: now}
	root.AddCommand(
		status.New(f),
		explain.New(f),
		upgrade.New(f),
		incident.New(f),
		allow.New(f),
		accept.New(f),
		lint.New(f),
		events.New(f),
		logs.New(f),
		endpoint.New(f),
		forward.New(f),
		tree.New(f),
		restart.New(f),
		claims.New(f),
		claims.NewAdopt(f),
		remove.New(f),
		check.New(f),
		report.New(f),
		install.New(f),
		render.New(f),
		version.New(f),
		completion.New(streams, root),
	)
	complete(root, f)
	return root
}
