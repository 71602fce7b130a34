package v1beta1

import "k8s.io/apimachinery/pkg/runtime"

// A Delivery of ValdReleases.
// +kubebuilder:validation:Enum=Local;Objects
type Delivery string

// The deliveries.
const (
	DeliveryLocal   Delivery = "Local"
	DeliveryObjects Delivery = "Objects"
)

// Vald configures what a ValdOperatorRelease gives.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.defaultTemplate) && has(self.defaultTemplateFrom))",message="set defaultTemplate or defaultTemplateFrom, not both"
type Vald struct {
	// Config is the Vald operator's own configuration document, unchanged: operator, with its keys in snake case.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	Config *runtime.RawExtension `json:"config,omitempty"`

	// DefaultTemplate is the ValdRelease over which everything is layered. Without one: the template that the Vald
	// operator ships.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	DefaultTemplate *runtime.RawExtension `json:"defaultTemplate,omitempty"`

	// DefaultTemplateFrom takes the template from elsewhere.
	// +optional
	DefaultTemplateFrom *DefaultTemplateSource `json:"defaultTemplateFrom,omitempty"`

	// Delivery is Local, the ValdReleases are composed beside the ValdOperatorRelease, or Objects, each is wrapped in an
	// Object of provider-kubernetes and written to its own cluster.
	// +optional
	// +kubebuilder:default=Local
	Delivery Delivery `json:"delivery,omitempty"`

	// ProviderConfigName is a template of the name of the configuration with which provider-kubernetes reaches a
	// cluster. {id}, {name}, {role} and {type} stand for those of the cluster. Empty: the cluster's id.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ProviderConfigName string `json:"providerConfigName,omitempty"`
}

// DefaultTemplateSource says where the template is.
type DefaultTemplateSource struct {
	// ConfigMap in the namespace of the ValdOperatorRelease.
	ConfigMap ConfigMapKeyReference `json:"configMap"`
}

// ConfigMapKeyReference names one key of a ConfigMap.
type ConfigMapKeyReference struct {
	// Name of the ConfigMap.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// Key whose value is the template.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}
