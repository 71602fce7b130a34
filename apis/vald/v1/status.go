package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A Phase of the lifecycle, and the type of the condition that tells how it is.
type Phase string

// The phases, in order.
const (
	PhaseWaitingClusterCreate Phase = "WaitingClusterCreate"
	PhaseWaitingCreateVrs     Phase = "WaitingCreateVrs"
	PhaseCompleted            Phase = "Completed"
)

// ValdOperatorReleaseStatus is what is.
type ValdOperatorReleaseStatus struct {
	// Phase is the type of the condition that is being evaluated.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// Progress through the phases.
	// +optional
	Progress *Progress `json:"progress,omitempty"`

	// ObservedGeneration of the object that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// ManagedGeneration is the generation at the last change of the spec that a person made: the ValdReleases carry it
	// as a label. Crossplane's own writes to the spec raise the object's generation, not this one.
	// +optional
	ManagedGeneration int64 `json:"managedGeneration,omitempty"`

	// SpecHash is the hash of the spec of ManagedGeneration, without what Crossplane writes to it.
	// +optional
	SpecHash string `json:"specHash,omitempty"`

	// Clusters of all entries, active or not, in the order of the spec.
	// +optional
	// +listType=atomic
	Clusters []ClusterStatus `json:"clusters,omitempty"`

	// Retries of writes that the API refused.
	// +optional
	// +listType=map
	// +listMapKey=role
	Retries []Retry `json:"retries,omitempty"`

	// Conditions are declared by Crossplane, which writes them: the generated XRD leaves them out.
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Progress through the phases.
type Progress struct {
	// Total number of phases.
	Total int64 `json:"total"`
	// Completed is the number of phases whose condition is True.
	Completed int64 `json:"completed"`
}

// Retry of a write that the API refused: after 10 s, 20 s, 40 s, then every minute.
type Retry struct {
	// Role of the object, like valdrelease-cluster-a.
	Role string `json:"role"`
	// Attempts refused so far.
	Attempts int32 `json:"attempts"`
	// Last is the time of the last refusal.
	Last metav1.Time `json:"last"`
	// Refused is a hash of what was refused: other content is tried at once.
	// +optional
	Refused string `json:"refused,omitempty"`
	// Message of the API, where it is known.
	// +optional
	Message string `json:"message,omitempty"`
	// Tried in the pass before: when that is not told to be refused, it was written.
	// +optional
	Tried bool `json:"tried,omitempty"`
}

// ClusterStatus is one cluster and its ValdRelease.
type ClusterStatus struct {
	// Name of the cluster.
	Name string `json:"name"`
	// ID of the cluster.
	// +optional
	ID string `json:"id,omitempty"`
	// Role of its entry.
	// +optional
	Role string `json:"role,omitempty"`
	// Active or not.
	Active bool `json:"active"`
	// Release is the name of its ValdRelease.
	// +optional
	Release string `json:"release,omitempty"`
	// Created: the ValdRelease exists; with delivery to other clusters, it has arrived there.
	Created bool `json:"created"`
	// Agents is the number of agents.
	// +optional
	Agents int64 `json:"agents,omitempty"`
	// CPU that one agent requests.
	// +optional
	CPU string `json:"cpu,omitempty"`
	// Memory that one agent requests.
	// +optional
	Memory string `json:"memory,omitempty"`
	// Volume is the size of the volume of one agent, when it has one.
	// +optional
	Volume string `json:"volume,omitempty"`
	// Deployed is what the Vald Helm Operator reports about the ValdRelease. Missing: it has not reported yet.
	// +optional
	Deployed *bool `json:"deployed,omitempty"`
}
