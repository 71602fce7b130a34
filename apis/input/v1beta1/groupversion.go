// Package v1beta1 is the Input of the composition step: chroma.fn.crossplane.io/v1beta1.
//
// Crossplane hands a step's Input to the function as it stands in the Composition: no API server validates or defaults
// it. The generated schema serves editors and `crossplane composition render`; the function checks everything itself.
//
// +kubebuilder:object:generate=true
// +groupName=chroma.fn.crossplane.io
// +versionName=v1beta1
package v1beta1

import "k8s.io/apimachinery/pkg/runtime/schema"

// The names of the API.
const (
	Group   = "chroma.fn.crossplane.io"
	Version = "v1beta1"
	Kind    = "Input"
)

// GroupVersionKind of an Input.
func GroupVersionKind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: Group, Version: Version, Kind: Kind}
}
