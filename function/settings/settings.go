// Package settings has what the person who runs the function decides: the Input of the composition step over the
// environment of the function's process over the defaults.
package settings

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/function-chroma/function-chroma/function/image"
	"github.com/function-chroma/function-chroma/function/vald/config"
)

// Settings of one composition step, validated.
type Settings struct {
	Images   Images
	Claims   Claims
	Security Security
	Checks   Checks
	Vald     Vald
}

// Images that may run.
type Images struct {
	// Default image of a Chroma without spec.image.
	Default string
	// Allowed repositories.
	Allowed image.AllowList
}

// Claims is how claims are made.
type Claims struct {
	// ProviderConfig that the Objects refer to.
	ProviderConfig ProviderConfig
	// AccessMode of new claims. ReadWriteOncePod keeps a second Pod of the same node off the volume, where the CSI
	// driver has it.
	AccessMode corev1.PersistentVolumeAccessMode
}

// ProviderConfig of provider-kubernetes.
type ProviderConfig struct {
	Kind, Name string
}

// Security context of the server's Pod. A nil id is left to the platform, as OpenShift wants it.
type Security struct {
	RunAsUser, RunAsGroup, FSGroup *int64
}

// Checks of Postgres and of the bucket of a distributed Chroma.
type Checks struct {
	// Disabled checks nothing.
	Disabled bool
	// HostsAllowed lifts the default refusal of loopback, link-local and metadata addresses for these hosts.
	HostsAllowed []string
	// HostsDenied are never connected to.
	HostsDenied []string
}

// Vald is how ValdReleases are made. Config and DefaultTemplate are read by package vald.
type Vald struct {
	// Config is the configuration document of the Vald operator.
	Config map[string]any
	// DefaultTemplate is a ValdRelease that the computed one is laid over.
	DefaultTemplate map[string]any
	// DefaultTemplateFrom is a ConfigMap in the namespace of the XR that has it.
	DefaultTemplateFrom ConfigMapKey
	// DeliverObjects wraps each ValdRelease in an Object of provider-kubernetes.
	DeliverObjects bool
	// ProviderConfigName is a template for the name of the ProviderConfig of a cluster. Empty: the cluster's id.
	ProviderConfigName string
	// Environment variables that the Vald operator's documentation names. They count below Config.
	Environment config.Environment
	// DefaultTemplateFile is the content of the file that Config, or the environment, names as the default template.
	// Nil: there is no such file.
	DefaultTemplateFile []byte
}

// ConfigMapKey names a key of a ConfigMap.
type ConfigMapKey struct {
	Name, Key string
}
