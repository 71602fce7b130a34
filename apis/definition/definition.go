// Package definition is what the API server knows of the kinds: their CustomResourceDefinitions as Crossplane makes them,
// and their defaults. It stays free of the API server's validation, which package validation has.
package definition

import (
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	xpv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	xpcore "github.com/crossplane/crossplane/apis/v2/core/v2"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/apis"
)

// A Kind that an API server serves once one of our definitions is installed.
type Kind string

// The kinds. KindChroma and KindChromaClaim serve the same kind of object and are alternatives: a cluster has one of them.
const (
	// KindChroma is the namespaced Chroma.
	KindChroma Kind = "Chroma"
	// KindChromaClaim is the Chroma that is a claim of an XChroma.
	KindChromaClaim Kind = "Chroma claim"
	// KindXChroma is the cluster-scoped XR behind a claim.
	KindXChroma Kind = "XChroma"
	// KindValdOperatorRelease is the namespaced ValdOperatorRelease.
	KindValdOperatorRelease Kind = "ValdOperatorRelease"
)

// Kinds are all kinds.
func Kinds() []Kind {
	return []Kind{KindChroma, KindChromaClaim, KindXChroma, KindValdOperatorRelease}
}

// Path of the definition of the kind, below the folder apis. Empty: no kind of ours.
func (k Kind) Path() string {
	switch k {
	case KindChroma:
		return "chroma/definition.yaml"
	case KindChromaClaim, KindXChroma:
		return "claims/definition.yaml"
	case KindValdOperatorRelease:
		return "vald/definition.yaml"
	default:
		return ""
	}
}

// CustomResourceDefinition of a kind, made by the code with which Crossplane makes it.
func CustomResourceDefinition(kind Kind) (*extv1.CustomResourceDefinition, error) {
	raw, err := apis.Files().ReadFile(kind.Path())
	if err != nil {
		return nil, fmt.Errorf("cannot read the definition of %s: %w", kind, err)
	}
	return Derive(kind, raw)
}

// Derive the CustomResourceDefinition of a kind from the YAML of its definition.
func Derive(kind Kind, definition []byte) (*extv1.CustomResourceDefinition, error) {
	// Crossplane's own code takes version 1 of a definition for version 2 too, of which it is a superset.
	xrd := &xpv1.CompositeResourceDefinition{}
	if err := yaml.UnmarshalStrict(definition, xrd); err != nil {
		return nil, fmt.Errorf("cannot parse the definition of %s: %w", kind, err)
	}
	// The API server sets these two when the definition is installed.
	xrd.Spec.DefaultCompositionUpdatePolicy = ptr.To(xpcore.UpdateAutomatic)
	xrd.Spec.DefaultCompositeDeletePolicy = ptr.To(xpcore.CompositeDeleteBackground)

	derive := xcrd.ForCompositeResource
	if kind == KindChromaClaim {
		derive = xcrd.ForCompositeResourceClaim
	}
	crd, err := derive(xrd)
	if err != nil {
		return nil, fmt.Errorf("cannot derive the CustomResourceDefinition of %s: %w", kind, err)
	}
	return crd, nil
}
