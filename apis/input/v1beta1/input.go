package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Input configures the function for one composition step. Everything is optional.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:categories=crossplane
type Input struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Images says which images may run.
	// +optional
	Images *Images `json:"images,omitempty"`

	// Claims says how the claims of single-node Chromas are made.
	// +optional
	Claims *Claims `json:"claims,omitempty"`

	// Security of the single-node server's Pod.
	// +optional
	Security *Security `json:"security,omitempty"`

	// Checks of the Postgres and the bucket of a distributed Chroma.
	// +optional
	Checks *Checks `json:"checks,omitempty"`

	// Vald configures what a ValdOperatorRelease gives.
	// +optional
	Vald *Vald `json:"vald,omitempty"`
}

// Images says which images may run.
type Images struct {
	// Default image of a Chroma that names none: an exact version in an allowed repository. Without it the function's
	// environment variable CHROMA_DEFAULT_IMAGE counts, then docker.io/chromadb/chroma:1.5.9.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Default string `json:"default,omitempty"`

	// Allowed repositories: a repository, "<path>/*" for every repository below a path, or "*" for any. Without it the
	// function's environment variable CHROMA_ALLOWED_IMAGES counts, then the repositories of Chroma, VecturaDB and the
	// nine images of distributed Chroma.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=512
	// +listType=atomic
	Allowed []string `json:"allowed,omitempty"`
}

// Claims says how the claims of single-node Chromas are made.
type Claims struct {
	// ProviderConfigRef is the configuration with which provider-kubernetes writes the claims. It must point to this
	// cluster.
	// +optional
	ProviderConfigRef *ProviderConfigReference `json:"providerConfigRef,omitempty"`

	// AccessMode of new claims; existing ones keep theirs. ReadWriteOncePod additionally keeps a second Pod off the
	// volume, where the CSI driver has it.
	// +optional
	// +kubebuilder:default=ReadWriteOnce
	// +kubebuilder:validation:Enum=ReadWriteOnce;ReadWriteOncePod
	AccessMode corev1.PersistentVolumeAccessMode `json:"accessMode,omitempty"`
}

// A ProviderConfigKind of provider-kubernetes.
// +kubebuilder:validation:Enum=ProviderConfig;ClusterProviderConfig
type ProviderConfigKind string

// The kinds.
const (
	ProviderConfigKindNamespaced ProviderConfigKind = "ProviderConfig"
	ProviderConfigKindCluster    ProviderConfigKind = "ClusterProviderConfig"
)

// ProviderConfigReference names a configuration of provider-kubernetes.
type ProviderConfigReference struct {
	// Kind of the configuration: ProviderConfig, in the namespace of the Chroma, or ClusterProviderConfig.
	// +optional
	// +kubebuilder:default=ClusterProviderConfig
	Kind ProviderConfigKind `json:"kind,omitempty"`

	// Name of the configuration.
	// +optional
	// +kubebuilder:default=default
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}

// An IDAssignment says who chooses the user and groups of a Pod.
// +kubebuilder:validation:Enum=Function;Platform
type IDAssignment string

// The assignments.
const (
	IDAssignmentFunction IDAssignment = "Function"
	IDAssignmentPlatform IDAssignment = "Platform"
)

// Security of the single-node server's Pod. The Pod is non-root with a read-only root filesystem whatever stands here.
//
// +kubebuilder:validation:XValidation:rule="!has(self.assignment) || self.assignment != 'Platform' || !(has(self.runAsUser) || has(self.runAsGroup) || has(self.fsGroup))",message="with assignment Platform leave out runAsUser, runAsGroup and fsGroup: the platform assigns them"
type Security struct {
	// Assignment is Function, the numbers below stand on the Pod, or Platform, the Pod names no user and no groups and
	// the platform assigns them, as OpenShift does from the ranges of the namespace.
	// +optional
	// +kubebuilder:default=Function
	Assignment IDAssignment `json:"assignment,omitempty"`

	// RunAsUser of the server. Never 0.
	// +optional
	// +kubebuilder:validation:Minimum=1
	RunAsUser *int64 `json:"runAsUser,omitempty"`

	// RunAsGroup of the server.
	// +optional
	// +kubebuilder:validation:Minimum=1
	RunAsGroup *int64 `json:"runAsGroup,omitempty"`

	// FSGroup that owns the volume: without one the server cannot write to a volume that belongs to root.
	// +optional
	// +kubebuilder:validation:Minimum=1
	FSGroup *int64 `json:"fsGroup,omitempty"`
}

// A CheckMode says whether the function connects to the Postgres and the bucket of a distributed Chroma.
// +kubebuilder:validation:Enum=Enabled;Disabled
type CheckMode string

// The modes.
const (
	CheckModeEnabled  CheckMode = "Enabled"
	CheckModeDisabled CheckMode = "Disabled"
)

// Checks of the Postgres and the bucket of a distributed Chroma.
type Checks struct {
	// Mode is Enabled or Disabled.
	// +optional
	// +kubebuilder:default=Enabled
	Mode CheckMode `json:"mode,omitempty"`

	// Hosts that the checks may connect to.
	// +optional
	Hosts *CheckHosts `json:"hosts,omitempty"`
}

// CheckHosts limits what the checks connect to, so that nobody uses the function to scan a network.
type CheckHosts struct {
	// Allowed hosts, "*.<domain>" or networks like 10.0.0.0/8. An entry lifts the refusal of loopback, link-local and
	// metadata addresses for what it names.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	// +listType=atomic
	Allowed []string `json:"allowed,omitempty"`

	// Denied hosts, "*.<domain>" or networks. They are refused after name resolution too.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	// +listType=atomic
	Denied []string `json:"denied,omitempty"`
}
