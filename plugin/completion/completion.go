// Package completion is kubectl chroma completion.
package completion

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/exit"
)

// kubectlScript is what kubectl runs to complete `kubectl chroma …`: an executable kubectl_complete-chroma on the PATH.
const kubectlScript = `#!/bin/sh
exec kubectl-chroma __complete "$@"
`

const kubectl = "kubectl"

// New command. The scripts of the shells are made of the root command.
func New(streams genericiooptions.IOStreams, root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell|kubectl",
		Short: "Print a script that completes commands, flags and names",
		Long: `Print a script that completes commands, flags and names: for the plugin under its own name (kubectl-chroma), or for
kubectl, which completes "kubectl chroma" with the help of an executable named kubectl_complete-chroma on the PATH.

` + exit.Help,
		Example: `  # kubectl chroma <TAB>
  kubectl chroma completion kubectl > ~/.local/bin/kubectl_complete-chroma
  chmod +x ~/.local/bin/kubectl_complete-chroma

  # kubectl-chroma <TAB>, in this bash
  source <(kubectl chroma completion bash)`,
		ValidArgs:             []string{"bash", "zsh", "fish", "powershell", kubectl},
		Args:                  arguments,
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			var err error
			switch args[0] {
			case "bash":
				err = root.GenBashCompletionV2(streams.Out, true)
			case "zsh":
				err = root.GenZshCompletion(streams.Out)
			case "fish":
				err = root.GenFishCompletion(streams.Out, true)
			case "powershell":
				err = root.GenPowerShellCompletionWithDesc(streams.Out)
			case kubectl:
				_, err = fmt.Fprint(streams.Out, kubectlScript)
			}
			if err != nil {
				return fmt.Errorf("cannot print the script: %w", err)
			}
			return nil
		},
	}
}

func arguments(command *cobra.Command, args []string) error {
	return exit.With(exit.Usage, cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)(command, args))
}
