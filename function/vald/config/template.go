package config

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// shipped is the template that the Vald Operator's chart ships.
//
//go:embed default-vrs.yaml
var shipped []byte

// ShippedTemplate is the template that counts when no other is configured. It is for reading.
func ShippedTemplate() map[string]any { return parseShipped() }

// parseShipped once: it is a constant that Go cannot write down.
//
//nolint:gochecknoglobals // See above.
var parseShipped = sync.OnceValue(func() map[string]any {
	template, err := ParseTemplate(shipped)
	if err != nil {
		panic(fmt.Sprintf("the embedded template is broken: %v", err)) // A test parses it.
	}
	return template
})

// ReadTemplate reads the file that the configuration names as the default template. It is nil when there is no such file,
// and when the configuration cannot be read, which Parse says.
func ReadTemplate(values map[string]any, environment Environment, readFile func(path string) ([]byte, error)) ([]byte, error) {
	config, err := Parse(values, environment)
	if err != nil {
		return nil, nil //nolint:nilerr // Parse is asked again where its error can be told.
	}
	content, err := readFile(config.VRS.DefaultPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the default template: %w", err)
	}
	return content, nil
}

// ParseTemplate reads the YAML or JSON of a template: one ValdRelease.
func ParseTemplate(text []byte) (map[string]any, error) {
	encoded, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, fmt.Errorf("cannot read the default template: %w", err)
	}
	var value any
	if err := json.Unmarshal(encoded, &value); err != nil {
		return nil, fmt.Errorf("cannot read the default template: %w", err)
	}
	template, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("cannot read the default template: it must be one ValdRelease")
	}
	return template, nil
}
