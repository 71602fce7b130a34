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

// source of a kind: the folder of its definition, and whether the definition's claim is meant.
func (k Kind) source() (folder string, claim bool, err error) {
	switch k {
	case KindChroma:
		return "chroma", false, nil
	case KindChromaClaim:
		return "claims", true, nil
	case KindXChroma:
		return "claims", false, nil
	case KindValdOperatorRelease:
		return "vald", false, nil
	default:
		return "", false, fmt.Errorf("cannot find the definition of kind %q", string(k))
	}
}

// CustomResourceDefinition of a kind, made by the code with which Crossplane makes it.
func CustomResourceDefinition(kind Kind) (*extv1.CustomResourceDefinition, error) {
	folder, claim, err := kind.source()
	if err != nil {
		return nil, err
	}
	raw, err := apis.Files().ReadFile(folder + "/definition.yaml")
	if err != nil {
		return nil, fmt.Errorf("cannot read the definition of %s: %w", kind, err)
	}

	// Crossplane's own code takes version 1 of a definition for version 2 too, of which it is a superset.
	xrd := &xpv1.CompositeResourceDefinition{}
	if err := yaml.UnmarshalStrict(raw, xrd); err != nil {
		return nil, fmt.Errorf("cannot parse the definition of %s: %w", kind, err)
	}
	// The API server sets these two when the definition is installed.
	xrd.Spec.DefaultCompositionUpdatePolicy = ptr.To(xpcore.UpdateAutomatic)
	xrd.Spec.DefaultCompositeDeletePolicy = ptr.To(xpcore.CompositeDeleteBackground)

	derive := xcrd.ForCompositeResource
	if claim {
		derive = xcrd.ForCompositeResourceClaim
	}
	crd, err := derive(xrd)
	if err != nil {
		return nil, fmt.Errorf("cannot derive the CustomResourceDefinition of %s: %w", kind, err)
	}
	return crd, nil
}
