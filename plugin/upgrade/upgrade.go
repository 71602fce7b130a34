// Package upgrade is kubectl chroma upgrade: whether another image may run, what would happen, and doing it.
package upgrade

import (
	"github.com/spf13/cobra"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
)

// New command with its subcommands.
func New(f factory.Factory) *cobra.Command {
	command := &cobra.Command{
		Use:   "upgrade",
		Short: "Check, plan and apply another image",
		Long:  "Whether another image may run on the data, what would happen, and doing it.\n\n" + exit.Help,
		Example: `  kubectl chroma upgrade check demo --image docker.io/chromadb/chroma:1.5.9
  kubectl chroma upgrade plan demo --image docker.io/chromadb/chroma:1.5.9
  kubectl chroma upgrade apply demo --image docker.io/chromadb/chroma:1.5.9 --wait`,
		Args: factory.Arguments(0, 0, "check, plan or apply"),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.AddCommand(newCheck(f), newPlan(f), newApply(f))
	return command
}
