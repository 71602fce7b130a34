// Package v1alpha1 is the API of Chroma: chroma.chromadotnet.org/v1alpha1.
//
// These types are the one source of the API. The XRDs beside this package are generated from them, the function and
// the plugin read and write them, and a test fails when one of the three drifts.
//
// +kubebuilder:object:generate=true
// +groupName=chroma.chromadotnet.org
package v1alpha1

import "k8s.io/apimachinery/pkg/runtime/schema"

// The names of the API.
const (
	Group   = "chroma.chromadotnet.org"
	Version = "v1alpha1"

	// Kind is the kind people write: a namespaced XR, or the claim of KindXChroma.
	Kind = "Chroma"
	// KindXChroma is the cluster-scoped XR behind a claim, on clusters that use claims.
	KindXChroma = "XChroma"
)

// GroupVersion of the API.
func GroupVersion() schema.GroupVersion { return schema.GroupVersion{Group: Group, Version: Version} }

// GroupVersionKind of a Chroma.
func GroupVersionKind() schema.GroupVersionKind { return GroupVersion().WithKind(Kind) }
