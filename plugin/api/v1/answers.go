package v1

// Kinds of the documents here.
const (
	KindExplanationList = "ExplanationList"
	KindUpgradeCheck    = "UpgradeCheckList"
	KindIncidentList    = "IncidentList"
	KindClaimList       = "ClaimList"
	KindCheckList       = "CheckList"
	KindLintResult      = "LintResult"
)

// ExplanationList is what explain prints.
type ExplanationList struct {
	Header
	Items []Explanation `json:"items"`
}

// Explanation of a reason.
type Explanation struct {
	Reason string `json:"reason"`
	// Of are the kinds of objects that can have it.
	Of         []string `json:"of"`
	Conditions []string `json:"conditions,omitempty"`
	Meaning    string   `json:"meaning"`
	Remedy     string   `json:"remedy"`
	// Message of the condition, where an object was asked about.
	Message string `json:"message,omitempty"`
}

// UpgradeCheckList is what upgrade check prints.
type UpgradeCheckList struct {
	Header
	Items []UpgradeCheck `json:"items"`
}

// UpgradeCheck answers whether an image may run on the data of a Chroma.
type UpgradeCheck struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	From      string `json:"from,omitempty"`
	To        string `json:"to"`
	Allowed   bool   `json:"allowed"`
	// Reason and message are those that the function gives.
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
	// FormatBefore and FormatAfter are the data formats of the version on the data, and of the wanted one.
	FormatBefore string `json:"formatBefore,omitempty"`
	FormatAfter  string `json:"formatAfter,omitempty"`
	// Trial is how the step was tried.
	Trial string `json:"trial,omitempty"`
	// WayBack is what going back from the wanted image to the present one would take.
	WayBack string `json:"wayBack,omitempty"`
	// Annotations that would allow it, as key=value.
	Annotations []string `json:"annotations,omitempty"`
	Notes       []string `json:"notes,omitempty"`
}

// IncidentList is what incident list prints.
type IncidentList struct {
	Header
	Items []Incident `json:"items"`
}

// Incident is data whose version is not known.
type Incident struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Code      string `json:"code"`
	Product   string `json:"product,omitempty"`
	// Known is the highest version that is known to have run.
	Known   string `json:"known,omitempty"`
	Running string `json:"running,omitempty"`
	Since   string `json:"since,omitempty"`
	Message string `json:"message,omitempty"`
}

// ClaimList is what claims prints.
type ClaimList struct {
	Header
	Items []RetainedClaim `json:"items"`
}

// RetainedClaim is a claim with data of a Chroma.
type RetainedClaim struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Chroma that the claim is of, and whether there is one of that name now.
	Chroma  string   `json:"chroma,omitempty"`
	InUse   bool     `json:"inUse"`
	UsedBy  []string `json:"usedBy,omitempty"`
	Product string   `json:"product,omitempty"`
	Version string   `json:"version,omitempty"`
	Unknown bool     `json:"unknown,omitempty"`
	Size    string   `json:"size,omitempty"`
	Phase   string   `json:"phase,omitempty"`
	Created string   `json:"created,omitempty"`
}

// CheckList is what check prints.
type CheckList struct {
	Header
	Items []Check `json:"items"`
}

// Check of one thing.
type Check struct {
	Name string `json:"name"`
	// Result is passed, failed, warning or skipped.
	Result  string `json:"result"`
	Message string `json:"message,omitempty"`
}

// LintResult is what lint prints.
type LintResult struct {
	Header
	Items []Finding `json:"items"`
}

// Finding about an object in a file.
type Finding struct {
	Source  string `json:"source"`
	Object  string `json:"object"`
	Field   string `json:"field,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message"`
	// Level is error or warning.
	Level string `json:"level"`
}

// KindEventList is what events prints.
const KindEventList = "EventList"

// EventList is what was recorded about an object and its parts, oldest first.
type EventList struct {
	Header
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
	ClientVersion ClientVersion       `json:"clientVersion"`
	Functions     []InstalledFunction `json:"functions,omitempty"`
}

// ClientVersion is the plugin's own.
type ClientVersion struct {
	Version string `json:"version"`
	// Commit and time of the sources that it was built from.
	Commit    string `json:"commit,omitempty"`
	Time      string `json:"time,omitempty"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
}

// InstalledFunction of the cluster.
type InstalledFunction struct {
	Name    string `json:"name"`
	Package string `json:"package"`
	// Healthy is the status of its condition of that type.
	Healthy string `json:"healthy,omitempty"`
}
