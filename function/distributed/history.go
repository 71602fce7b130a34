package distributed

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/reason"
)

// ByHand begins the part of a message that says which annotation to set. A command that sets it leaves it out.
const ByHand = "Nothing is changed. To go back all the same:"

// database that a Chroma migrates, by which a history is told from that of another database.
func database(postgres chart.Postgres) string {
	return net.JoinHostPort(postgres.Host, strconv.Itoa(int(postgres.Port))) + "/" + postgres.Database
}

// history of the versions migrated on the wanted database, oldest first: those recorded, and those whose Job says so.
func (s situation) history() []string {
	return append(slices.Clone(s.recorded()), s.unrecorded()...)
}

// recorded history of the wanted database.
func (s situation) recorded() []string {
	status := s.w.Chroma.Status
	if status.MigratedDatabase != "" && status.MigratedDatabase != database(s.values.Postgres) {
		return nil
	}
	return status.VersionHistory
}

// unrecorded versions that have migrated the wanted database by their Jobs, oldest first. The spec may have gone back
// while the Job of a later version was running.
func (s situation) unrecorded() []string {
	recorded := s.recorded()
	var commits []string
	for role, job := range s.w.Jobs {
		if commit := strings.TrimPrefix(role, chart.MigrationRole("")); s.done(job) && !slices.Contains(recorded, commit) {
			commits = append(commits, commit)
		}
	}
	completed := func(commit string) time.Time {
		if at := s.w.Jobs[chart.MigrationRole(commit)].Status.CompletionTime; at != nil {
			return at.Time
		}
		return time.Time{}
	}
	slices.SortFunc(commits, func(a, b string) int {
		return cmp.Or(completed(a).Compare(completed(b)), cmp.Compare(age(a), age(b)), cmp.Compare(a, b))
	})
	return commits
}

// mayMigrate says whether the wanted version may run on what the database has, and if it may not, why. A finding
// with DowngradeAllowed is no refusal.
func (s situation) mayMigrate() (allowed bool, why finding) {
	history := s.history()
	if len(history) == 0 {
		return s.mayMigrateUnknown()
	}
	last, wanted := history[len(history)-1], s.version.Commit
	switch {
	case last == wanted:
		return true, finding{}
	case slices.Contains(history, wanted):
	case age(last) < 0 && s.w.Checks.Revision != "":
		// A later or an earlier release of this function knows the last version. The database says which is newer.
		return s.mayMigrateUnknown()
	case age(last) >= 0 && age(wanted) > age(last):
		return true, finding{}
	}
	if s.w.allowsDowngrade() {
		return true, finding{reason.DowngradeAllowed, fmt.Sprintf(
			"Version %s runs on a database that version %s has migrated, since the annotation %s allows it.", wanted, last, v1alpha1.AnnotationAllowDowngrade)}
	}
	how := "is older"
	switch {
	case age(last) < 0:
		how = "may be older: this function does not know the other"
	case age(wanted) > age(last):
		how = "had migrated it before that"
	}
	return false, finding{reason.Downgrade, fmt.Sprintf(
		"Version %s has migrated the database, and %s %s. %s kubectl annotate chroma -n %s %s %s=%q",
		last, wanted, how, ByHand, s.w.Chroma.GetNamespace(), s.w.Chroma.GetName(), v1alpha1.AnnotationAllowDowngrade, v1alpha1.AnnotationTrue)}
}

// mayMigrateUnknown asks the database itself, where no history says what has migrated it. Once our own Job is there,
// the question was answered.
func (s situation) mayMigrateUnknown() (bool, finding) {
	if s.sameDatabase(s.job()) || !newer(s.w.Checks.Revision, s.version.Migration.Latest) {
		return true, finding{}
	}
	if s.w.allowsDowngrade() {
		return true, finding{reason.DowngradeAllowed, fmt.Sprintf(
			"The database has revision %s, newer than the %s of version %s. The annotation %s allows it.",
			s.w.Checks.Revision, s.version.Migration.Latest, s.version.Commit, v1alpha1.AnnotationAllowDowngrade)}
	}
	return false, finding{reason.PostgresNewer, fmt.Sprintf(
		"The database has revision %s, and version %s knows those up to %s: a newer version has migrated it. Nothing is created or changed.",
		s.w.Checks.Revision, s.version.Commit, s.version.Migration.Latest)}
}

// newer compares revisions of the migration tool, which are times of 14 digits.
func newer(revision, latest string) bool {
	return len(revision) > len(latest) || (len(revision) == len(latest) && revision > latest)
}

// record the history with the wanted version, once that is migrated, and with what was migrated besides. It stays in the
// order of the migrations: a version that went back changed nothing in the database.
func (s situation) record() (history []string, of string) {
	status := s.w.Chroma.Status
	if !s.derived || (!s.migrated() && len(s.unrecorded()) == 0) {
		return status.VersionHistory, status.MigratedDatabase
	}
	history = s.history()
	if s.migrated() && !slices.Contains(history, s.version.Commit) {
		history = append(history, s.version.Commit)
	}
	return history, database(s.values.Postgres)
}
