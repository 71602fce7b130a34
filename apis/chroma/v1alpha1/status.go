package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A Phase is the one word for how a Chroma is.
// +kubebuilder:validation:Enum=Creating;Migrating;Ready;Updating;Failed
type Phase string

// The phases.
const (
	PhaseCreating  Phase = "Creating"
	PhaseMigrating Phase = "Migrating" // distributed only
	PhaseReady     Phase = "Ready"
	PhaseUpdating  Phase = "Updating"
	PhaseFailed    Phase = "Failed"
)

// ChromaStatus is what is.
type ChromaStatus struct {
	// Phase is Creating, Migrating (distributed only), Ready, Updating or Failed.
	// +optional
	Phase Phase `json:"phase,omitempty"`
	// Image of the Pod, once it is ready.
	// +optional
	Image string `json:"image,omitempty"`
	// DataVersion is the highest version of DataProduct that may have run on the data. It rises before a newer Pod is
	// created, since a server migrates the data before it reports that it started.
	// +optional
	DataVersion string `json:"dataVersion,omitempty"`
	// DataProduct is the product that opened the data last.
	// +optional
	DataProduct Product `json:"dataProduct,omitempty"`
	// DataVersions is the highest version of every product that may have run on the data.
	// +optional
	DataVersions map[Product]string `json:"dataVersions,omitempty"`
	// DataAhead are the products whose version was recorded ahead of a Pod that was not seen ready yet.
	// +optional
	// +listType=atomic
	DataAhead []Product `json:"dataAhead,omitempty"`
	// DataRecord numbers this record: "<uid of the claim>/<serial>". The claim has the same in an annotation.
	// +optional
	DataRecord string `json:"dataRecord,omitempty"`
	// DataSchema is the schema of the record.
	// +optional
	DataSchema int64 `json:"dataSchema,omitempty"`
	// DataVersionUnknown: an image without a version ran on the data, or a claim came without a record.
	// +optional
	DataVersionUnknown bool `json:"dataVersionUnknown,omitempty"`
	// DataVersionUnknownIncident is the code of that incident: declare the version with it to go on.
	// +optional
	DataVersionUnknownIncident string `json:"dataVersionUnknownIncident,omitempty"`
	// DataIncidentsSettled are the incidents that declarations have ended while their Pod still runs.
	// +optional
	// +listType=atomic
	DataIncidentsSettled []string `json:"dataIncidentsSettled,omitempty"`
	// RecoveryImage is the newest image seen that is allowed and not older than the data: what a server whose spec is
	// refused starts again with.
	// +optional
	RecoveryImage string `json:"recoveryImage,omitempty"`
	// DefaultImage is the function's default image at creation, kept so that a newer function moves no server.
	// +optional
	DefaultImage string `json:"defaultImage,omitempty"`

	// Endpoint for clients.
	// +optional
	Endpoint string `json:"endpoint,omitempty"`
	// Pod that runs the server.
	// +optional
	Pod string `json:"pod,omitempty"`
	// PodUID of the last Pod seen.
	// +optional
	PodUID string `json:"podUID,omitempty"`
	// Node of the last Pod seen. While it is not Ready, a Pod that vanished from it is not replaced.
	// +optional
	Node string `json:"node,omitempty"`
	// PVC is the PersistentVolumeClaim with the data.
	// +optional
	PVC string `json:"pvc,omitempty"`
	// ClaimUID of the claim in use. A claim with another UID is never used without a person's word.
	// +optional
	ClaimUID string `json:"claimUID,omitempty"`
	// AcceptedClaim is the last accept-claim annotation that was followed: each is used once.
	// +optional
	AcceptedClaim string `json:"acceptedClaim,omitempty"`
	// PVCDeletionPolicy in effect, read from the owners of the claim.
	// +optional
	PVCDeletionPolicy PVCDeletionPolicy `json:"pvcDeletionPolicy,omitempty"`
	// LastReadySpec is the summary of the last spec whose Pod became ready, named when a later one is refused.
	// +optional
	LastReadySpec string `json:"lastReadySpec,omitempty"`
	// ObservedGeneration of the spec that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Retries of writes that the API refused.
	// +optional
	// +listType=map
	// +listMapKey=role
	Retries []Retry `json:"retries,omitempty"`

	// Version is the version that runs on all components. Distributed only.
	// +optional
	Version string `json:"version,omitempty"`
	// VersionHistory are the versions migrated on the database, oldest first. Distributed only.
	// +optional
	// +listType=atomic
	VersionHistory []string `json:"versionHistory,omitempty"`
	// MigratedDatabase is the database that VersionHistory tells of, as <host>:<port>/<database>. Distributed only.
	// +optional
	MigratedDatabase string `json:"migratedDatabase,omitempty"`
	// Components of a distributed Chroma by name.
	// +optional
	Components map[string]ComponentStatus `json:"components,omitempty"`
	// Repairs made to a distributed Chroma, by component.
	// +optional
	Repairs map[string]Repair `json:"repairs,omitempty"`

	// Conditions are declared by Crossplane, which writes them: the generated XRD leaves them out.
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Retry of a write that the API refused: after 10 s, 20 s, 40 s, then every minute.
type Retry struct {
	// Role of the object, like pod.
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

// ComponentStatus of a distributed Chroma.
type ComponentStatus struct {
	// Replicas wanted.
	Replicas int32 `json:"replicas"`
	// Ready replicas.
	Ready int32 `json:"ready"`
	// Members of the MemberList, for the components that have one.
	// +optional
	Members *int32 `json:"members,omitempty"`
}

// Repair made to a component of a distributed Chroma.
type Repair struct {
	// UnreadySince is the time the component was first seen unready in this incident.
	// +optional
	UnreadySince *metav1.Time `json:"unreadySince,omitempty"`
	// Restarted is the time of the restart in this incident.
	// +optional
	Restarted *metav1.Time `json:"restarted,omitempty"`
	// Reason of the restart.
	// +optional
	Reason string `json:"reason,omitempty"`
}
