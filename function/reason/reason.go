// Package reason is the one table of condition types and reasons, with what each means and the way out.
package reason

// A Reason of a condition or an event.
type Reason string

// A ConditionType of an XR.
type ConditionType string

// An Entry of the table.
type Entry struct {
	Reason Reason
	// Conditions that can carry the reason. None: it is the reason of events only.
	Conditions []ConditionType
	// Meaning in a sentence: what is the case.
	Meaning string
	// Remedy in a sentence: what to do, or that nothing needs to be done.
	Remedy string
}
