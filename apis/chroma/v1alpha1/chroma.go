package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Mode of running Chroma.
// +kubebuilder:validation:Enum=single-node;distributed
type Mode string

// The modes.
const (
	ModeSingleNode  Mode = "single-node"
	ModeDistributed Mode = "distributed"
)

// A Product that serves the API of Chroma.
// +kubebuilder:validation:Enum=chroma;vecturadb
type Product string

// The products.
const (
	ProductChroma    Product = "chroma"
	ProductVecturaDB Product = "vecturadb"
)

// A PVCDeletionPolicy says what happens to the claim when its Chroma is deleted.
// +kubebuilder:validation:Enum=Retain;Delete
type PVCDeletionPolicy string

// The policies.
const (
	PVCRetain PVCDeletionPolicy = "Retain"
	PVCDelete PVCDeletionPolicy = "Delete"
)

// +kubebuilder:object:root=true

// Chroma is a Chroma 1.x (or VecturaDB) server whose data outlives upgrades, rollbacks, edits and crashes, or a
// distributed Chroma on a Postgres and an S3 bucket that exist.
type Chroma struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ChromaSpec `json:"spec"`
	// +optional
	Status ChromaStatus `json:"status,omitempty"`
}

// ChromaSpec is what a person asks for.
type ChromaSpec struct {
	// Mode is single-node, one server on one claim, or distributed, the objects of Chroma's chart. It cannot change.
	// +optional
	// +kubebuilder:default=single-node
	Mode Mode `json:"mode,omitempty"`

	// Image of Chroma or VecturaDB with an exact version tag, optionally followed by @sha256:<digest>.
	// Empty: the function's default image, which then stays the image of this Chroma.
	// +optional
	Image string `json:"image,omitempty"`

	// Product of an image whose repository is not known, like a mirror. Leave it empty for the repositories of Chroma
	// and VecturaDB.
	// +optional
	Product Product `json:"product,omitempty"`

	// ImagePullPolicy of the server's container.
	// +optional
	// +kubebuilder:default=IfNotPresent
	// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
	ImagePullPolicy corev1.PullPolicy `json:"imagePullPolicy,omitempty"`

	// Storage of a single-node Chroma.
	// +optional
	Storage *Storage `json:"storage,omitempty"`

	// Resources of the server's container.
	// +optional
	Resources *Resources `json:"resources,omitempty"`

	// Config is the part of Chroma's configuration file that can be set.
	// +optional
	Config *Config `json:"config,omitempty"`

	// Service through which clients reach the server.
	// +optional
	Service *Service `json:"service,omitempty"`

	// PVCDeletionPolicy says what happens to the claim when this Chroma is deleted. Whether the volume goes with the
	// claim depends on the reclaim policy of its StorageClass.
	// +optional
	// +kubebuilder:default=Retain
	PVCDeletionPolicy PVCDeletionPolicy `json:"pvcDeletionPolicy,omitempty"`

	// NodeSelector of the Pod.
	// +optional
	// +mapType=atomic
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// Tolerations of the Pod.
	// +optional
	// +listType=atomic
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// PriorityClassName of the Pod.
	// +optional
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// Distributed describes a distributed Chroma. Only with mode distributed, and required there.
	// +optional
	Distributed *Distributed `json:"distributed,omitempty"`
}

// Storage of a single-node Chroma.
type Storage struct {
	// Size of the claim, like 10Gi. It can grow where the StorageClass allows expansion, and never shrink.
	Size *resource.Quantity `json:"size,omitempty"`

	// StorageClass of the claim. Empty: the default class of the cluster. It cannot change once the claim exists.
	// +optional
	StorageClass string `json:"storageClass,omitempty"`
}

// Resources of a container: CPU, memory and the like.
type Resources struct {
	// Requests: what the scheduler reserves.
	// +optional
	Requests corev1.ResourceList `json:"requests,omitempty"`

	// Limits: what the container may use at most.
	// +optional
	Limits corev1.ResourceList `json:"limits,omitempty"`
}

// Config is the part of Chroma's configuration file that can be set.
type Config struct {
	// MaxPayloadSizeBytes is the largest request body the server accepts, in bytes. Chroma's own default is 40 MiB.
	// +optional
	// +kubebuilder:validation:Minimum=1
	MaxPayloadSizeBytes *int64 `json:"maxPayloadSizeBytes,omitempty"`

	// CORSAllowOrigins are the origins that browsers may call the server from, compared exactly (no trailing slash).
	// "*" alone allows any.
	// +optional
	// +listType=atomic
	CORSAllowOrigins []string `json:"corsAllowOrigins,omitempty"`
}

// Service through which clients reach the server.
type Service struct {
	// Type of the Service.
	// +optional
	// +kubebuilder:default=ClusterIP
	// +kubebuilder:validation:Enum=ClusterIP;NodePort;LoadBalancer
	Type corev1.ServiceType `json:"type,omitempty"`

	// Annotations of the Service, for a load balancer for instance.
	// +optional
	// +mapType=atomic
	Annotations map[string]string `json:"annotations,omitempty"`
}
