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
	Of        string `json:"of"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Mode      string `json:"mode,omitempty"`
	// Composite is the cluster-scoped composite behind a claim.
	Composite string `json:"composite,omitempty"`
	Phase     string `json:"phase,omitempty"`
	// Created is a time in RFC 3339, as every time here.
	Created string `json:"created,omitempty"`
	// Healthy says whether it serves, and nothing keeps Crossplane from working on it.
	Healthy bool `json:"healthy"`
	// Headline is the one sentence to know.
	Headline string `json:"headline"`
	// NextSteps are what to do about it, the first one first.
	NextSteps []NextStep `json:"nextSteps,omitempty"`

	Endpoint   string      `json:"endpoint,omitempty"`
	Image      Image       `json:"image"`
	Data       *Data       `json:"data,omitempty"`
	Claim      *Claim      `json:"claim,omitempty"`
	Pod        *Pod        `json:"pod,omitempty"`
	Components []Component `json:"components,omitempty"`
	Clusters   []Cluster   `json:"clusters,omitempty"`
	// Checks are what is checked of it all the time: the server, the record on the claim, Postgres and the bucket.
	Checks []Check `json:"checks,omitempty"`

	// Conditions of the object, as they stand in the cluster.
	Conditions []Condition `json:"conditions,omitempty"`
	// Decision is what the function of this plugin decides now about the objects as they are.
	Decision   []Condition `json:"decision,omitempty"`
	Crossplane Crossplane  `json:"crossplane"`
	Retries    []Retry     `json:"retries,omitempty"`
	Events     []Event     `json:"events,omitempty"`
	// Notes are what could not be read or compared.
	Notes []string `json:"notes,omitempty"`
}

// NextStep is something to do.
type NextStep struct {
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
	Product string `json:"product,omitempty"`
	// Version is the highest version of the product that may have run on it.
	Version string `json:"version,omitempty"`
	// Versions by product.
	Versions map[string]string `json:"versions,omitempty"`
	// Format of the data, unknown for versions that the table does not have.
	Format string `json:"format,omitempty"`
	// Unknown says that a version that is not known may have run on it.
	Unknown  bool   `json:"unknown,omitempty"`
	Incident string `json:"incident,omitempty"`
	// Ahead says that the version was recorded before its server started, and that it has not been ready since.
	Ahead  bool   `json:"ahead,omitempty"`
	Record string `json:"record,omitempty"`
}

// Claim with the data.
type Claim struct {
	Name         string `json:"name"`
	UID          string `json:"uid,omitempty"`
	Phase        string `json:"phase,omitempty"`
	Requested    string `json:"requested,omitempty"`
	Capacity     string `json:"capacity,omitempty"`
	StorageClass string `json:"storageClass,omitempty"`
	// Policy wanted and in effect when the Chroma is deleted.
	Policy         string `json:"policy,omitempty"`
	PolicyInEffect string `json:"policyInEffect,omitempty"`
	// Missing: it is not there. Deleting: it goes as soon as no Pod uses it.
	Missing  bool `json:"missing,omitempty"`
	Deleting bool `json:"deleting,omitempty"`
	// Unreadable says why it could not be read. Whether it is there is not known then.
	Unreadable string `json:"unreadable,omitempty"`
}

// Pod of the server.
type Pod struct {
	Name     string `json:"name"`
	Node     string `json:"node,omitempty"`
	Phase    string `json:"phase,omitempty"`
	Ready    bool   `json:"ready"`
	Restarts int64  `json:"restarts"`
	// State is why its container waits or has ended.
	State    string `json:"state,omitempty"`
	Created  string `json:"created,omitempty"`
	Deleting bool   `json:"deleting,omitempty"`
	// Unreadable says why it could not be read. Whether it is there is not known then.
	Unreadable string `json:"unreadable,omitempty"`
}

// Component of a distributed Chroma.
type Component struct {
	Name string `json:"name"`
	// Tier in the order of start and update: each follows when the one before is ready.
	Tier string `json:"tier,omitempty"`
	// Wanted and Ready are numbers of Pods.
	Wanted int32 `json:"wanted"`
	Ready  int32 `json:"ready"`
	// Members of its MemberList, for the components that have one.
	Members *int32 `json:"members,omitempty"`
}

// Cluster of a ValdOperatorRelease.
type Cluster struct {
	Role   string `json:"role,omitempty"`
	Name   string `json:"name"`
	ID     string `json:"id,omitempty"`
	Active bool   `json:"active"`
}

// Condition of an object.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Since   string `json:"since,omitempty"`
}

// Crossplane is what works on the object.
type Crossplane struct {
	Paused      bool      `json:"paused,omitempty"`
	Composition string    `json:"composition,omitempty"`
	Revision    string    `json:"revision,omitempty"`
	Function    *Function `json:"function,omitempty"`
}

// Function of the composition step.
type Function struct {
	Name      string `json:"name"`
	Package   string `json:"package,omitempty"`
	Missing   bool   `json:"missing,omitempty"`
	Installed string `json:"installed,omitempty"`
	Healthy   string `json:"healthy,omitempty"`
	Message   string `json:"message,omitempty"`
}

// Retry of a write that the API refused.
type Retry struct {
	Role     string `json:"role"`
	Attempts int32  `json:"attempts"`
	Last     string `json:"last,omitempty"`
	Message  string `json:"message,omitempty"`
}

// Event about the object or a part of it.
type Event struct {
	Object  string `json:"object"`
	Warning bool   `json:"warning,omitempty"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Count   int64  `json:"count"`
	Last    string `json:"last,omitempty"`
}

// StatusList is the table of status.
type StatusList struct {
	Header
	Items []Summary `json:"items"`
	// Notes are what could not be read.
	Notes []string `json:"notes,omitempty"`
}

// Summary is a line of the table.
type Summary struct {
	Of        string `json:"of"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Mode      string `json:"mode,omitempty"`
	Phase     string `json:"phase,omitempty"`
	Image     string `json:"image,omitempty"`
	Product   string `json:"product,omitempty"`
	Data      string `json:"data,omitempty"`
	// Attention is the reason that asks for a person, empty when none does.
	Attention string `json:"attention,omitempty"`
	// Incident is the code of an open incident.
	Incident  string `json:"incident,omitempty"`
	Endpoint  string `json:"endpoint,omitempty"`
	Created   string `json:"created,omitempty"`
}
