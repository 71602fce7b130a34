// Package v1 is the API of Vald's operator: vald.vdaas.org/v1 ValdOperatorRelease.
//
// Manifests written for the Vald Operator are accepted unchanged. Where that operator notices a value that the
// ValdRelease API refuses only when it writes the ValdRelease, these types refuse it at once.
//
// +kubebuilder:object:generate=true
// +groupName=vald.vdaas.org
package v1

import "k8s.io/apimachinery/pkg/runtime/schema"

// The names of the API.
const (
	Group   = "vald.vdaas.org"
	Version = "v1"

	// Kind is the kind people write.
	Kind = "ValdOperatorRelease"
	// KindValdRelease is the kind that is generated, and consumed by the Vald Helm Operator.
	KindValdRelease = "ValdRelease"
)

// GroupVersion of the API.
func GroupVersion() schema.GroupVersion { return schema.GroupVersion{Group: Group, Version: Version} }

// GroupVersionKind of a ValdOperatorRelease.
func GroupVersionKind() schema.GroupVersionKind { return GroupVersion().WithKind(Kind) }

// ValdReleaseGroupVersionKind of what is generated.
func ValdReleaseGroupVersionKind() schema.GroupVersionKind {
	return GroupVersion().WithKind(KindValdRelease)
}
