package pass

import (
	"time"

	"github.com/function-chroma/function-chroma/function/reason"
)

// An Answer is what should be after one pass.
type Answer struct {
	// Objects that should exist. What is observed and not here is deleted by Crossplane: keep by sending the previous
	// intent (package previous), never by leaving out.
	Objects []Object

	// Requirements are the objects to be shown in the next call, in every answer anew.
	Requirements map[string]Requirement

	// AskSchema asks for the schema of the XR's kind.
	AskSchema bool

	// Conditions of the XR. Their messages must be stable: no times, no counters, or the XR is reconciled for ever.
	Conditions []Condition

	// Events to record, only on a transition.
	Events []Event

	// Status is the whole status of the XR. What is left out is removed.
	Status any

	// Ready is the readiness of the XR.
	Ready bool

	// TTL is the time to the next pass when nothing happens meanwhile.
	TTL time.Duration
}

// An Object that should exist.
type Object struct {
	// Role is the composition-resource-name: an interface that stays.
	Role string
	// Manifest is an apply configuration, or a map[string]any for kinds without one. Only the fields that are set are
	// applied.
	Manifest any
	// Ready is the readiness of this object.
	Ready bool
}

// A Requirement asks for objects. For a namespaced kind the namespace is always set: without it Crossplane answers
// "no items" even while the object exists.
type Requirement struct {
	APIVersion, Kind string
	Namespace        string
	// Name of one object. Empty: all that match Labels.
	Name string
	// Labels to match. Empty (with no Name): all objects of the kind in the namespace.
	Labels map[string]string
}

// Condition of the XR.
type Condition struct {
	Type    reason.ConditionType
	Status  ConditionStatus
	Reason  reason.Reason
	Message string
}

// A ConditionStatus is True, False or Unknown.
type ConditionStatus string

// The statuses of a condition.
const (
	True    ConditionStatus = "True"
	False   ConditionStatus = "False"
	Unknown ConditionStatus = "Unknown"
)

// An Event to record on the XR.
type Event struct {
	// Warning is false for events of normal operation.
	Warning bool
	Reason  reason.Reason
	Message string
}
