package distributed

import (
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/pass"
)

// The names of the questions.
const (
	askPostgresSecret = "secret-postgres"
	askBucketSecret   = "secret-object-storage"
	askMigrationPods  = "pods-migration"
	askNamePrefix     = "name-"
	askPodsPrefix     = "pods-"
	askListPrefix     = "memberlist-"
)

func askName(role string) string      { return askNamePrefix + role }
func askPods(component string) string { return askPodsPrefix + component }
func askList(component string) string { return askListPrefix + component }

// Object of provider-kubernetes that holds a MemberList.
const (
	objectAPIVersion = "kubernetes.m.crossplane.io/v1alpha1"
	objectKind       = "Object"
)

// requirements of the next call. They depend on what is observed alone, so that the second call of a pass asks no more
// than the first. Every kind here is namespaced and asked with its namespace.
func (s situation) requirements() map[string]pass.Requirement {
	out := map[string]pass.Requirement{}
	ask := func(question string, requirement pass.Requirement) {
		requirement.Namespace = s.w.Chroma.GetNamespace()
		out[question] = requirement
	}
	if s.w.Chroma.GetNamespace() == "" || s.w.Chroma.Spec.Distributed == nil {
		return out
	}
	// Secrets of the Chroma's own namespace only.
	spec := s.w.Chroma.Spec.Distributed
	ask(askPostgresSecret, pass.Requirement{APIVersion: "v1", Kind: "Secret", Name: spec.Postgres.CredentialsSecret.Name})
	ask(askBucketSecret, pass.Requirement{APIVersion: "v1", Kind: "Secret", Name: spec.ObjectStorage.S3.CredentialsSecret.Name})

	// The accounts come first, one of which decides who has the namespace, and the other names when it is ours.
	for _, object := range s.objects {
		if s.w.Observed[object.Role] != nil || (object.Kind != chart.KindServiceAccount && !s.w.holdsNamespace()) {
			continue
		}
		requirement := pass.Requirement{APIVersion: object.APIVersion, Kind: object.Kind, Name: object.Name}
		if object.Kind == chart.KindMemberList {
			requirement.APIVersion, requirement.Kind = objectAPIVersion, objectKind
		}
		ask(askName(object.Role), requirement)
	}
	for _, component := range s.layout.Components {
		// The live lists: an Object's copy can be ten minutes old.
		if component.MemberList != "" && s.w.holdsNamespace() {
			ask(askList(component.Name), pass.Requirement{APIVersion: chart.MemberListAPIVersion, Kind: chart.KindMemberList, Name: component.MemberList})
		}
		// A work queue that is being replaced has no Pod wanted, and is rolled out in that sense too.
		observed, there := s.w.Workloads[component.Name]
		if there && (component.MemberList != "" || observed.Replicas == 0 || !observed.RolledOut()) {
			ask(askPods(component.Name), pass.Requirement{APIVersion: "v1", Kind: "Pod", Labels: map[string]string{"app": component.Workload}})
		}
	}
	// Not by s.migrated, which knows what the check of Postgres has answered.
	if job := s.job(); job != nil && !s.done(job) {
		ask(askMigrationPods, pass.Requirement{APIVersion: "v1", Kind: "Pod", Labels: map[string]string{"batch.kubernetes.io/job-name": job.GetName()}})
	}
	return out
}
