package definition

import (
	"fmt"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Defaults fills in what the API server fills in, for objects that did not come from one: `crossplane composition render`
// and linters hand over what a person wrote.
//
// It gives what the API server's own defaulting gives, of the same schema, and keeps only the branches of the schema
// that have defaults: the API server's code would bring its whole validation along and walk every field on each call.
type Defaults struct {
	kinds map[schema.GroupVersionKind]*branch
}

// branch of a schema below which there are defaults.
type branch struct {
	// defaults of the properties.
	defaults []property
	// properties, items and values (of a map) that have defaults further down.
	properties map[string]*branch
	items      *branch
	values     *branch
}

type property struct {
	name  string
	value any
}

// NewDefaults reads the defaults of all kinds.
func NewDefaults() (Defaults, error) {
	d := Defaults{kinds: map[schema.GroupVersionKind]*branch{}}
	for _, kind := range Kinds() {
		if kind == KindChromaClaim {
			// The function never sees a claim, and a Chroma has the same defaults.
			continue
		}
		crd, err := CustomResourceDefinition(kind)
		if err != nil {
			return Defaults{}, err
		}
		for _, version := range crd.Spec.Versions {
			root, err := newBranch(version.Schema.OpenAPIV3Schema)
			if err != nil {
				return Defaults{}, fmt.Errorf("cannot read the defaults of %s: %w", kind, err)
			}
			d.kinds[schema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}] = root
		}
	}
	return d, nil
}

// Default sets the defaults of an object in place: of what is absent, and of null where null is not a value. It changes
// nothing of a kind that is not ours.
func (d Defaults) Default(object map[string]any) {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	if root, ok := d.kinds[schema.FromAPIVersionAndKind(apiVersion, kind)]; ok {
		root.apply(object)
	}
}

// newBranch is nil where there are no defaults.
func newBranch(node *extv1.JSONSchemaProps) (*branch, error) {
	b := &branch{properties: map[string]*branch{}}
	for name, child := range node.Properties {
		if child.Default != nil {
			var value any
			if err := utiljson.Unmarshal(child.Default.Raw, &value); err != nil {
				return nil, fmt.Errorf("cannot parse the default of %s: %w", name, err)
			}
			b.defaults = append(b.defaults, property{name: name, value: value})
		}
		below, err := newBranch(&child)
		if err != nil {
			return nil, err
		}
		if below != nil {
			b.properties[name] = below
		}
	}

	var err error
	if node.Items != nil && node.Items.Schema != nil {
		if b.items, err = newBranch(node.Items.Schema); err != nil {
			return nil, err
		}
	}
	if node.AdditionalProperties != nil && node.AdditionalProperties.Schema != nil {
		if b.values, err = newBranch(node.AdditionalProperties.Schema); err != nil {
			return nil, err
		}
	}
	if len(b.defaults) == 0 && len(b.properties) == 0 && b.items == nil && b.values == nil {
		return nil, nil
	}
	return b, nil
}

func (b *branch) apply(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, p := range b.defaults {
			if value[p.name] == nil {
				value[p.name] = runtime.DeepCopyJSONValue(p.value)
			}
		}
		for name, child := range b.properties {
			if below, ok := value[name]; ok {
				child.apply(below)
			}
		}
		if b.values != nil {
			for _, below := range value {
				b.values.apply(below)
			}
		}
	case []any:
		if b.items != nil {
			for _, below := range value {
				b.items.apply(below)
			}
		}
	}
}
