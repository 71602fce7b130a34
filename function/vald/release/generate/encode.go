package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/function/vald/release"
)

// encode writes the schema of spec of a ValdRelease's CustomResourceDefinition in the form that package release embeds.
func encode(crd []byte) ([]byte, error) {
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(crd, &definition); err != nil {
		return nil, fmt.Errorf("cannot read the CustomResourceDefinition: %w", err)
	}
	if len(definition.Spec.Versions) != 1 || definition.Spec.Versions[0].Schema == nil {
		return nil, errors.New("cannot read the CustomResourceDefinition: it must have one version, with a schema")
	}
	spec, ok := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	if !ok {
		return nil, errors.New("cannot read the CustomResourceDefinition: it has no spec")
	}
	e := encoder{index: map[string]int{}}
	if _, err := e.add(spec); err != nil {
		return nil, err
	}
	out := bytes.NewBufferString("[\n")
	for i, line := range e.lines {
		if i > 0 {
			out.WriteString(",\n")
		}
		out.Write(line)
	}
	out.WriteString("\n]\n")
	return out.Bytes(), nil
}

type encoder struct {
	lines []json.RawMessage
	index map[string]int
}

// add a schema after those that it names, once.
func (e *encoder) add(schema apiextensionsv1.JSONSchemaProps) (int, error) {
	n := release.Encoded{
		Type: schema.Type, Minimum: schema.Minimum, Maximum: schema.Maximum, Pattern: schema.Pattern,
		Free: schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields,
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		at, err := e.add(schema.Properties[name])
		if err != nil {
			return 0, err
		}
		if n.Properties == nil {
			n.Properties = map[string]int{}
		}
		n.Properties[name] = at
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		at, err := e.add(*schema.Items.Schema)
		if err != nil {
			return 0, err
		}
		n.Items = &at
	}
	for _, value := range schema.Enum {
		var word string
		if err := json.Unmarshal(value.Raw, &word); err != nil {
			return 0, fmt.Errorf("cannot encode an enum of the schema: %w", err)
		}
		n.Enum = append(n.Enum, word)
	}
	line, err := json.Marshal(n)
	if err != nil {
		return 0, fmt.Errorf("cannot encode the schema: %w", err)
	}
	at, ok := e.index[string(line)]
	if !ok {
		at = len(e.lines)
		e.index[string(line)] = at
		e.lines = append(e.lines, line)
	}
	return at, nil
}
