// Package factory makes what commands need from the flags that all of them share.
package factory

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// A Factory of clients and palettes. Nothing is connected to before somebody asks for it.
type Factory struct {
	Streams    genericiooptions.IOStreams
	Connection *genericclioptions.ConfigFlags
	// Color is the value of --color.
	Color  *string
	Getenv func(string) string
	Now    func() time.Time
}

// Palette for standard output.
func (f Factory) Palette() (terminal.Palette, error) {
	palette, err := terminal.NewPalette(*f.Color, f.Streams.Out, f.Getenv)
	return palette, exit.With(exit.Usage, err)
}

// Namespace of --namespace, else of the kubeconfig's context.
func (f Factory) Namespace() (string, error) {
	namespace, _, err := f.Connection.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return "", fmt.Errorf("cannot read the kubeconfig: %w", err)
	}
	return namespace, nil
}

// NamespaceFlag is the value of --namespace, empty without.
func (f Factory) NamespaceFlag() string { return *f.Connection.Namespace }

// Client of the API server.
func (f Factory) Client() (*cluster.Client, error) {
	if timeout := *f.Connection.Timeout; timeout != "" {
		if _, err := clientcmd.ParseTimeout(timeout); err != nil {
			return nil, exit.Errorf(exit.Usage, "--request-timeout: %w", err)
		}
	}
	config, err := f.Connection.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("cannot read the kubeconfig: %w", err)
	}
	// Without any, client-go takes a port of this machine where nothing has listened for years.
	if raw, err := f.Connection.ToRawKubeConfigLoader().RawConfig(); err == nil && clientcmdapi.IsConfigEmpty(&raw) && strings.HasSuffix(config.Host, "localhost:8080") {
		return nil, exit.Errorf(exit.Usage, "there is no kubeconfig, so no cluster to ask: name one with --kubeconfig or in KUBECONFIG")
	}
	return cluster.New(config)
}

// Both a client and the namespace.
func (f Factory) Both() (*cluster.Client, string, error) {
	namespace, err := f.Namespace()
	if err != nil {
		return nil, "", err
	}
	client, err := f.Client()
	return client, namespace, err
}

// Arguments checks the number of arguments, and says in words what they are.
func Arguments(least, most int, what string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			arguments := "arguments"
			if len(args) == 1 {
				arguments = "argument"
			}
			return exit.Errorf(exit.Usage, "%s takes %s, and got %d %s", command.CommandPath(), what, len(args), arguments)
		}
		return nil
	}
}
