package chart

import (
	corev1 "k8s.io/api/core/v1"
	applybatchv1 "k8s.io/client-go/applyconfigurations/batch/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// MigrationPrefix begins the name of every migration Job. The commit follows.
const MigrationPrefix = "sysdb-migration-"

// MigrationContainer is the one container of the migration Job.
const MigrationContainer = "migration"

// MigrationRole is the role of the Job of a version. Jobs of different versions are different objects.
func MigrationRole(commit string) string { return RoleOf(KindJob, MigrationPrefix+commit) }

func (v Version) migration(values Values) Object {
	environment := v.Migration.Environment(values)
	template := applycorev1.PodTemplateSpec().
		WithLabels(map[string]string{labelApp: "sysdb-migration"}).
		WithSpec(applycorev1.PodSpec().
			WithRestartPolicy(corev1.RestartPolicyOnFailure).
			WithContainers(applycorev1.Container().
				WithName(MigrationContainer).
				WithImage(v.image(values.Registry, v.Migration.Image)).
				WithImagePullPolicy(corev1.PullIfNotPresent).
				WithArgs(v.Migration.Args(values)...).
				WithEnv(environment...)))
	addTo(template, environment, values, "")
	name := MigrationPrefix + v.Commit
	hash := v.hash(values, environment, nil)
	return Object{
		UserHash: hash,
		Role:     MigrationRole(v.Commit), Tier: TierMigration, APIVersion: apiBatch, Kind: KindJob, Name: name,
		Manifest: applybatchv1.Job(name, values.Namespace).
			WithLabels(labels(values)).
			WithAnnotations(map[string]string{v1alpha1.AnnotationUserHash: hash}).
			WithSpec(applybatchv1.JobSpec().WithTemplate(template)),
	}
}
