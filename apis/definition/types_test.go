package definition

import (
	"encoding/json"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	chromav1alpha1 "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
)

// TestTypesAndDefinition holds the Go types against what the API server would know. Crossplane fails to write a whole
// status, conditions included, when one field of it is not declared.
func TestTypesAndDefinition(t *testing.T) {
	cases := map[string]struct {
		reason       string
		kind         Kind
		spec, status reflect.Type
		// injected by Crossplane into the spec.
		injected []string
	}{
		"Chroma": {
			reason: "The namespaced kind has Crossplane's fields below spec.crossplane.",
			kind:   KindChroma, spec: reflect.TypeFor[chromav1alpha1.ChromaSpec](), status: reflect.TypeFor[chromav1alpha1.ChromaStatus](),
			injected: []string{"crossplane"},
		},
		"XChroma": {
			reason: "The kind behind a claim has Crossplane's fields in the spec and the status itself.",
			kind:   KindXChroma, spec: reflect.TypeFor[chromav1alpha1.ChromaSpec](), status: reflect.TypeFor[chromav1alpha1.ChromaStatus](),
			injected: []string{
				"claimConditionTypes", "claimRef", "compositionRef", "compositionRevisionRef", "compositionRevisionSelector",
				"compositionSelector", "compositionUpdatePolicy", "connectionDetails", "resourceRefs", "writeConnectionSecretToRef",
			},
		},
		"ValdOperatorRelease": {
			reason: "The namespaced kind has Crossplane's fields below spec.crossplane.",
			kind:   KindValdOperatorRelease, spec: reflect.TypeFor[valdv1.ValdOperatorReleaseSpec](),
			status:   reflect.TypeFor[valdv1.ValdOperatorReleaseStatus](),
			injected: []string{"crossplane"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			crd, err := CustomResourceDefinition(tc.kind)
			if err != nil {
				t.Fatal(err)
			}
			root := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
			for part, typ := range map[string]reflect.Type{"spec": tc.spec, "status": tc.status} {
				props := root.Properties[part]
				for _, injected := range tc.injected {
					delete(props.Properties, injected)
				}
				want, got := fieldsOfType(typ, part), fieldsOfSchema(&props, part)
				if part == "status" {
					// Crossplane declares its conditions, with the fields of a Kubernetes condition.
					want, got = without(want, "status.conditions[]."), without(got, "status.conditions[].")
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("\n%s\nfields of %s: -Go type, +definition:\n%s", tc.reason, part, diff)
				}
			}
		})
	}
}

// fieldsOfType are the paths of a Go type's JSON fields. A type with a JSON form of its own, like a Quantity, has none.
func fieldsOfType(typ reflect.Type, path string) []string {
	if typ.Kind() == reflect.Pointer {
		return fieldsOfType(typ.Elem(), path)
	}
	if reflect.PointerTo(typ).Implements(reflect.TypeFor[json.Marshaler]()) {
		return nil
	}
	paths := []string{}
	switch typ.Kind() {
	case reflect.Slice:
		paths = append(paths, fieldsOfType(typ.Elem(), path+"[]")...)
	case reflect.Map:
		paths = append(paths, fieldsOfType(typ.Elem(), path+"{}")...)
	case reflect.Struct:
		for field := range typ.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" {
				paths = append(paths, fieldsOfType(field.Type, path)...)
				continue
			}
			paths = append(paths, path+"."+name)
			paths = append(paths, fieldsOfType(field.Type, path+"."+name)...)
		}
	}
	sort.Strings(paths)
	return paths
}

// fieldsOfSchema are the paths of a schema's properties.
func fieldsOfSchema(node *extv1.JSONSchemaProps, path string) []string {
	paths := []string{}
	for name, child := range node.Properties {
		paths = append(paths, path+"."+name)
		paths = append(paths, fieldsOfSchema(&child, path+"."+name)...)
	}
	if node.Items != nil {
		paths = append(paths, fieldsOfSchema(node.Items.Schema, path+"[]")...)
	}
	if node.AdditionalProperties != nil && node.AdditionalProperties.Schema != nil {
		paths = append(paths, fieldsOfSchema(node.AdditionalProperties.Schema, path+"{}")...)
	}
	sort.Strings(paths)
	return paths
}

func without(paths []string, prefix string) []string {
	kept := make([]string, 0, len(paths))
	for _, path := range paths {
		if !strings.HasPrefix(path, prefix) {
			kept = append(kept, path)
		}
	}
	return kept
}
