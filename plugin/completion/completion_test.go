package completion_test

import (
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/command"
	"github.com/function-chroma/function-chroma/plugin/exit"
)

func TestCompletion(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		code   exit.Code
		want   string
	}{
		"Bash":      {reason: "The script completes the plugin's own name.", args: []string{"completion", "bash"}, want: "kubectl-chroma"},
		"Zsh":       {reason: "The script completes the plugin's own name.", args: []string{"completion", "zsh"}, want: "#compdef kubectl-chroma"},
		"Fish":      {reason: "The script completes the plugin's own name.", args: []string{"completion", "fish"}, want: "kubectl-chroma"},
		"Kubectl":   {reason: "kubectl runs kubectl_complete-chroma with what is typed.", args: []string{"completion", "kubectl"}, want: "exec kubectl-chroma __complete \"$@\""},
		"Unknown":   {reason: "Another shell is a usage error.", args: []string{"completion", "tcsh"}, code: exit.Usage},
		"Nothing":   {reason: "Without a shell it is a usage error.", args: []string{"completion"}, code: exit.Usage},
		"Completes": {reason: "What kubectl asks for is answered.", args: []string{"__complete", "ren"}, want: "render"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			streams, _, out, errOut := genericiooptions.NewTestIOStreams()
			code := command.Execute(t.Context(), streams, func(string) string { return "" }, tc.args)
			if code != tc.code || !strings.Contains(out.String(), tc.want) {
				t.Errorf("\n%s\nwant exit code %d and %q, got %d and:\n%s%s", tc.reason, tc.code, tc.want, code, out, errOut)
			}
		})
	}
}
