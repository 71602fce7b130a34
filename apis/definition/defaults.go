package definition

import (
	_ "embed"
	"encoding/json"
	"fmt"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// defaultsDocument is generated from the definitions.
//
//go:embed defaults.json
var defaultsDocument []byte

// Defaults fills in what the API server fills in, for objects that did not come from one: `crossplane composition render`
// and linters hand over what a person wrote.
//
// It gives what the API server's own defaulting gives, and keeps only the branches of the schema that have defaults: the
// API server's code would bring its whole validation along, and the schemas themselves take 10 MB and 40 ms to parse.
type Defaults struct {
	kinds map[typeMeta]*branch
}

type typeMeta struct{ apiVersion, kind string }

// branch of a schema at or below which there are defaults.
type branch struct {
	// Defaults of properties, by their name.
	Defaults map[string]any `json:"defaults,omitempty"`
	// Properties, Items of a list and Values of a map that have defaults themselves.
	Properties map[string]*branch `json:"properties,omitempty"`
	Items      *branch            `json:"items,omitempty"`
	Values     *branch            `json:"values,omitempty"`
}

// kindDefaults is how the defaults of one kind stand in the generated document.
type kindDefaults struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Schema     *branch `json:"schema"`
}

// NewDefaults reads the defaults of all kinds that the function sees: claims it never sees.
func NewDefaults() (Defaults, error) {
	var document []kindDefaults
	if err := utiljson.Unmarshal(defaultsDocument, &document); err != nil {
		return Defaults{}, fmt.Errorf("cannot parse the defaults: %w", err)
	}
	d := Defaults{kinds: make(map[typeMeta]*branch, len(document))}
	for _, kind := range document {
		d.kinds[typeMeta{kind.APIVersion, kind.Kind}] = kind.Schema
	}
	return d, nil
}

// MarshalDefaults gives the document that NewDefaults reads, of these kinds.
func MarshalDefaults(crds ...*extv1.CustomResourceDefinition) ([]byte, error) {
	document := make([]kindDefaults, 0, len(crds))
	for _, crd := range crds {
		for _, version := range crd.Spec.Versions {
			root, err := newBranch(version.Schema.OpenAPIV3Schema)
			if err != nil {
				return nil, fmt.Errorf("cannot read the defaults of %s: %w", crd.Spec.Names.Kind, err)
			}
			document = append(document, kindDefaults{
				APIVersion: crd.Spec.Group + "/" + version.Name, Kind: crd.Spec.Names.Kind, Schema: root,
			})
		}
	}
	raw, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("cannot marshal the defaults: %w", err)
	}
	return append(raw, '\n'), nil
}

// Default sets the defaults of an object in place: of what is absent, and of null where null is not a value. It changes
// nothing of a kind that is not ours.
func (d Defaults) Default(object map[string]any) {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	d.kinds[typeMeta{apiVersion, kind}].apply(object)
}

// newBranch is nil where there are no defaults.
func newBranch(node *extv1.JSONSchemaProps) (*branch, error) {
	b := &branch{Defaults: map[string]any{}, Properties: map[string]*branch{}}
	for name, child := range node.Properties {
		if child.Default != nil {
			var value any
			if err := utiljson.Unmarshal(child.Default.Raw, &value); err != nil {
				return nil, fmt.Errorf("cannot parse the default of %s: %w", name, err)
			}
			b.Defaults[name] = value
		}
		below, err := newBranch(&child)
		if err != nil {
			return nil, err
		}
		if below != nil {
			b.Properties[name] = below
		}
	}

	var err error
	if node.Items != nil && node.Items.Schema != nil {
		if b.Items, err = newBranch(node.Items.Schema); err != nil {
			return nil, err
		}
	}
	if node.AdditionalProperties != nil && node.AdditionalProperties.Schema != nil {
		if b.Values, err = newBranch(node.AdditionalProperties.Schema); err != nil {
			return nil, err
		}
	}
	if len(b.Defaults) == 0 && len(b.Properties) == 0 && b.Items == nil && b.Values == nil {
		return nil, nil
	}
	return b, nil
}

// apply the defaults to a value. A value of another type than the schema's is for the validation to refuse.
func (b *branch) apply(value any) {
	if b == nil {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for name, def := range b.Defaults {
			if value[name] == nil {
				value[name] = runtime.DeepCopyJSONValue(def)
			}
		}
		for name, child := range b.Properties {
			child.apply(value[name])
		}
		if b.Values != nil {
			for _, below := range value {
				b.Values.apply(below)
			}
		}
	case []any:
		for _, below := range value {
			b.Items.apply(below)
		}
	}
}
