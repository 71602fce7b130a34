package reason

// The reasons of DefinitionCurrent, which any XR can have.
const (
	DefinitionOlder Reason = "DefinitionOlder"
	StatusDeclared  Reason = "StatusDeclared"
)

// DefinitionCurrent says whether the definition of the XR on this cluster declares what the function writes into its
// status. It is there only once a field was refused.
const DefinitionCurrent ConditionType = "DefinitionCurrent"

// Definition returns the reasons that the definition of an XR gives.
func Definition() []Entry {
	on := []ConditionType{DefinitionCurrent}
	return []Entry{
		{DefinitionOlder, on,
			"The definition of the kind on this cluster is older than the function: fields of the status that it does not declare are left out.",
			"Upgrade the Configuration to the version of the Function."},
		{StatusDeclared, on,
			"The definition of the kind declares all that the function writes into the status.",
			"Nothing needs to be done."},
	}
}
