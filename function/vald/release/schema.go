package release

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sync"
)

// schemaJSON is the schema of a ValdRelease's spec: names, types and limits, taken from the CustomResourceDefinition of
// Vald v1.8.0 (charts/vald-helm-operator/crds/valdrelease.yaml, Apache-2.0) by the command in generate.
//
//go:embed schema.json
var schemaJSON []byte

// A node of the schema.
type node struct {
	kind       string
	properties map[string]*node
	items      *node
	// free objects keep members that have no node.
	free    bool
	enum    []string
	minimum *float64
	maximum *float64
	pattern *regexp.Regexp
}

// Encoded is a node as it stands in the file: other nodes are named by their index. Equal nodes are written once,
// which leaves little of the 900 kB of the original.
type Encoded struct {
	Type       string         `json:"type"`
	Properties map[string]int `json:"properties,omitempty"`
	Items      *int           `json:"items,omitempty"`
	Free       bool           `json:"free,omitempty"`
	Enum       []string       `json:"enum,omitempty"`
	Minimum    *float64       `json:"minimum,omitempty"`
	Maximum    *float64       `json:"maximum,omitempty"`
	Pattern    string         `json:"pattern,omitempty"`
}

// schema is decoded once: it is a constant that Go cannot write down.
//
//nolint:gochecknoglobals // See above.
var schema = sync.OnceValue(func() *node {
	root, err := decode(schemaJSON)
	if err != nil {
		panic(fmt.Sprintf("the embedded schema is broken: %v", err)) // A test decodes it.
	}
	return root
})

// decode a file. A node comes after the nodes that it names, the root is the last one.
func decode(file []byte) (*node, error) {
	var encoded []Encoded
	if err := json.Unmarshal(file, &encoded); err != nil {
		return nil, fmt.Errorf("cannot decode the schema: %w", err)
	}
	nodes := make([]*node, 0, len(encoded))
	named := func(index int) (*node, error) {
		if index < 0 || index >= len(nodes) {
			return nil, fmt.Errorf("cannot decode the schema: node %d names node %d, which does not precede it", len(nodes), index)
		}
		return nodes[index], nil
	}
	for _, e := range encoded {
		n := &node{kind: e.Type, free: e.Free, enum: e.Enum, minimum: e.Minimum, maximum: e.Maximum}
		if len(e.Properties) > 0 {
			n.properties = make(map[string]*node, len(e.Properties))
		}
		for name, index := range e.Properties {
			property, err := named(index)
			if err != nil {
				return nil, err
			}
			n.properties[name] = property
		}
		if e.Items != nil {
			items, err := named(*e.Items)
			if err != nil {
				return nil, err
			}
			n.items = items
		}
		if e.Pattern != "" {
			pattern, err := regexp.Compile(e.Pattern)
			if err != nil {
				return nil, fmt.Errorf("cannot decode the schema: %w", err)
			}
			n.pattern = pattern
		}
		nodes = append(nodes, n)
	}
	if len(nodes) == 0 {
		return nil, errors.New("cannot decode the schema: it is empty")
	}
	return nodes[len(nodes)-1], nil
}
