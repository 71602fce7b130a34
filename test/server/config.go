package server

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// configure returns a configuration with another port and folder of data, and after them the keys of an overlay. Values
// keep their text, a number that no float64 holds for instance, since what the server makes of that very text is what
// tests ask.
func configure(config []byte, overlay string, port int, persistPath string) ([]byte, error) {
	document := yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	texts := []string{string(config), fmt.Sprintf("port: %d\npersist_path: %q\n", port, persistPath), overlay}
	for _, text := range texts {
		var layer yaml.Node
		if err := yaml.Unmarshal([]byte(text), &layer); err != nil {
			return nil, fmt.Errorf("cannot read the configuration: %w", err)
		}
		if len(layer.Content) == 0 {
			continue
		}
		if layer.Content[0].Kind != yaml.MappingNode {
			return nil, errors.New("cannot set keys in a configuration that is no mapping")
		}
		for pair := range slices.Chunk(layer.Content[0].Content, 2) {
			set(document.Content[0], pair[0], pair[1])
		}
	}
	text, err := yaml.Marshal(&document)
	if err != nil {
		return nil, fmt.Errorf("cannot write the configuration: %w", err)
	}
	return text, nil
}

func set(mapping, key, value *yaml.Node) {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key.Value {
			mapping.Content[i+1] = value
			return
		}
	}
	mapping.Content = append(mapping.Content, key, value)
}
