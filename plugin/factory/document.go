package factory

import (
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// Document checks the value of --output of a command that prints text or a document, before anything is done.
func Document(output string) error {
	switch output {
	case "", terminal.JSON, terminal.YAML:
		return nil
	}
	return exit.Errorf(exit.Usage, "--output must be %s or %s, not %q", terminal.JSON, terminal.YAML, output)
}
