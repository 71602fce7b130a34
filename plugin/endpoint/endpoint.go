// Package endpoint is kubectl chroma endpoint: the address for clients.
package endpoint

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/target"
)

// New command.
func New(f factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "endpoint NAME",
		Short: "Print the address for clients in the cluster",
		Long: `Print the address for clients in the cluster, and nothing else. It exits with 4 when the server does not serve.

` + exit.Help,
		Example: `  export CHROMA_URL=$(kubectl chroma endpoint demo)`,
		Args:    factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			name, err := target.Chroma(args[0])
			if err != nil {
				return err
			}
			client, namespace, err := f.Both()
			if err != nil {
				return err
			}
			object, err := client.Get(command.Context(), cluster.Chroma(), namespace, name)
			if err != nil {
				return err
			}
			address := live.Text(object, "status", "endpoint")
			if address == "" {
				return exit.Errorf(exit.Unhealthy, "%s/%s has no endpoint yet", namespace, name)
			}
			if _, err := fmt.Fprintln(f.Streams.Out, address); err != nil {
				return fmt.Errorf("cannot print the endpoint: %w", err)
			}
			if ready := live.ConditionOf(object, "Ready"); ready.Status != "True" {
				return exit.Errorf(exit.Unhealthy, "%s/%s does not serve at the moment", namespace, name)
			}
			return nil
		},
	}
}
