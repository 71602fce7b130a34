package distributed

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// job that migrates the wanted version, as observed. Nil: none.
func (s situation) job() *batchv1.Job {
	return s.w.Jobs[chart.MigrationRole(s.version.Commit)]
}

// migrated says that the wanted version is migrated on the wanted database: by its Job, or by the history, since a Job
// that is done may be deleted by a person, by what cleans up Jobs, or when a later version was migrated. The history does
// not count for a database that was emptied since: it is migrated when its Job is deleted.
func (s situation) migrated() bool {
	job := s.job()
	if job != nil && job.DeletionTimestamp == nil && s.done(job) {
		return true
	}
	return slices.Contains(s.history(), s.version.Commit) && !s.emptied()
}

// emptied says that the database answers, and that nothing has migrated it.
func (s situation) emptied() bool {
	return s.postgresResult.Status == pass.True && s.w.Checks.Revision == ""
}

// done says that a Job has migrated the wanted database.
func (s situation) done(job *batchv1.Job) bool {
	return jobHas(job, batchv1.JobComplete) && s.sameDatabase(job)
}

// sameDatabase says that a Job migrates the wanted database. Where it stands is read from the Job's own arguments.
func (s situation) sameDatabase(job *batchv1.Job) bool {
	if job == nil {
		return false
	}
	for _, container := range job.Spec.Template.Spec.Containers {
		for _, argument := range container.Args {
			target, err := url.Parse(argument)
			if err != nil || target.Scheme != "postgres" {
				continue
			}
			return target.Host+target.Path == database(s.values.Postgres)
		}
	}
	return false
}

// A fate of an observed Job of the wanted version. Its Pod template cannot change on a live object.
type fate int

const (
	// frozen: it is completed for this version and database, or is the wanted one.
	frozen fate = iota
	// replaced: it differs and is deleted, to be made anew.
	replaced
)

func (s situation) jobFate(job *batchv1.Job) fate {
	if s.done(job) {
		return frozen
	}
	wanted := s.wanted[chart.MigrationRole(s.version.Commit)]
	if job.Annotations[v1alpha1.AnnotationUserHash] == wanted.UserHash && !jobHas(job, batchv1.JobComplete) {
		return frozen
	}
	return replaced
}

// migrationFinding says how the migration goes.
func (s situation) migrationFinding() finding {
	job := s.job()
	name := chart.MigrationPrefix + s.version.Commit
	switch {
	case job == nil:
		return finding{reason.MigrationRunning, fmt.Sprintf("Job %s is being created.", name)}
	case job.DeletionTimestamp != nil || s.jobFate(job) == replaced:
		return finding{reason.MigrationRunning, fmt.Sprintf("Job %s is deleted and made anew, since it was made for other settings.", name)}
	case jobHas(job, batchv1.JobFailed):
		return finding{reason.MigrationFailed, fmt.Sprintf(
			"Job %s failed.%s Mend what it names and delete the Job, then it is made anew: kubectl delete job -n %s %s",
			name, s.migrationPod(), job.Namespace, name)}
	}
	if pods, answered := s.w.pods(askMigrationPods); answered && len(pods) == 0 {
		return finding{reason.MigrationRunning, fmt.Sprintf("Job %s migrates Postgres.%s See: kubectl describe job -n %s %s", name, noPod, job.Namespace, name)}
	}
	return finding{reason.MigrationRunning, fmt.Sprintf("Job %s migrates Postgres.%s", name, s.migrationPod())}
}

// otherMigration names a Job of another version that has not ended. It is left alone, since a migration that is stopped
// in its middle helps nobody, and one that cannot begin is a person's to end.
func (s situation) otherMigration() string {
	for _, role := range slices.Sorted(maps.Keys(s.w.Jobs)) {
		job := s.w.Jobs[role]
		if role == chart.MigrationRole(s.version.Commit) || ended(job) || job.DeletionTimestamp != nil {
			continue
		}
		return fmt.Sprintf(" Job %s of another version has not ended, and goes when it has. To end it: kubectl delete job -n %s %s",
			job.Name, job.Namespace, job.Name)
	}
	return ""
}

// migrationPod says what state the Job's latest Pod is in, with the last words of its container.
func (s situation) migrationPod() string {
	pods, _ := s.w.pods(askMigrationPods)
	var latest *corev1.Pod
	for i := range pods {
		if latest == nil || latest.CreationTimestamp.Before(&pods[i].CreationTimestamp) {
			latest = &pods[i]
		}
	}
	if latest == nil {
		return ""
	}
	if problem := podProblem(*latest); !problem.none() {
		return " " + s.quoted(problem).told().message
	}
	return fmt.Sprintf(" Its Pod %s is %s.", latest.Name, strings.ToLower(string(latest.Status.Phase)))
}
