package terminal

import (
	"encoding/json"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/plugin/exit"
)

// Formats of documents: values of --output.
const (
	JSON = "json"
	YAML = "yaml"
)

// Document prints a value for programs.
func Document(to io.Writer, format string, value any) error {
	switch format {
	case JSON:
		encoder := json.NewEncoder(to)
		encoder.SetIndent("", "    ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	case YAML:
		text, err := yaml.Marshal(value)
		if err != nil {
			return fmt.Errorf("cannot print as YAML: %w", err)
		}
		_, err = to.Write(text)
		return err
	}
	return exit.Errorf(exit.Usage, "--output must be %s or %s, not %q", JSON, YAML, format)
}
