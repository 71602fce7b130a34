package v1

// Kinds of the documents here.
const (
	KindExplanationList = "ExplanationList"
	KindClaimList       = "ClaimList"
	KindCheckList       = "CheckList"
	KindLintResult      = "LintResult"
	KindEventList       = "EventList"
)

// ExplanationList is what explain prints.
type ExplanationList struct {
	Header
	// Items are one for each meaning of the reason, or for each condition of the object.
	Items []Explanation `json:"items"`
}

// Explanation of a reason.
type Explanation struct {
	// Reason as it stands in conditions and events.
	Reason string `json:"reason"`
	// Of are the kinds of objects that can have it.
	Of []string `json:"of"`
	// Conditions that can have the reason.
	Conditions []string `json:"conditions,omitempty"`
	// Meaning of the reason.
	Meaning string `json:"meaning"`
	// Remedy is the way out.
	Remedy string `json:"remedy"`
	// Condition of the object that has the reason, where an object was asked about.
	Condition string `json:"condition,omitempty"`
	// Message of the condition, where an object was asked about.
	Message string `json:"message,omitempty"`
}

// ClaimList is what claims prints.
type ClaimList struct {
	Header
	// Items by namespace and name.
	Items []RetainedClaim `json:"items"`
}

// RetainedClaim is a claim with data of a Chroma.
type RetainedClaim struct {
	// Namespace of the claim.
	Namespace string `json:"namespace"`
	// Name of the claim.
	Name string `json:"name"`
	// Chroma that the claim is of, and whether there is one of that name now.
	Chroma string `json:"chroma,omitempty"`
	// InUse: something in usedBy has it.
	InUse bool `json:"inUse"`
	// UsedBy are the Chroma, Objects and Pods that have it.
	UsedBy []string `json:"usedBy,omitempty"`
	// Product that opened the data last.
	Product string `json:"product,omitempty"`
	// Version is the highest version of the product that may have run on the data.
	Version string `json:"version,omitempty"`
	// Unknown: a version that is not known may have run on the data.
	Unknown bool `json:"unknown,omitempty"`
	// Size of the volume, or the requested one before there is a volume.
	Size string `json:"size,omitempty"`
	// Phase of the claim: Pending, Bound or Lost.
	Phase string `json:"phase,omitempty"`
	// Created is when the claim was made.
	Created string `json:"created,omitempty"`
}

// CheckList is what check prints.
type CheckList struct {
	Header
	// Items in the order in which they were checked.
	Items []Check `json:"items"`
}

// Check of one thing.
type Check struct {
	// Name of what was checked.
	Name string `json:"name"`
	// Result is passed, failed, warning or skipped.
	Result string `json:"result"`
	// Message says what was found, and what to do about it.
	Message string `json:"message,omitempty"`
}

// LintResult is what lint prints.
type LintResult struct {
	Header
	// Items in the order of the files.
	Items []Finding `json:"items"`
}

// Finding about an object in a file.
type Finding struct {
	// Source is the file.
	Source string `json:"source"`
	// Object by kind, namespace and name.
	Object string `json:"object"`
	// Field that the finding is about, as a path.
	Field string `json:"field,omitempty"`
	// Reason of the function's condition, where the finding is the function's.
	Reason string `json:"reason,omitempty"`
	// Message says what is wrong.
	Message string `json:"message"`
	// Level is error or warning.
	Level string `json:"level"`
}

// EventList is what was recorded about an object and its parts, oldest first.
type EventList struct {
	Header
	// Items, oldest first.
	Items []Event `json:"items"`
}

// Levels of findings.
const (
	LevelError   = "error"
	LevelWarning = "warning"
)

// KindVersion is what version prints.
const KindVersion = "Version"

// Version of the plugin and of the cluster's functions.
type Version struct {
	Header
	// ClientVersion is that of the plugin.
	ClientVersion ClientVersion `json:"clientVersion"`
	// Functions that the cluster has installed; none with --client.
	Functions []InstalledFunction `json:"functions,omitempty"`
}

// ClientVersion is the plugin's own.
type ClientVersion struct {
	// Version of the release, or (devel).
	Version string `json:"version"`
	// Commit of the sources that it was built from.
	Commit string `json:"commit,omitempty"`
	// Time of that commit.
	Time string `json:"time,omitempty"`
	// GoVersion that built it.
	GoVersion string `json:"goVersion"`
	// Platform as operating system and architecture.
	Platform string `json:"platform"`
}

// InstalledFunction of the cluster.
type InstalledFunction struct {
	// Name of the Function.
	Name string `json:"name"`
	// Package that it is installed from.
	Package string `json:"package"`
	// Healthy is the status of its condition of that type.
	Healthy string `json:"healthy,omitempty"`
}
