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

// A Product that serves the API of Chroma. Empty: known by the repository of the image.
// +kubebuilder:validation:Enum="";chroma;vecturadb
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

// Chroma is a Chroma 1.x (or VecturaDB) server whose data outlives upgrades, rollbacks, edits and crashes, or a
// distributed Chroma on a Postgres and an S3 bucket that exist.
//
// The rules about the name hold for the kind that people write. The cluster-scoped XChroma behind a claim has a longer
// name of its own, and the same schema: there the function checks the name of the claim.
//
// +kubebuilder:object:root=true
// +kubebuilder:printcolumn:name="PHASE",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="IMAGE",type=string,JSONPath=`.status.image`
// +kubebuilder:printcolumn:name="DATA",type=string,JSONPath=`.status.dataVersion`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="BLOCKED",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=='UpgradeBlocked')].status`
// +kubebuilder:printcolumn:name="MODE",type=string,priority=1,JSONPath=`.spec.mode`
// +kubebuilder:printcolumn:name="PRODUCT",type=string,priority=1,JSONPath=`.status.dataProduct`
// +kubebuilder:printcolumn:name="VERSION",type=string,priority=1,JSONPath=`.status.version`
// +kubebuilder:printcolumn:name="ENDPOINT",type=string,priority=1,JSONPath=`.status.endpoint`
// +kubebuilder:printcolumn:name="PVC",type=string,priority=1,JSONPath=`.status.pvc`
// +kubebuilder:printcolumn:name="DELETION",type=string,priority=1,JSONPath=`.status.pvcDeletionPolicy`
// +kubebuilder:validation:XValidation:rule=`self.kind != 'Chroma' || size(self.metadata.name) <= 60`,message="the name is too long: choose one of at most 60 characters, so that its Service <name>-rw has a valid name",fieldPath=`.metadata.name`
// +kubebuilder:validation:XValidation:rule=`self.kind != 'Chroma' || self.metadata.name.matches(r'^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')`,message="the name must be a DNS label: lowercase letters, digits and hyphens, without dots, beginning and ending with a letter or digit",fieldPath=`.metadata.name`
// +kubebuilder:validation:XValidation:rule=`self.kind != 'Chroma' || self.spec.mode != 'single-node' || !self.metadata.name.matches(r'^[0-9]')`,message="the name of a single-node Chroma must begin with a letter, since the name of its Service <name>-rw must",fieldPath=`.metadata.name`
type Chroma struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ChromaSpec `json:"spec"`
	// +optional
	Status ChromaStatus `json:"status,omitempty"`
}

// ChromaSpec is what a person asks for.
//
// +kubebuilder:validation:XValidation:rule=`self.mode != 'single-node' || (has(self.storage) && has(self.storage.size))`,message="a single-node Chroma needs storage.size: set the size of its volume, for example storage: {size: 10Gi}",fieldPath=`.storage`,reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule=`self.mode == 'distributed' || !has(self.distributed)`,message="distributed is only for mode distributed: remove it, or create another Chroma with mode: distributed",fieldPath=`.distributed`,reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`self.mode != 'distributed' || has(self.distributed)`,message="mode distributed needs distributed: set its version, postgres and objectStorage",fieldPath=`.distributed`,reason=FieldValueRequired
type ChromaSpec struct {
	// Mode is single-node, one server on one claim, or distributed, the objects of Chroma's chart. It cannot change.
	// +optional
	// +kubebuilder:default=single-node
	// +kubebuilder:validation:XValidation:rule=`self == oldSelf`,message="mode cannot change, since the data of the two modes are not the same: create another Chroma",reason=FieldValueForbidden
	Mode Mode `json:"mode,omitempty"`

	// Image of Chroma or VecturaDB with an exact version tag, optionally followed by @sha256:<digest>.
	// Empty: the function's default image, which then stays the image of this Chroma.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self == '' || self.matches(r'^([a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?(:[0-9]{1,5})?/)?[a-z0-9]+(([._]|__|-+|/)[a-z0-9]+)*:[1-9][0-9]{0,8}[.](0|[1-9][0-9]{0,8})[.](0|[1-9][0-9]{0,8})(-preview[.](0|[1-9][0-9]{0,8}))?(@sha256:[a-f0-9]{64})?$')`,messageExpression=`self.matches(r'-(amd64|arm64)(@|$)') ? 'drop the suffix -amd64 or -arm64 from the tag: the tag without it is the same version for every architecture' : self.matches(r':0[.][0-9]+[.][0-9]+(@|$)') ? 'only Chroma 1.x can run: 0.x has another configuration and another data format' : self.matches(r':v[0-9]') ? 'drop the v from the tag: images are tagged like 1.5.9' : self.matches(r'[.]dev[0-9]+(@|$)') ? 'development tags are unreleased code: use a release like docker.io/chromadb/chroma:1.5.9' : self.matches(r'(^|/)[^:/]+@sha256:') ? 'a digest alone hides the version: put the exact version before it, like docker.io/chromadb/chroma:1.5.9@sha256:<64 hex digits>' : 'image needs an exact version tag of three numbers, like docker.io/chromadb/chroma:1.5.9, or a preview like ghcr.io/vecturadb/vecturadb:1.0.0-preview.3, optionally followed by @sha256:<64 hex digits>'`
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
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// Distributed describes a distributed Chroma. Only with mode distributed, and required there.
	// +optional
	Distributed *Distributed `json:"distributed,omitempty"`
}

// Storage of a single-node Chroma.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.storageClass) ? self.storageClass : "") == (has(oldSelf.storageClass) ? oldSelf.storageClass : "")`,message="storageClass cannot change, since a claim cannot move to another class: create another Chroma and copy the data",fieldPath=`.storageClass`,reason=FieldValueForbidden
type Storage struct {
	// Size of the claim, like 10Gi. It can grow where the StorageClass allows expansion, and never shrink.
	// +optional
	// +kubebuilder:validation:XValidation:rule=`isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0'))`,message="size must be a quantity above 0, like 10Gi"
	Size *resource.Quantity `json:"size,omitempty"`

	// StorageClass of the claim. Empty: the default class of the cluster. It cannot change once the claim exists.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$')`,message="storageClass must be the name of a StorageClass: lowercase letters, digits, hyphens and dots; leave it empty for the default class"
	StorageClass string `json:"storageClass,omitempty"`
}

// Resources of a container: CPU, memory and the like.
//
// +kubebuilder:validation:XValidation:rule=`!has(self.requests) || self.requests.all(name, isQuantity(string(self.requests[name])) && quantity(string(self.requests[name])).compareTo(quantity('0')) >= 0)`,message="requests must be quantities of at least 0, like cpu: 500m or memory: 2Gi",fieldPath=`.requests`
// +kubebuilder:validation:XValidation:rule=`!has(self.limits) || self.limits.all(name, isQuantity(string(self.limits[name])) && quantity(string(self.limits[name])).compareTo(quantity('0')) >= 0)`,message="limits must be quantities of at least 0, like cpu: 500m or memory: 2Gi",fieldPath=`.limits`
// +kubebuilder:validation:XValidation:rule=`!has(self.requests) || !has(self.limits) || self.requests.all(name, !(name in self.limits) || !isQuantity(string(self.requests[name])) || !isQuantity(string(self.limits[name])) || quantity(string(self.requests[name])).compareTo(quantity(string(self.limits[name]))) <= 0)`,message="requests must not be above limits: lower the request or raise the limit",fieldPath=`.requests`
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
	// MaxPayloadSizeBytes is the largest request body the server accepts, in bytes. Chroma's own default is 40 MiB. With
	// 0 Chroma would start and refuse every write. The maximum is the largest whole number that Crossplane hands on exactly.
	// +optional
	// +kubebuilder:validation:XValidation:rule=`self > 0`,message="maxPayloadSizeBytes must be above 0, in bytes: leave it out for Chroma's default of 40 MiB"
	// +kubebuilder:validation:XValidation:rule=`self <= 9007199254740991`,message="maxPayloadSizeBytes must be at most 9007199254740991"
	MaxPayloadSizeBytes *int64 `json:"maxPayloadSizeBytes,omitempty"`

	// CORSAllowOrigins are the origins that browsers may call the server from, compared exactly (no trailing slash).
	// "*" alone allows any.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`!('*' in self) || size(self) == 1`,message="\"*\" allows any origin and must stand alone: remove it or the other origins"
	// +kubebuilder:validation:XValidation:rule=`self.all(origin, !origin.matches(r'[\x00-\x1f\x7f]'))`,message="an origin must not contain control characters like tabs or newlines: write it like https://app.example.com"
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
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule=`self.all(key, size(key) <= 317 && key.matches(r'^([a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?([.][a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$'))`,message="an annotation key is a name of at most 63 letters, digits and - _ . that begins and ends with a letter or digit, optionally after a domain and a slash, like service.beta.kubernetes.io/aws-load-balancer-type"
	// +kubebuilder:validation:XValidation:rule=`self.all(key, !key.contains('crossplane.io/'))`,message="annotations of crossplane.io are Crossplane's own: remove them"
	Annotations map[string]string `json:"annotations,omitempty"`
}
