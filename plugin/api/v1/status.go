package v1

// KindStatus and KindStatusList are what status prints, with and without a name.
const (
	KindStatus     = "Status"
	KindStatusList = "StatusList"
)

// Status of one object that people write, with everything that belongs to it.
type Status struct {
	Header
	// Of is the kind of the object: Chroma or ValdOperatorRelease.
	Of string `json:"of"`
	// Namespace of the object.
	Namespace string `json:"namespace"`
	// Name of the object.
	Name string `json:"name"`
	// Mode of a Chroma: single-node or distributed.
	Mode string `json:"mode,omitempty"`
	// Composite is the cluster-scoped composite behind a claim.
	Composite string `json:"composite,omitempty"`
	// Phase as the function gives it.
	Phase string `json:"phase,omitempty"`
	// Created is when the object was made.
	Created string `json:"created,omitempty"`
	// Healthy says whether it serves, and nothing keeps Crossplane from working on it.
	Healthy bool `json:"healthy"`
	// Headline is the one sentence to know.
	Headline string `json:"headline"`
	// NextSteps are what to do about it, the first one first.
	NextSteps []NextStep `json:"nextSteps,omitempty"`

	// Endpoint for clients in the cluster.
	Endpoint string `json:"endpoint,omitempty"`
	// Image wanted and running, of a single-node Chroma.
	Image Image `json:"image"`
	// Data on the claim, of a single-node Chroma.
	Data *Data `json:"data,omitempty"`
	// Claim with the data, of a single-node Chroma.
	Claim *Claim `json:"claim,omitempty"`
	// Pod of the server, of a single-node Chroma.
	Pod *Pod `json:"pod,omitempty"`
	// Components of a distributed Chroma.
	Components []Component `json:"components,omitempty"`
	// Clusters of a ValdOperatorRelease.
	Clusters []Cluster `json:"clusters,omitempty"`
	// Checks are what is checked of it all the time: the server, the record on the claim, Postgres and the bucket.
	Checks []Check `json:"checks,omitempty"`

	// Conditions of the object, as they stand in the cluster.
	Conditions []Condition `json:"conditions,omitempty"`
	// Decision is what the function of this plugin decides now about the objects as they are.
	Decision []Condition `json:"decision,omitempty"`
	// Crossplane is what of it works on the object.
	Crossplane Crossplane `json:"crossplane"`
	// Retries are writes that the API server refused, and that are tried again.
	Retries []Retry `json:"retries,omitempty"`
	// Events of note, the last ones; kubectl chroma events prints all.
	Events []Event `json:"events,omitempty"`
	// Notes are what could not be read or compared.
	Notes []string `json:"notes,omitempty"`
}

// NextStep is something to do.
type NextStep struct {
	// Why it is to be done, or what it does.
	Why string `json:"why"`
	// Command to type, empty where there is none.
	Command string `json:"command,omitempty"`
}

// Image wanted and running.
type Image struct {
	// Wanted by the spec, or the default that was pinned.
	Wanted string `json:"wanted,omitempty"`
	// Running is the image of the Pod now.
	Running string `json:"running,omitempty"`
	// LastReady is the image of the last Pod that was ready.
	LastReady string `json:"lastReady,omitempty"`
	// Recovery is what a server whose spec is refused starts again with.
	Recovery string `json:"recovery,omitempty"`
}

// Data on the claim.
type Data struct {
	// Product that opened the data last.
	Product string `json:"product,omitempty"`
	// Version is the highest version of the product that may have run on it.
	Version string `json:"version,omitempty"`
	// Versions by product.
	Versions map[string]string `json:"versions,omitempty"`
	// Format of the data, unknown for versions that the table does not have.
	Format string `json:"format,omitempty"`
	// Unknown says that a version that is not known may have run on it.
	Unknown bool `json:"unknown,omitempty"`
	// Incident is its code while the version is not known.
	Incident string `json:"incident,omitempty"`
	// Ahead says that the version was recorded before its server started, and that it has not been ready since.
	Ahead bool `json:"ahead,omitempty"`
	// Record is the UID of the claim that the record is of, and its number.
	Record string `json:"record,omitempty"`
}

// Claim with the data.
type Claim struct {
	// Name of the claim.
	Name string `json:"name"`
	// UID of the claim that holds the data; another claim of the name has other data.
	UID string `json:"uid,omitempty"`
	// Phase of the claim: Pending, Bound or Lost.
	Phase string `json:"phase,omitempty"`
	// Requested size.
	Requested string `json:"requested,omitempty"`
	// Capacity of the volume.
	Capacity string `json:"capacity,omitempty"`
	// StorageClass of the claim.
	StorageClass string `json:"storageClass,omitempty"`
	// Policy wanted: whether the claim stays (Retain) or goes (Delete) when the Chroma is deleted.
	Policy string `json:"policy,omitempty"`
	// PolicyInEffect is what becomes of the claim if the Chroma is deleted now.
	PolicyInEffect string `json:"policyInEffect,omitempty"`
	// Missing: it is not there.
	Missing bool `json:"missing,omitempty"`
	// Deleting: it goes as soon as no Pod uses it.
	Deleting bool `json:"deleting,omitempty"`
	// Unreadable says why it could not be read. Whether it is there is not known then.
	Unreadable string `json:"unreadable,omitempty"`
}

// Pod of the server.
type Pod struct {
	// Name of the Pod.
	Name string `json:"name"`
	// Node that it runs on.
	Node string `json:"node,omitempty"`
	// Phase of the Pod.
	Phase string `json:"phase,omitempty"`
	// Ready: it answers its readiness probe.
	Ready bool `json:"ready"`
	// Restarts of its container.
	Restarts int64 `json:"restarts"`
	// State is why its container waits or has ended.
	State string `json:"state,omitempty"`
	// Created is when the Pod was made.
	Created string `json:"created,omitempty"`
	// Deleting: it ends.
	Deleting bool `json:"deleting,omitempty"`
	// Unreadable says why it could not be read. Whether it is there is not known then.
	Unreadable string `json:"unreadable,omitempty"`
}

// Component of a distributed Chroma.
type Component struct {
	// Name of the component, as in the spec.
	Name string `json:"name"`
	// Tier in the order of start and update: each follows when the one before is ready.
	Tier string `json:"tier,omitempty"`
	// Wanted number of Pods.
	Wanted int32 `json:"wanted"`
	// Ready number of Pods.
	Ready int32 `json:"ready"`
	// Members of its MemberList, for the components that have one.
	Members *int32 `json:"members,omitempty"`
}

// Cluster of a ValdOperatorRelease.
type Cluster struct {
	// Role of its infrastructure in the spec, like blue.
	Role string `json:"role,omitempty"`
	// Name of the cluster in the spec.
	Name string `json:"name"`
	// ID of the cluster in the spec.
	ID string `json:"id,omitempty"`
	// Active: its infrastructure is to run.
	Active bool `json:"active"`
	// Release is what is composed for it: a ValdRelease, or the Object of provider-kubernetes that holds one elsewhere.
	Release string `json:"release,omitempty"`
}

// Condition of an object.
type Condition struct {
	// Type of the condition.
	Type string `json:"type"`
	// Status is True, False or Unknown.
	Status string `json:"status"`
	// Reason in one word; kubectl chroma explain says what it means.
	Reason string `json:"reason,omitempty"`
	// Message for people.
	Message string `json:"message,omitempty"`
	// Since is the time of its last transition.
	Since string `json:"since,omitempty"`
}

// Crossplane is what works on the object.
type Crossplane struct {
	// Paused: the annotation crossplane.io/paused keeps it from working on the object.
	Paused bool `json:"paused,omitempty"`
	// Composition in use.
	Composition string `json:"composition,omitempty"`
	// Revision of the Composition in use.
	Revision string `json:"revision,omitempty"`
	// Function of the composition step.
	Function *Function `json:"function,omitempty"`
}

// Function of the composition step.
type Function struct {
	// Name of the Function.
	Name string `json:"name"`
	// Package that it is installed from.
	Package string `json:"package,omitempty"`
	// Missing: there is no Function of the name.
	Missing bool `json:"missing,omitempty"`
	// Installed is the status of its condition of that type.
	Installed string `json:"installed,omitempty"`
	// Healthy is the status of its condition of that type.
	Healthy string `json:"healthy,omitempty"`
	// Message says why it is not healthy.
	Message string `json:"message,omitempty"`
}

// Retry of a write that the API refused.
type Retry struct {
	// Role of the object in the composition.
	Role string `json:"role"`
	// Attempts so far.
	Attempts int32 `json:"attempts"`
	// Last attempt.
	Last string `json:"last,omitempty"`
	// Message in the API server's words.
	Message string `json:"message,omitempty"`
}

// Event about the object or a part of it.
type Event struct {
	// Object that it is about, by kind and name.
	Object string `json:"object"`
	// Warning: it is not a normal event.
	Warning bool `json:"warning,omitempty"`
	// Reason in one word.
	Reason string `json:"reason"`
	// Message for people.
	Message string `json:"message"`
	// Count of times that it happened.
	Count int64 `json:"count"`
	// Last time that it happened.
	Last string `json:"last,omitempty"`
}

// StatusList is the table of status.
type StatusList struct {
	Header
	// Items by namespace and name.
	Items []Summary `json:"items"`
	// Notes are what could not be read.
	Notes []string `json:"notes,omitempty"`
}

// Summary is a line of the table.
type Summary struct {
	// Of is the kind of the object: Chroma or ValdOperatorRelease.
	Of string `json:"of"`
	// Namespace of the object.
	Namespace string `json:"namespace"`
	// Name of the object.
	Name string `json:"name"`
	// Mode of a Chroma: single-node or distributed.
	Mode string `json:"mode,omitempty"`
	// Phase as the function gives it.
	Phase string `json:"phase,omitempty"`
	// Image of the last server that was ready, or the version of a distributed Chroma.
	Image string `json:"image,omitempty"`
	// Product that opened the data last.
	Product string `json:"product,omitempty"`
	// Data has the highest version that may have run on the data.
	Data string `json:"data,omitempty"`
	// Attention is the reason that asks for a person, empty when none does.
	Attention string `json:"attention,omitempty"`
	// Incident is the code of an open incident.
	Incident string `json:"incident,omitempty"`
	// Endpoint for clients in the cluster.
	Endpoint string `json:"endpoint,omitempty"`
	// Created is when the object was made.
	Created string `json:"created,omitempty"`
}
