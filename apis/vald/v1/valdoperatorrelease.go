package v1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A LogLevel of Vald. Empty: the next more general one.
// +kubebuilder:validation:Enum="";debug;info;warn;error;fatal
type LogLevel string

// ValdOperatorRelease generates one ValdRelease for each cluster of its active infrastructure entries.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=vor,scope=Namespaced
// +kubebuilder:printcolumn:name="PHASE",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="COMPLETED",type=integer,JSONPath=`.status.progress.completed`
// +kubebuilder:printcolumn:name="TOTAL",type=integer,JSONPath=`.status.progress.total`
type ValdOperatorRelease struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ValdOperatorReleaseSpec `json:"spec"`
	// +optional
	Status ValdOperatorReleaseStatus `json:"status,omitempty"`
}

// ValdOperatorReleaseSpec is where Vald runs, and the little that has to be said about it.
// +kubebuilder:validation:XValidation:rule="self.infrastructure.all(i, i.clusters.all(c, self.infrastructure.exists_one(j, j.clusters.exists(d, d.name == c.name))))",message="the name of a cluster must be unique in the object: each cluster gives a ValdRelease of its name",fieldPath=".infrastructure"
type ValdOperatorReleaseSpec struct {
	// Infrastructure lists groups of clusters, with their machines.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Infrastructure []Infrastructure `json:"infrastructure"`

	// VectorEngine describes the Vald that runs in each of the clusters.
	VectorEngine VectorEngine `json:"vectorEngine"`
}

// Infrastructure is a group of clusters with the same role and machines.
// +kubebuilder:validation:XValidation:rule="self.clusters.all(c, self.clusters.exists_one(d, d.name == c.name))",message="the name of a cluster must be unique in the object: each cluster gives a ValdRelease of its name",fieldPath=".clusters"
type Infrastructure struct {
	// Role is any word, like green and blue, or hot and standby. It becomes a label of the ValdReleases.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$')",message="must be a legal value of a label"
	Role string `json:"role"`

	// Type of the clusters, for information. It becomes a label of the ValdReleases.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$')",message="must be a legal value of a label"
	Type string `json:"type"`

	// Active entries give ValdReleases, others do not.
	Active bool `json:"active"`

	// Clusters of this group.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Clusters []Cluster `json:"clusters"`

	// NodePools by type: general is required and hosts the gateway, the discoverer and the index manager; agent is
	// optional and hosts the agents, which otherwise share the general pool. Other keys mean nothing.
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="'general' in self",message="a pool named general is required: it hosts the gateway, the discoverer and the index manager"
	NodePools map[string]NodePool `json:"nodePools"`
}

// Cluster is one Kubernetes cluster.
type Cluster struct {
	// ID of the cluster, typically filled in by another system. Nothing is generated until every active cluster has
	// one.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=253
	ID string `json:"id"`

	// Name of the cluster. Its ValdRelease is named "<namespace>-<name>", at most 63 characters.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=61
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be part of a legal name: lower case letters, digits, '-' and '.', with a letter or digit first and last"
	Name string `json:"name"`
}

// NodePool is a number of equal machines.
type NodePool struct {
	// Name of the pool, for information.
	// +optional
	// +kubebuilder:default=""
	Name string `json:"name"`

	// Replicas is the number of machines.
	// +kubebuilder:validation:Minimum=0
	Replicas int64 `json:"replicas"`

	// MachineResource is what one machine has.
	MachineResource MachineResource `json:"machineResource"`
}

// MachineResource is what one machine has.
type MachineResource struct {
	// Name of the kind of machine, for information.
	// +optional
	// +kubebuilder:default=""
	Name string `json:"name"`

	// CPU of the machine, like 8 or 3920m.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="isQuantity(self) && quantity(self).compareTo(quantity('0')) >= 0",message="must be a quantity that is not negative, like 8 or 3920m"
	CPU string `json:"cpu"`

	// Memory of the machine, like 32Gi.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="isQuantity(self) && quantity(self).compareTo(quantity('0')) >= 0",message="must be a quantity that is not negative, like 32Gi"
	Memory string `json:"memory"`

	// Storage of the machine, for information.
	// +optional
	Storage string `json:"storage,omitempty"`
}

// VectorEngine is the Vald that runs in each of the clusters.
type VectorEngine struct {
	// Name of it, for information.
	Name string `json:"name"`

	// Vald is the little that has to be said about Vald.
	Vald Vald `json:"vald"`
}

// Vald is the little that has to be said about Vald.
type Vald struct {
	// Defaults of all components.
	// +optional
	// +kubebuilder:default={}
	Defaults Defaults `json:"defaults"`

	// Agent holds the vectors and their index.
	Agent Agent `json:"agent"`

	// Indexer builds and saves the indexes.
	// +optional
	// +kubebuilder:default={}
	Indexer Indexer `json:"indexer"`

	// Gateway is what clients talk to.
	Gateway Gateway `json:"gateway"`

	// Discoverer finds the agents.
	// +optional
	// +kubebuilder:default={}
	Discoverer Discoverer `json:"discoverer"`

	// Overlay is merged over each ValdRelease, below its root: any field of a ValdRelease that has no field here.
	// Objects merge, arrays are replaced, null removes. Name, namespace, apiVersion and kind cannot be changed.
	// +optional
	// +nullable
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Overlay *apiextensionsv1.JSON `json:"overlay,omitempty"`
}

// Defaults of all components.
type Defaults struct {
	// LogLevel of all components.
	// +optional
	LogLevel LogLevel `json:"logLevel,omitempty"`
}

// Agent holds the vectors and their index.
type Agent struct {
	// LogLevel of the agents.
	// +optional
	LogLevel LogLevel `json:"logLevel,omitempty"`

	// NGT is the index.
	NGT NGT `json:"ngt"`

	// PersistentVolume keeps the index. Missing: it is only in memory.
	// +optional
	PersistentVolume *PersistentVolume `json:"persistentVolume,omitempty"`
}

// NGT is the index of an agent.
type NGT struct {
	// Dimension of the vectors.
	// +kubebuilder:validation:Minimum=2
	Dimension int64 `json:"dimension"`

	// DistanceType is the metric.
	// +optional
	// +kubebuilder:default=l2
	// +kubebuilder:validation:Enum=l1;l2;ang;angle;ham;hamming;cos;cosine;poincare;poinc;lorentz;loren;jac;jaccard;spjac;sparsejaccard;norml2;normalizedl2;normang;normalizedangle;normcos;normalizedcosine;dotproduct;innerproduct;dp;ip
	DistanceType string `json:"distanceType"`

	// ObjectType of the elements of a vector.
	// +optional
	// +kubebuilder:default=float
	// +kubebuilder:validation:Enum=float;float16;uint8
	ObjectType string `json:"objectType"`

	// CreationEdgeSize is the number of edges of a node when it is put into the graph.
	// +optional
	// +kubebuilder:default=20
	CreationEdgeSize int64 `json:"creationEdgeSize"`

	// SearchEdgeSize is the number of edges of a node that a search follows.
	// +optional
	// +kubebuilder:default=10
	SearchEdgeSize int64 `json:"searchEdgeSize"`
}

// PersistentVolume keeps the index of an agent.
type PersistentVolume struct {
	// Enabled or not.
	Enabled bool `json:"enabled"`

	// StorageClass of the volumes. Empty: the configured one.
	// +optional
	StorageClass string `json:"storageClass,omitempty"`

	// AccessMode of the volumes. Empty: the configured one.
	// +optional
	AccessMode string `json:"accessMode,omitempty"`
}

// Indexer builds and saves the indexes: with a manager that runs all the time, or with two CronJobs.
type Indexer struct {
	// LogLevel of the indexer.
	// +optional
	LogLevel LogLevel `json:"logLevel,omitempty"`

	// Manager: the index manager runs all the time, by the durations. Else two CronJobs run by the schedules.
	// +optional
	// +kubebuilder:default=true
	Manager bool `json:"manager"`

	// Concurrency is the number of agents that build their index at the same time.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	Concurrency int64 `json:"concurrency"`

	// IndexDuration is the time between two builds. With manager only.
	// +optional
	// +kubebuilder:default="1h"
	IndexDuration string `json:"indexDuration"`

	// SaveDuration is the time between two saves. With manager only.
	// +optional
	// +kubebuilder:default="1h"
	SaveDuration string `json:"saveDuration"`

	// IndexSchedule of the CronJob that builds. Without manager only.
	// +optional
	// +kubebuilder:default="* * * * *"
	IndexSchedule string `json:"indexSchedule"`

	// SaveSchedule of the CronJob that saves. Without manager only.
	// +optional
	// +kubebuilder:default="0 */3 * * *"
	SaveSchedule string `json:"saveSchedule"`

	// IndexSuspend suspends the CronJob that builds.
	// +optional
	// +kubebuilder:default=false
	IndexSuspend bool `json:"indexSuspend"`

	// SaveSuspend suspends the CronJob that saves.
	// +optional
	// +kubebuilder:default=false
	SaveSuspend bool `json:"saveSuspend"`
}

// Gateway is what clients talk to.
type Gateway struct {
	// LogLevel of the gateway.
	// +optional
	LogLevel LogLevel `json:"logLevel,omitempty"`

	// IndexReplica is the number of agents that hold a vector. At least so many agents must run.
	// +kubebuilder:validation:Minimum=1
	IndexReplica int64 `json:"indexReplica"`

	// ServiceType of the gateway. Empty: the configured one.
	// +optional
	// +kubebuilder:validation:Enum="";ClusterIP;NodePort;LoadBalancer
	ServiceType string `json:"serviceType,omitempty"`

	// Ingress to the gateway.
	// +optional
	Ingress *Ingress `json:"ingress,omitempty"`
}

// Ingress to the gateway.
type Ingress struct {
	// Enabled or not. The configuration can forbid it.
	// +optional
	Enabled bool `json:"enabled,omitempty"`

	// Host of the ingress.
	// +optional
	Host string `json:"host,omitempty"`
}

// Discoverer finds the agents.
type Discoverer struct {
	// LogLevel of the discoverer.
	// +optional
	LogLevel LogLevel `json:"logLevel,omitempty"`

	// Kind of workload: DaemonSet or Deployment.
	// +optional
	// +kubebuilder:default=DaemonSet
	// +kubebuilder:validation:Enum=DaemonSet;Deployment
	Kind string `json:"kind"`
}
