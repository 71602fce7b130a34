package store

import (
	"fmt"
	"slices"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Schema of a custom kind: the openAPIV3Schema of its CustomResourceDefinition.
type Schema = *extv1.JSONSchemaProps

// declared refuses an apply with a field that the kind's schema does not have, as the API server's typed merge does.
func (s *Store) declared(kind schema.GroupVersionKind, intent *unstructured.Unstructured) error {
	root, found := s.config.Schemas[kind]
	if !found {
		return nil
	}
	for _, part := range []string{"spec", "status"} {
		properties, declared := root.Properties[part]
		value, set := intent.Object[part]
		if !set || !declared {
			continue
		}
		if path := undeclared("."+part, value, &properties); path != "" {
			return fmt.Errorf("failed to create typed patch object (%s/%s; %s, Kind=%s): %s: field not declared in schema",
				intent.GetNamespace(), intent.GetName(), kind.GroupVersion(), kind.Kind, path)
		}
	}
	return nil
}

// undeclared is the path of the first field that the schema does not have, in order of names.
func undeclared(path string, value any, schema *extv1.JSONSchemaProps) string {
	if schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields {
		return ""
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range sortedNames(v) {
			field, declared := schema.Properties[name]
			switch {
			case declared:
			case schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil:
				field = *schema.AdditionalProperties.Schema
			case schema.AdditionalProperties != nil && schema.AdditionalProperties.Allows:
				continue
			default:
				return path + "." + name
			}
			if inner := undeclared(path+"."+name, v[name], &field); inner != "" {
				return inner
			}
		}
	case []any:
		if schema.Items == nil || schema.Items.Schema == nil {
			return ""
		}
		for i, item := range v {
			if inner := undeclared(fmt.Sprintf("%s[%d]", strings.TrimSuffix(path, "."), i), item, schema.Items.Schema); inner != "" {
				return inner
			}
		}
	}
	return ""
}

func sortedNames(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
