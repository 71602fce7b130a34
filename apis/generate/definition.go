package main

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	xpv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	xpv2 "github.com/crossplane/crossplane/apis/v2/apiextensions/v2"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// compositePrefix makes the kind of the cluster-scoped XR behind a claim from the kind of the claim.
const compositePrefix = "X"

// header of every generated YAML.
const header = "# Generated from the Go types by `go generate ./apis/...`. Edit the types, not this file.\n"

// namespacedDefinition is the XRD of a namespaced kind.
func namespacedDefinition(definition *extv1.CustomResourceDefinition) ([]byte, error) {
	version := definition.Spec.Versions[0]
	schema, err := compositeSchema(version)
	if err != nil {
		return nil, err
	}
	xrd := &xpv2.CompositeResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: xpv2.SchemeGroupVersion.String(), Kind: xpv2.CompositeResourceDefinitionKind},
		ObjectMeta: metav1.ObjectMeta{Name: definition.Name},
		Spec: xpv2.CompositeResourceDefinitionSpec{
			Group: definition.Spec.Group,
			Names: definition.Spec.Names,
			Scope: xpv2.CompositeResourceScopeNamespaced,
			Versions: []xpv2.CompositeResourceDefinitionVersion{{
				Name:                     version.Name,
				Served:                   true,
				Referenceable:            true,
				AdditionalPrinterColumns: version.AdditionalPrinterColumns,
				Schema:                   &xpv2.CompositeResourceValidation{OpenAPIV3Schema: schema},
			}},
		},
	}
	return document(xrd, header)
}

// claimDefinition is the XRD that serves the kind as a claim of a cluster-scoped XR.
func claimDefinition(definition *extv1.CustomResourceDefinition) ([]byte, error) {
	version := definition.Spec.Versions[0]
	schema, err := compositeSchema(version)
	if err != nil {
		return nil, err
	}
	names := definition.Spec.Names
	scope := xpv1.CompositeResourceScopeLegacyCluster
	xrd := &xpv1.CompositeResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: xpv1.SchemeGroupVersion.String(), Kind: xpv1.CompositeResourceDefinitionKind},
		ObjectMeta: metav1.ObjectMeta{Name: strings.ToLower(compositePrefix) + definition.Name},
		Spec: xpv1.CompositeResourceDefinitionSpec{
			Group: definition.Spec.Group,
			Names: extv1.CustomResourceDefinitionNames{
				Kind:     compositePrefix + names.Kind,
				ListKind: compositePrefix + names.ListKind,
				Plural:   strings.ToLower(compositePrefix) + names.Plural,
				Singular: strings.ToLower(compositePrefix) + names.Singular,
			},
			ClaimNames: &names,
			Scope:      &scope,
			Versions: []xpv1.CompositeResourceDefinitionVersion{{
				Name:                     version.Name,
				Served:                   true,
				Referenceable:            true,
				AdditionalPrinterColumns: version.AdditionalPrinterColumns,
				Schema:                   &xpv1.CompositeResourceValidation{OpenAPIV3Schema: schema},
			}},
		},
	}
	return document(xrd, header+
		"#\n# "+names.Kind+" as a claim, for clusters that use claims. Install either this definition or the namespaced one, never\n"+
		"# both: the two serve the same kind.\n")
}

// compositeSchema is what of a type's schema belongs into an XRD. Crossplane adds metadata, the type and
// status.conditions itself, and would let its own spec fields override ours.
func compositeSchema(version extv1.CustomResourceDefinitionVersion) (runtime.RawExtension, error) {
	schema := version.Schema.OpenAPIV3Schema.DeepCopy()
	for _, injected := range []string{"apiVersion", "kind", "metadata"} {
		delete(schema.Properties, injected)
	}
	if status, ok := schema.Properties["status"]; ok {
		delete(status.Properties, "conditions")
		schema.Properties["status"] = status
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		return runtime.RawExtension{}, fmt.Errorf("cannot marshal the schema: %w", err)
	}
	return runtime.RawExtension{Raw: raw}, nil
}

// composition has the function as its one step.
func composition(kind Kind, definition *extv1.CustomResourceDefinition, composite string) ([]byte, error) {
	plural := definition.Spec.Names.Plural
	if composite != kind.Name {
		plural = strings.ToLower(compositePrefix) + plural
	}
	object := &xpv1.Composition{
		TypeMeta:   metav1.TypeMeta{APIVersion: xpv1.SchemeGroupVersion.String(), Kind: xpv1.CompositionKind},
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + definition.Spec.Group},
		Spec: xpv1.CompositionSpec{
			CompositeTypeRef: xpv1.TypeReference{
				APIVersion: definition.Spec.Group + "/" + definition.Spec.Versions[0].Name,
				Kind:       composite,
			},
			Mode: xpv1.CompositionModePipeline,
			Pipeline: []xpv1.PipelineStep{{
				Step:        kind.Step,
				FunctionRef: xpv1.FunctionReference{Name: functionName},
			}},
		},
	}
	return document(object, header+
		"#\n# The step takes an input (chroma.fn.crossplane.io/v1beta1, kind Input), all of it optional.\n")
}

// addInput adds the schema of the Input, as packages of functions carry it.
func addInput(files map[string][]byte, definitions parsed) error {
	definition, err := definitions.find(inputPackage, inputKind)
	if err != nil {
		return err
	}
	name := path.Join(inputFolder, definition.Spec.Group+"_"+definition.Spec.Names.Plural+".yaml")
	files[name], err = document(definition, header)
	return err
}

// document is an object as YAML with sorted keys, without its status.
func document(object any, comment string) ([]byte, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("cannot marshal: %w", err)
	}
	content := map[string]any{}
	if err := yaml.Unmarshal(raw, &content); err != nil {
		return nil, fmt.Errorf("cannot unmarshal: %w", err)
	}
	delete(content, "status")
	out, err := yaml.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("cannot marshal: %w", err)
	}
	return append([]byte(comment+"---\n"), out...), nil
}
