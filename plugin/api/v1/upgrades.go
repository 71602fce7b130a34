package v1

// Kinds of the documents about images and data.
const (
	KindUpgradeCheck = "UpgradeCheckList"
	KindUpgradePlan  = "UpgradePlan"
	KindIncidentList = "IncidentList"
)

// UpgradeCheckList is what upgrade check prints.
type UpgradeCheckList struct {
	Header
	// Items are one for each Chroma that was asked about.
	Items []UpgradeCheck `json:"items"`
	// Notes are what was left out, and why.
	Notes []string `json:"notes,omitempty"`
}

// UpgradeCheck answers whether an image may run on the data of a Chroma.
type UpgradeCheck struct {
	// Namespace of the Chroma.
	Namespace string `json:"namespace"`
	// Name of the Chroma.
	Name string `json:"name"`
	// From is the image that was last ready.
	From string `json:"from,omitempty"`
	// To is the image that was asked about.
	To string `json:"to"`
	// Allowed says whether the image may run. It is false where error says that this is not known.
	Allowed bool `json:"allowed"`
	// Error is why it is not known whether the image may run.
	Error string `json:"error,omitempty"`
	// Reason that the function gives.
	Reason string `json:"reason"`
	// Message that the function gives.
	Message string `json:"message,omitempty"`
	// FormatBefore is the data format of the version on the data.
	FormatBefore string `json:"formatBefore,omitempty"`
	// FormatAfter is the data format of the wanted version.
	FormatAfter string `json:"formatAfter,omitempty"`
	// Trial is how the step was tried.
	Trial string `json:"trial,omitempty"`
	// WayBack is what going back from the wanted image to the present one would take.
	WayBack string `json:"wayBack,omitempty"`
	// Annotations that would allow it, as key=value.
	Annotations []string `json:"annotations,omitempty"`
	// NextSteps are what to do.
	NextSteps []NextStep `json:"nextSteps,omitempty"`
	// Notes are what could not be read, and what else to know.
	Notes []string `json:"notes,omitempty"`
}

// UpgradePlan is what upgrade plan prints.
type UpgradePlan struct {
	Header
	// Namespace of the Chroma.
	Namespace string `json:"namespace"`
	// Name of the Chroma.
	Name string `json:"name"`
	// To is the image that was played.
	To string `json:"to"`
	// Steps in their order.
	Steps []PlanStep `json:"steps"`
	// Refused is the reason for which the function refuses the image.
	Refused string `json:"refused,omitempty"`
	// Replaced says whether the server is replaced.
	Replaced bool `json:"replaced"`
	// Down is when the server goes, in seconds after the change.
	Down *float64 `json:"down,omitempty"`
	// Up is when the next server is ready, in seconds after the change; without it none becomes ready.
	Up *float64 `json:"up,omitempty"`
	// Notes are what could not be read.
	Notes []string `json:"notes,omitempty"`
}

// PlanStep is a pass of the function, what somebody else does, or some passes without anything to do.
type PlanStep struct {
	// At is the time in seconds after the change.
	At float64 `json:"at"`
	// Pass is the number of the function's pass; 0 where it is somebody else's doing.
	Pass int `json:"pass,omitempty"`
	// Quiet is how many passes in a row had nothing to do.
	Quiet int `json:"quiet,omitempty"`
	// Object that was passed over, or that somebody else changed.
	Object string `json:"object,omitempty"`
	// By whom the object was changed, other than the function.
	By string `json:"by,omitempty"`
	// Change that somebody else made.
	Change string `json:"change,omitempty"`
	// Writes of the pass.
	Writes []PlanWrite `json:"writes,omitempty"`
	// Status fields that the pass changes, as field: value.
	Status []string `json:"status,omitempty"`
	// Error that ended the pass.
	Error string `json:"error,omitempty"`
	// Conditions that are news.
	Conditions []Condition `json:"conditions,omitempty"`
}

// PlanWrite of a pass.
type PlanWrite struct {
	// Verb is creates, changes, deletes or refused.
	Verb string `json:"verb"`
	// Role of the object in the composition.
	Role string `json:"role"`
	// Object by kind, namespace and name.
	Object string `json:"object"`
	// Changes of fields, as path: before -> after.
	Changes []string `json:"changes,omitempty"`
	// Error in the API server's words, where it was refused.
	Error string `json:"error,omitempty"`
}

// IncidentList is what incident list and show print.
type IncidentList struct {
	Header
	// Items are the open incidents.
	Items []Incident `json:"items"`
}

// Incident is data whose version is not known.
type Incident struct {
	// Namespace of the Chroma.
	Namespace string `json:"namespace"`
	// Name of the Chroma.
	Name string `json:"name"`
	// Code of the incident, which a declaration has to name.
	Code string `json:"code"`
	// Product that opened the data last.
	Product string `json:"product,omitempty"`
	// Known is the highest version that is known to have run.
	Known string `json:"known,omitempty"`
	// LastReady is the image of the last server that was ready.
	LastReady string `json:"lastReady,omitempty"`
	// Running is the image of the Pod now; incident list does not read it.
	Running string `json:"running,omitempty"`
	// ImageID is the image that the container runs, with its digest.
	ImageID string `json:"imageID,omitempty"`
	// Started is when the container started, which is later than the Pod when its image was set by hand.
	Started string `json:"started,omitempty"`
	// Restarts of the container.
	Restarts int64 `json:"restarts,omitempty"`
	// Since the function refuses the image because of it.
	Since string `json:"since,omitempty"`
	// Message that the function gives.
	Message string `json:"message,omitempty"`
	// NextSteps are how to end it.
	NextSteps []NextStep `json:"nextSteps,omitempty"`
	// Notes are what could not be read.
	Notes []string `json:"notes,omitempty"`
}
