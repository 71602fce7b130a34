package singlenode

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/ledger"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

// A Decision is what should become of a Chroma after one pass.
type Decision struct {
	Claim   ClaimPlan
	Ledger  LedgerPlan
	Config  ConfigPlan
	Service Action
	Pod     PodPlan

	Status       chroma.ChromaStatus
	Conditions   []pass.Condition
	Events       []pass.Event
	Requirements map[string]pass.Requirement
	Ready        bool
	TTL          time.Duration
}

// An Action on one object.
type Action int

const (
	// Keep sends the previous intent of what is observed, and nothing for what is not. It is the default.
	Keep Action = iota
	// Apply sends what the spec asks for.
	Apply
	// LeaveOut has Crossplane delete the object.
	LeaveOut
)

// ClaimPlan is for the Object that holds the claim.
type ClaimPlan struct {
	Action Action
	Claim  objects.Claim
	// LookAgain, when it changes, has the provider look at the claim at once.
	LookAgain string
	Ready     bool
}

// LedgerPlan is for the Object that writes the record.
type LedgerPlan struct {
	Action    Action
	UID       types.UID
	Record    ledger.Record
	LookAgain string
	Ready     bool
}

// ConfigPlan is for the ConfigMap.
type ConfigPlan struct {
	Action  Action
	Content string
}

// PodPlan is for the Pod.
type PodPlan struct {
	Action Action
	// Image to start with Apply, and its product.
	Image   string
	Product chroma.Product
	// Admitted is the image that a webhook made of ours, written down with Keep.
	Admitted string
	// Adopt keeps a Pod that an earlier Chroma of this name left behind (kubectl delete --cascade=orphan).
	Adopt bool
	Ready bool
}

// A finding is a reason and what to say about it.
type finding struct {
	reason  reason.Reason
	message string
}

// none is the finding that nothing is the matter.
func (f finding) none() bool { return f.reason == "" }

// withoutServer is the finding for a Chroma of which no server runs.
func (f finding) withoutServer() finding {
	return finding{reason: f.reason, message: noServer + f.message}
}
