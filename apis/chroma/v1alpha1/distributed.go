package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Distributed describes a distributed Chroma.
type Distributed struct {
	// Version is the commit of Chroma whose images run: its first 7 characters, or the whole hash. Quote it: YAML takes
	// one like 1234567 or 12e4567 for a number.
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^([0-9a-f]{7}|[0-9a-f]{40})$')`,message="version must be a commit of Chroma: its first 7 hexadecimal characters, like 52ce844, or the whole hash of 40"
	Version string `json:"version"`

	// ImageRegistry is the registry and path of the images.
	// +optional
	// +kubebuilder:default="docker.io/chromadb"
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?(:[0-9]{1,5})?(/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*$')`,message="imageRegistry must be a registry and a path without a tag and without a slash at the end, like docker.io/chromadb or mirror.example.com:5000/chroma"
	ImageRegistry string `json:"imageRegistry,omitempty"`

	// Postgres of the sysdb. It must exist.
	Postgres Postgres `json:"postgres"`

	// ObjectStorage that holds the data. The bucket must exist.
	ObjectStorage ObjectStorage `json:"objectStorage"`

	// Frontend answers the clients.
	// +optional
	// +kubebuilder:validation:XValidation:rule=`!has(self.affinity)`,message="the frontend has no affinity in any version: remove it, or use nodeSelector",fieldPath=`.affinity`,reason=FieldValueForbidden
	Frontend *Component `json:"frontend,omitempty"`
	// SysDB keeps the catalogue in Postgres.
	// +optional
	// +kubebuilder:validation:XValidation:rule=`!has(self.replicas)`,message="the sysdb runs as one replica in every version: remove replicas",fieldPath=`.replicas`,reason=FieldValueForbidden
	// +kubebuilder:validation:XValidation:rule=`!has(self.affinity)`,message="the sysdb has no affinity in any version: remove it, or use nodeSelector",fieldPath=`.affinity`,reason=FieldValueForbidden
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
	// +kubebuilder:validation:XValidation:rule=`!has(self.replicas)`,message="the garbage collector runs as one replica in every version: remove replicas",fieldPath=`.replicas`,reason=FieldValueForbidden
	GarbageCollector *Component `json:"garbageCollector,omitempty"`
	// WorkQueue hands work to the FnConsumer.
	// +optional
	// +kubebuilder:validation:XValidation:rule=`!has(self.replicas) && !has(self.nodeSelector) && !has(self.tolerations) && !has(self.affinity)`,message="the work queue has only resources in every version: remove replicas, nodeSelector, tolerations and affinity",reason=FieldValueForbidden
	WorkQueue *Component `json:"workQueue,omitempty"`
	// FnConsumer runs attached functions.
	// +optional
	// +kubebuilder:validation:XValidation:rule=`!has(self.replicas)`,message="the fn-consumer runs as one replica in every version: remove replicas",fieldPath=`.replicas`,reason=FieldValueForbidden
	FnConsumer *Component `json:"fnConsumer,omitempty"`
}

// Postgres of the sysdb.
type Postgres struct {
	// Host name or IPv4 address. An IPv6 address cannot stand in both forms in which the components need the host.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9.]+$') ? self.matches(r'^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])([.]|$)){4}$') : self.matches(r'^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?([.][a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*$')`,messageExpression=`self.contains(':') ? 'host must be a host name or an IPv4 address: IPv6 addresses do not work, and the port has its own field' : 'host must be a host name, like postgres.databases.svc, or an IPv4 address, like 10.0.0.5'`
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
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9_][A-Za-z0-9_.~-]*$')`,message="database may contain only letters, digits and . _ ~ - and begins with a letter, a digit or _, since it reaches a shell and a URL"
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
	// Endpoint URL of the store, like https://s3.example.com or http://10.43.119.132:8333. Empty: AWS. For a store inside the cluster use the IP address of its Service: Chroma
	// asks for <bucket>.<host> otherwise, which the cluster's DNS does not resolve.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self == '' || self.matches(r'^https?://[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?$')`,messageExpression=`self.contains('[') ? 'endpoint must have a host name or an IPv4 address: IPv6 addresses do not work' : self.contains('://') ? 'endpoint must be a plain URL, like http://10.43.119.132:8333: without user, query, fragment or special characters, since it reaches a shell' : 'endpoint must begin with http:// or https://, like http://10.43.119.132:8333; leave it empty for AWS S3'`
	Endpoint string `json:"endpoint,omitempty"`
	// Bucket name.
	// +optional
	// +kubebuilder:default=chroma-storage
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]+[A-Za-z0-9]$') && !self.contains('..')`,message="bucket must be the name of a bucket: at least 3 letters, digits, dots, hyphens and underscores, like chroma-storage"
	Bucket string `json:"bucket,omitempty"`
	// Region of the bucket.
	// +optional
	// +kubebuilder:default=us-east-1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$')`,message="region must be the name of a region: letters, digits and hyphens, like us-east-1"
	Region string `json:"region,omitempty"`
	// CredentialsSecret has the keys accessKeyId and secretAccessKey. It lives in the namespace of the Chroma.
	CredentialsSecret SecretReference `json:"credentialsSecret"`
}

// SecretReference names a Secret in the namespace of the Chroma.
type SecretReference struct {
	// Name of the Secret.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')`,message="name must be the name of a Secret: lowercase letters, digits, hyphens and dots"
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
	// +kubebuilder:validation:XValidation:rule=`(!has(self.requests) || self.requests.all(name, name in ['cpu', 'memory'])) && (!has(self.limits) || self.limits.all(name, name in ['cpu', 'memory']))`,message="a component has only cpu and memory: remove the other resources, which the chart would drop without a word"
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
