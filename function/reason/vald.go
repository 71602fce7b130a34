package reason

// Condition types of a ValdOperatorRelease: the phases of its lifecycle, in order. Once there, they stay.
const (
	// WaitingClusterCreate says whether every active cluster has an id and a name.
	WaitingClusterCreate ConditionType = "WaitingClusterCreate"
	// WaitingCreateVrs says whether every ValdRelease exists.
	WaitingCreateVrs ConditionType = "WaitingCreateVrs"
	// ValdCompleted is the last phase.
	ValdCompleted ConditionType = "Completed"
)

// Reasons of the phases: the readiness states of the Vald Operator.
const (
	Progressing Reason = "Progressing"
	Pending     Reason = "Pending"
	Succeeded   Reason = "Succeeded"
	Failed      Reason = "Failed"
)

// ConfigWithoutMeaning is the reason of an event.
const ConfigWithoutMeaning Reason = "ConfigWithoutMeaning"

// Vald is the table of the reasons of a ValdOperatorRelease.
func Vald() []Entry {
	clusters := []ConditionType{WaitingClusterCreate}
	creation := []ConditionType{WaitingCreateVrs}
	both := []ConditionType{WaitingClusterCreate, WaitingCreateVrs}
	all := []ConditionType{WaitingClusterCreate, WaitingCreateVrs, ValdCompleted}
	return []Entry{
		{Progressing, append(creation, ValdCompleted), "The ValdReleases are being created.", "Wait. With delivery Objects, look at the Objects that the message names when it takes long."},
		{Pending, clusters, "A cluster has no id or no name yet, or no entry is active.", "Fill in what the message names, or wait for the system that does; what exists stays untouched until then."},
		{Succeeded, all, "The phase is complete.", "Nothing needs to be done."},
		{Failed, both, "The spec or the configuration cannot be followed, or a ValdRelease is missing or belongs to somebody else.", "Correct what the message names; what exists stays untouched until then. A ValdRelease that was deleted is created again."},
		{ConfigWithoutMeaning, nil, "The configuration has sections that concern the Vald Operator's own process.", "Nothing needs to be done; they can be removed."},
	}
}
