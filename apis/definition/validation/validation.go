// Package validation tells what the API server would say to an object of one of our kinds, with the API server's own code:
// schema, rules and all.
package validation

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/function-chroma/function-chroma/apis/definition"
)

// A Validator of one kind.
type Validator struct {
	structural *structuralschema.Structural
	strategy   strategy
}

// strategy is the API server's for custom resources.
type strategy interface {
	Validate(ctx context.Context, object runtime.Object) field.ErrorList
	ValidateUpdate(ctx context.Context, object, old runtime.Object) field.ErrorList
}

// New compiles the schema and the rules of a kind. This takes tenths of a second: keep the Validator.
func New(kind definition.Kind) (*Validator, error) {
	crd, err := definition.CustomResourceDefinition(kind)
	if err != nil {
		return nil, err
	}
	if len(crd.Spec.Versions) != 1 {
		return nil, fmt.Errorf("cannot validate %s: it has %d versions", kind, len(crd.Spec.Versions))
	}
	version := crd.Spec.Versions[0]

	props := &apiextensions.JSONSchemaProps{}
	if err := extv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, props, nil); err != nil {
		return nil, fmt.Errorf("cannot convert the schema of %s: %w", kind, err)
	}
	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		return nil, fmt.Errorf("cannot read the schema of %s: %w", kind, err)
	}
	whole, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return nil, fmt.Errorf("cannot compile the schema of %s: %w", kind, err)
	}
	status := props.Properties["status"]
	statusOnly, _, err := validation.NewSchemaValidator(&status)
	if err != nil {
		return nil, fmt.Errorf("cannot compile the schema of the status of %s: %w", kind, err)
	}

	gvk := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}
	return &Validator{
		structural: structural,
		strategy: customresource.NewStrategy(nil, crd.Spec.Scope == extv1.NamespaceScoped, gvk, whole, statusOnly, structural,
			&apiextensions.CustomResourceSubresourceStatus{}, nil, nil),
	}, nil
}

// Validate tells why the API server would refuse to create the object, or, with an old one, to update it. It is empty for
// an object that would be accepted. Both are defaulted first, and fields that the schema does not know are ignored, as the
// API server does. Neither is changed.
func (v *Validator) Validate(object, old map[string]any) field.ErrorList {
	created, err := v.admit(object)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	if old == nil {
		return v.strategy.Validate(context.Background(), created)
	}
	existing, err := v.admit(old)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	// An update carries the version of what it updates.
	existing.SetResourceVersion("1")
	created.SetResourceVersion("1")
	return v.strategy.ValidateUpdate(context.Background(), created, existing)
}

// UnknownFields are the paths of an object's fields that the schema does not know. The API server drops them, and kubectl
// refuses them unless told otherwise.
func (v *Validator) UnknownFields(object map[string]any) ([]string, error) {
	copied, err := copyJSON(object)
	if err != nil {
		return nil, err
	}
	return pruning.PruneWithOptions(copied, v.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}), nil
}

// admit is what happens to an object before it is validated.
func (v *Validator) admit(object map[string]any) (*unstructured.Unstructured, error) {
	copied, err := copyJSON(object)
	if err != nil {
		return nil, err
	}
	pruning.Prune(copied, v.structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(copied, v.structural)
	defaulting.Default(copied, v.structural)
	return &unstructured.Unstructured{Object: copied}, nil
}

// copyJSON also turns whole numbers into integers, which the rules need: elsewhere they come as floating point.
func copyJSON(object map[string]any) (map[string]any, error) {
	u := &unstructured.Unstructured{}
	raw, err := (&unstructured.Unstructured{Object: object}).MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("cannot marshal the object: %w", err)
	}
	if err := u.UnmarshalJSON(raw); err != nil {
		return nil, fmt.Errorf("cannot unmarshal the object: %w", err)
	}
	return u.Object, nil
}
