package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Distributed describes a distributed Chroma.
type Distributed struct {
	// Version is the commit of Chroma whose images run: its first 7 characters, or the whole hash.
	Version string `json:"version"`

	// ImageRegistry is the registry and path of the images.
	// +optional
	// +kubebuilder:default="docker.io/chromadb"
	ImageRegistry string `json:"imageRegistry,omitempty"`

	// Postgres of the sysdb. It must exist.
	Postgres Postgres `json:"postgres"`

	// ObjectStorage that holds the data. The bucket must exist.
	ObjectStorage ObjectStorage `json:"objectStorage"`

	// Frontend answers the clients.
	// +optional
	Frontend *Component `json:"frontend,omitempty"`
	// SysDB keeps the catalogue in Postgres.
	// +optional
	SysDB *Component `json:"sysdb,omitempty"`
	// LogService takes the writes.
	// +optional
	LogService *Component `json:"logService,omitempty"`
	// QueryService answers queries.
	// +optional
	QueryService *Component `json:"queryService,omitempty"`
	// CompactionService builds the indexes.
	// +optional
	CompactionService *Component `json:"compactionService,omitempty"`
	// GarbageCollector removes what nothing refers to any more.
	// +optional
	GarbageCollector *Component `json:"garbageCollector,omitempty"`
	// WorkQueue hands work to the FnConsumer.
	// +optional
	WorkQueue *Component `json:"workQueue,omitempty"`
	// FnConsumer runs attached functions.
	// +optional
	FnConsumer *Component `json:"fnConsumer,omitempty"`
}

// Postgres of the sysdb.
type Postgres struct {
	// Host name or IPv4 address.
	Host string `json:"host"`
	// Port of the server.
	// +optional
	// +kubebuilder:default=5432
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port,omitempty"`
	// Database of the sysdb.
	// +optional
	// +kubebuilder:default=sysdb
	Database string `json:"database,omitempty"`
	// SSLMode of the connection.
	// +optional
	// +kubebuilder:default=disable
	// +kubebuilder:validation:Enum=disable;require;verify-ca;verify-full
	SSLMode string `json:"sslMode,omitempty"`
	// CredentialsSecret has the keys username and password. It lives in the namespace of the Chroma.
	CredentialsSecret SecretReference `json:"credentialsSecret"`
}

// ObjectStorage that holds the data.
type ObjectStorage struct {
	// S3 bucket.
	S3 S3 `json:"s3"`
}

// S3 is a bucket in AWS S3, or in a store that speaks its protocol.
type S3 struct {
	// Endpoint URL of the store. Empty: AWS. For a store inside the cluster use the IP address of its Service: Chroma
	// asks for <bucket>.<host> otherwise, which the cluster's DNS does not resolve.
	// +optional
	Endpoint string `json:"endpoint,omitempty"`
	// Bucket name.
	// +optional
	// +kubebuilder:default=chroma-storage
	Bucket string `json:"bucket,omitempty"`
	// Region of the bucket.
	// +optional
	// +kubebuilder:default=us-east-1
	Region string `json:"region,omitempty"`
	// CredentialsSecret has the keys accessKeyId and secretAccessKey. It lives in the namespace of the Chroma.
	CredentialsSecret SecretReference `json:"credentialsSecret"`
}

// SecretReference names a Secret in the namespace of the Chroma.
type SecretReference struct {
	// Name of the Secret.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

// Component is what can be set of one component. Which of these fields a component has depends on the version; the
// API refuses a field that no known version has for it.
type Component struct {
	// Replicas: frontend, logService, queryService and compactionService.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Replicas *int32 `json:"replicas,omitempty"`
	// Resources (cpu and memory), merged over those of the chart.
	// +optional
	Resources *Resources `json:"resources,omitempty"`
	// NodeSelector of the Pods.
	// +optional
	// +mapType=atomic
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// Tolerations of the Pods.
	// +optional
	// +listType=atomic
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// Affinity of the Pods.
	// +optional
	Affinity *corev1.Affinity `json:"affinity,omitempty"`
}
