package lifecycle

import (
	"fmt"

	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// Messages of the Vald Operator: tools match on them.
const (
	waitingClusterMessage  = "Waiting for Cluster Creation."
	waitingCreationMessage = "Waiting for VRS creation."
	completedMessage       = "VRS creation completed successfully."

	failedPrefix      = "failed: "
	buildFailedPrefix = failedPrefix + "failed to sync resources for condition WaitingCreateVrs: failed to build desired resource: "
	emptyBuildMessage = buildFailedPrefix + "builder rendered no ValdRelease objects; refusing to sync an empty desired set: built resource is nil"
)

// An outcome is what evaluating a phase gave. The reason is its readiness state.
type outcome struct {
	phase   reason.ConditionType
	reason  reason.Reason
	message string
}

func (o outcome) condition() pass.Condition {
	return pass.Condition{Type: o.phase, Status: statusOf(o.reason), Reason: o.reason, Message: o.message}
}

// statusOf a readiness state.
func statusOf(state reason.Reason) pass.ConditionStatus {
	switch state {
	case reason.Succeeded:
		return pass.True
	case reason.Failed:
		return pass.False
	default:
		return pass.Unknown
	}
}

// provisioning evaluates the first phase: whether every active cluster has an id and a name. It is all or nothing.
func (w world) provisioning() outcome {
	is := func(state reason.Reason, message string) outcome {
		return outcome{phase: reason.WaitingClusterCreate, reason: state, message: message}
	}
	if len(w.vor.Spec.Infrastructure) == 0 {
		return is(reason.Failed, failedPrefix+"infrastructure configuration is missing")
	}
	active := false
	for _, entry := range w.vor.Spec.Infrastructure {
		if !entry.Active {
			continue
		}
		active = true
		if len(entry.Clusters) == 0 {
			return is(reason.Failed, failedPrefix+"no clusters defined in configuration")
		}
		for _, cluster := range entry.Clusters {
			if cluster.ID == "" || cluster.Name == "" {
				return is(reason.Pending, fmt.Sprintf("waiting for cluster to be provisioned: {id: %s, name: %s}", cluster.ID, cluster.Name))
			}
		}
	}
	if !active {
		return is(reason.Pending, "waiting for at least one active infrastructure entry")
	}
	return is(reason.Succeeded, waitingClusterMessage)
}

// accumulated conditions: the evaluated ones, and later ones as they were. Once there, a condition is never removed.
func accumulated(evaluated []outcome, before map[reason.ConditionType]pass.Condition) []pass.Condition {
	phases := []struct {
		phase   reason.ConditionType
		message string
	}{
		{reason.WaitingClusterCreate, waitingClusterMessage},
		{reason.WaitingCreateVrs, waitingCreationMessage},
		{reason.ValdCompleted, completedMessage},
	}
	out := make([]pass.Condition, 0, len(phases))
	for i, p := range phases {
		if i < len(evaluated) {
			out = append(out, evaluated[i].condition())
			continue
		}
		condition, ok := before[p.phase]
		if !ok {
			break
		}
		// When a pass is aborted, Crossplane sets the conditions of functions to Unknown for reasons of its own.
		switch condition.Reason {
		case reason.Progressing, reason.Pending, reason.Succeeded, reason.Failed:
		default:
			condition = outcome{phase: p.phase, reason: reason.Progressing, message: p.message}.condition()
		}
		out = append(out, condition)
	}
	return out
}
