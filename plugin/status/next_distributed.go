package status

import (
	"fmt"
	"slices"
	"strings"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// nextForComponents is nextFor a distributed Chroma.
func nextForComponents(v *live.View, because v1.Condition, name string) []v1.NextStep {
	one := func(why, format string, args ...any) []v1.NextStep {
		return []v1.NextStep{{Why: why, Command: fmt.Sprintf(format, args...)}}
	}
	wait := one("Wait.", "kubectl chroma status %s -w", name)
	switch reason.Reason(because.Reason) {
	case reason.ComponentsStarting, reason.FoundationPending, reason.Observing:
		return wait
	case reason.WaitingForPredecessor:
		return waitForPredecessor(v.Namespace(), name)
	case reason.MigrationRunning:
		return append(wait, one("If it lasts, read its log.", "kubectl logs -n %s job/%s", v.Namespace(), migration(v))...)
	case reason.MemberListPending:
		return append(wait, one("If it lasts, provider-kubernetes may be down, or lack a ProviderConfig.",
			"kubectl get objects.kubernetes.m.crossplane.io -n %s", v.Namespace())...)
	case reason.MigrationFailed:
		return append(
			one("Read why, and mend it.", "kubectl logs -n %s job/%s", v.Namespace(), migration(v)),
			one("Then have it tried again.", "kubectl delete job -n %s %s", v.Namespace(), migration(v))...)
	case reason.RolloutStuck:
		// The function ends its message with the command.
		if i := strings.LastIndex(because.Message, "kubectl delete pod "); i >= 0 {
			return one("Delete the Pod that is in the way.", "%s", because.Message[i:])
		}
	case reason.WaitingForChecks:
		return one("See what is wrong with Postgres or the bucket.", "kubectl chroma check %s", name)
	case reason.Downgrade, reason.PostgresNewer:
		if allowedSince(v, because) {
			return one("Wait: it is allowed, and Crossplane has not looked since.", "kubectl chroma status %s -w", name)
		}
		return append(versionBack(v, name), one("Or allow it.", "kubectl chroma allow downgrade %s", name)...)
	case reason.VersionNotKnown:
		return versionBack(v, name)
	case reason.WriteRefused:
		return one("See what the API server said. It is tried again by itself.", "kubectl chroma events %s", name)
	case reason.CrashLoopBackOff, reason.ImagePullBackOff, reason.ContainerError, reason.OOMKilled, reason.SegmentationFault,
		reason.IllegalInstruction, reason.Completed, reason.Unschedulable, reason.PodNotReady:
		return one("Find the Pod that the message names.", "kubectl get pods -n %s", v.Namespace())
	case reason.DistributedNamespaceTaken:
		return one("Delete this one, and create it in a namespace of its own.", "kubectl delete chroma %s", name)
	case reason.FieldNotInVersion, reason.RequestAboveLimit, reason.InvalidSpec:
		return one("Correct what the message names.", "kubectl edit chroma %s", name)
	}
	return one("Read what the reason means.", "kubectl chroma explain %s", because.Reason)
}

// allowedSince tells of a change of a distributed Chroma that is held back, whether a person has allowed it and no pass
// has seen that. Its function is not asked here.
func allowedSince(v *live.View, blocked v1.Condition) bool {
	return v.Distributed() && slices.Contains([]reason.Reason{reason.Downgrade, reason.PostgresNewer}, reason.Reason(blocked.Reason)) &&
		v.Object.GetAnnotations()[chroma.AnnotationAllowDowngrade] == chroma.AnnotationTrue
}

// migration is the name of the Job of the wanted version.
func migration(v *live.View) string {
	if v.Chroma.Spec.Distributed == nil {
		return chart.MigrationPrefix
	}
	return chart.MigrationPrefix + v.Chroma.Spec.Distributed.Version
}

// versionBack to the one that runs, or to the one that migrated the database last.
func versionBack(v *live.View, name string) []v1.NextStep {
	version, why := v.Chroma.Status.Version, "Set the version back to the one that runs."
	if history := v.Chroma.Status.VersionHistory; version == "" && len(history) > 0 {
		version, why = history[len(history)-1], "Set the version back to the one that migrated the database last."
	}
	if version == "" {
		version, why = "VERSION", "Set a version that the message names, as VERSION."
	}
	return []v1.NextStep{{
		Why:     why,
		Command: fmt.Sprintf(`kubectl patch chroma %s --type=merge -p '{"spec":{"distributed":{"version":"%s"}}}'`, name, version),
	}}
}
