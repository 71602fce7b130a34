package main

import (
	"fmt"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

// Bounds of quantities, enough for what a person writes. Without them the API server reckons with quantities of
// megabytes, and thousands of them, when it estimates the cost of a rule, and refuses the rule.
const (
	maxQuantityLength = int64(64)
	maxQuantities     = int64(32)
)

// parsed types of the API.
type parsed struct {
	parser *crd.Parser
	roots  []*loader.Package
}

// parse the types of the API.
func parse(context *genall.GenerationContext) parsed {
	parser := &crd.Parser{Collector: context.Collector, Checker: context.Checker}
	crd.AddKnownTypes(parser)
	for _, root := range context.Roots {
		parser.NeedPackage(root)
	}
	return parsed{parser: parser, roots: context.Roots}
}

// find the definition of a kind whose type lives in the package at this path below the root of the module.
func (p parsed) find(path, kind string) (*extv1.CustomResourceDefinition, error) {
	for _, root := range p.roots {
		if !strings.HasSuffix(root.PkgPath, "/"+path) {
			continue
		}
		group := schema.GroupKind{Group: p.parser.GroupVersions[root].Group, Kind: kind}
		p.parser.NeedCRDFor(group, nil)
		if len(root.Errors) > 0 {
			return nil, fmt.Errorf("cannot read the type %s: %w", kind, root.Errors[0])
		}
		definition, ok := p.parser.CustomResourceDefinitions[group]
		if !ok || len(definition.Spec.Versions) != 1 {
			return nil, fmt.Errorf("cannot read the type %s: it needs exactly one version", kind)
		}
		crd.FixTopLevelMetadata(definition)
		tidy(definition.Spec.Versions[0].Schema.OpenAPIV3Schema)
		return &definition, nil
	}
	return nil, fmt.Errorf("cannot find the package %s", path)
}

// tidy bounds quantities and drops what Kubernetes documents elsewhere: with the descriptions below an affinity the
// definition would not fit into the annotation of a client-side kubectl apply, 256 KiB.
func tidy(node *extv1.JSONSchemaProps) {
	if isQuantity(node) {
		node.MaxLength = new(maxQuantityLength)
	}
	for name, child := range node.Properties {
		tidy(&child)
		if name == "affinity" {
			dropDescriptions(child.Properties)
		}
		node.Properties[name] = child
	}
	if node.Items != nil && node.Items.Schema != nil {
		tidy(node.Items.Schema)
	}
	if node.AdditionalProperties != nil && node.AdditionalProperties.Schema != nil {
		tidy(node.AdditionalProperties.Schema)
		if isQuantity(node.AdditionalProperties.Schema) {
			node.MaxProperties = new(maxQuantities)
		}
	}
}

// isQuantity tells a resource.Quantity, which has a pattern, from an intstr.IntOrString.
func isQuantity(node *extv1.JSONSchemaProps) bool { return node.XIntOrString && node.Pattern != "" }

func dropDescriptions(properties map[string]extv1.JSONSchemaProps) {
	for name, child := range properties {
		child.Description = ""
		dropDescriptions(child.Properties)
		if child.Items != nil && child.Items.Schema != nil {
			child.Items.Schema.Description = ""
			dropDescriptions(child.Items.Schema.Properties)
		}
		properties[name] = child
	}
}
