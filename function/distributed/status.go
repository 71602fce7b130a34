package distributed

import (
	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/reason"
)

// Endpoint of a distributed Chroma for clients.
func Endpoint(namespace string) string {
	return "http://rust-frontend-service." + namespace + ".svc:8000"
}

// status of the Chroma, whole: what a status leaves out is removed.
func (s situation) status(c course, server finding) *v1alpha1.ChromaStatus {
	status := &v1alpha1.ChromaStatus{
		Phase:              s.phase(server),
		ObservedGeneration: s.w.Chroma.GetGeneration(),
		Version:            s.runs(),
		Components:         s.components(),
		Retries:            retries(c.refusals),
	}
	if namespace := s.w.Chroma.GetNamespace(); namespace != "" {
		status.Endpoint = Endpoint(namespace)
	}
	status.VersionHistory, status.MigratedDatabase = s.record()
	for component, known := range c.repairs {
		if status.Repairs == nil {
			status.Repairs = map[string]v1alpha1.Repair{}
		}
		status.Repairs[component] = known.Repair
	}
	return status
}

// phase is the one word for how the Chroma is.
func (s situation) phase(server finding) v1alpha1.Phase {
	switch server.reason {
	case reason.ComponentsReady:
		return v1alpha1.PhaseReady
	case reason.MigrationRunning:
		return v1alpha1.PhaseMigrating
	case reason.ComponentsStarting, reason.FoundationPending, reason.MemberListPending, reason.WaitingForPredecessor, reason.Observing:
		return s.rolling()
	case reason.WaitingForChecks:
		if s.postgresResult.pending() || s.bucketResult.pending() {
			return s.rolling()
		}
	}
	return v1alpha1.PhaseFailed
}

// rolling is Updating for a system that was ready before, else Creating.
func (s situation) rolling() v1alpha1.Phase {
	if len(s.w.Workloads) < len(s.layout.Components) {
		return v1alpha1.PhaseCreating
	}
	if s.w.Chroma.Status.Phase == v1alpha1.PhaseCreating {
		return v1alpha1.PhaseCreating
	}
	return v1alpha1.PhaseUpdating
}

// runs is the version whose roll-out is done on all components. Empty: they differ.
func (s situation) runs() string {
	version := ""
	for i, component := range s.layout.Components {
		observed, there := s.w.Workloads[component.Name]
		if !there || observed.ObservedGeneration != observed.Meta.Generation ||
			observed.CurrentRevision != observed.UpdateRevision || observed.Updated < observed.Existing {
			return ""
		}
		commit, pinned := observed.commit()
		if pinned && s.derived && observed.Meta.Annotations[v1alpha1.AnnotationUserHash] == s.wanted[workloadRole(component)].UserHash {
			commit = s.version.Commit // It is made for what the user decides, the version among it.
		}
		if i > 0 && commit != version {
			return ""
		}
		version = commit
	}
	return version
}

func (s situation) components() map[string]v1alpha1.ComponentStatus {
	if len(s.w.Workloads) == 0 {
		return nil
	}
	out := make(map[string]v1alpha1.ComponentStatus, len(s.layout.Components))
	for _, component := range s.layout.Components {
		observed, there := s.w.Workloads[component.Name]
		if !there {
			continue
		}
		status := v1alpha1.ComponentStatus{Replicas: s.wantedReplicas(component, observed), Ready: observed.Ready}
		if members, listed := s.members(component); listed {
			count := int32(len(members)) //nolint:gosec // A MemberList of one namespace.
			status.Members = &count
		}
		out[component.Name] = status
	}
	return out
}

func (s situation) wantedReplicas(component chart.Component, observed Workload) int32 {
	if s.derived {
		return s.values.Components[component.Name].Replicas
	}
	return observed.Replicas
}
