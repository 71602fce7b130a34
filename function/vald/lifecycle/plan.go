package lifecycle

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/refusal"
	"github.com/function-chroma/function-chroma/function/vald"
)

// A plan is what the second phase wants.
type plan struct {
	// creation is the outcome of the phase.
	creation outcome
	// compose these. Nothing is composed while it waits or fails before the build.
	compose []pass.Object
	// prune what is observed and not composed.
	prune bool
	// releases that were built.
	releases     []vald.Release
	requirements map[string]pass.Requirement
	// refusals of writes.
	refusals []refusal.Refusal
	// conflict: a name belongs to somebody else.
	conflict bool
	ttl      time.Duration
}

// is ends a plan with an outcome.
func (p plan) is(state reason.Reason, message string, ttl time.Duration) plan {
	p.creation = outcome{phase: reason.WaitingCreateVrs, reason: state, message: message}
	p.ttl = ttl
	return p
}

// plan the second phase: build, and see what of it exists.
func (w world) plan() plan {
	p := plan{requirements: map[string]pass.Requirement{}}
	if w.configError != nil {
		return p.is(reason.Failed, failedPrefix+w.configError.Error(), settledTTL)
	}
	w.ask(p.requirements)

	template, ok, err := w.template()
	if err != nil {
		return p.is(reason.Failed, failedPrefix+err.Error(), requiredTTL)
	}
	capability, counted := w.capability()
	if !ok || !counted {
		return p.is(reason.Progressing, waitingCreationMessage, composedTTL)
	}
	releases, err := vald.Build(w.vor, w.config, template, capability)
	if err != nil {
		return p.is(reason.Failed, buildFailedPrefix+err.Error(), settledTTL)
	}
	if len(releases) == 0 {
		return p.is(reason.Failed, emptyBuildMessage+": "+w.missingNodes(), requiredTTL)
	}
	p.releases = releases
	return w.compose(p)
}

// A wish is one object that should exist.
type wish struct {
	release  vald.Release
	role     string
	manifest map[string]any
}

// wishes are what was built, in the form that the settings ask for.
func (w world) wishes(releases []vald.Release) ([]wish, error) {
	out := make([]wish, 0, len(releases))
	generation := strconv.FormatInt(w.managedGeneration(), 10)
	for _, built := range releases {
		manifest := labelled(built.Manifest, w.config.VRS.ManagedGenerationLabel, generation)
		if w.settings.DeliverObjects {
			name, err := providerConfigName(w.settings.ProviderConfigName, built)
			if err != nil {
				return nil, err
			}
			manifest = wrapped(manifest, built.Name, w.vor.GetNamespace(), name)
		}
		out = append(out, wish{release: built, role: w.role(built.Cluster.Name), manifest: manifest})
	}
	return out, nil
}

// compose what was built, as far as its names are ours to use and the API server takes it.
func (w world) compose(p plan) plan {
	wishes, err := w.wishes(p.releases)
	if err != nil {
		return p.is(reason.Failed, failedPrefix+err.Error(), settledTTL)
	}
	var aborted bool
	p.refusals, aborted = w.refusals(wishes)
	waiting := map[string]bool{}
	for _, refused := range p.refusals {
		waiting[refused.Role] = refused.Wait > 0
	}
	created := map[string]bool{}
	for _, cluster := range w.vor.Status.Clusters {
		created[cluster.Name] = cluster.Created
	}

	seen := survey{refusals: p.refusals}
	for _, wish := range wishes {
		name, cluster, observed := wish.release.Name, wish.release.Cluster.Name, w.observed[wish.role]
		if observed == nil && created[cluster] && !w.isObserved(cluster) {
			seen.deleted = append(seen.deleted, name)
		}
		switch {
		case isTerminating(observed):
			seen.terminating = append(seen.terminating, name)
			continue
		case aborted, waiting[wish.role]:
			continue // What is observed is kept as it is.
		case observed != nil:
			if !isDelivered(observed) {
				seen.undelivered = append(seen.undelivered, name)
			}
		default:
			if !seen.claim(name, w.mayUse(w.required[askName(wish.role)])) {
				continue
			}
			seen.missing = append(seen.missing, name)
		}
		p.compose = append(p.compose, pass.Object{Role: wish.role, Manifest: wish.manifest, Ready: isThere(observed)})
	}
	// Crossplane deletes before it applies: what is no longer built goes only when all that replaces it is there.
	p.prune = seen.complete()
	p.conflict = len(seen.taken) > 0
	state, message, ttl := seen.verdict()
	if aborted {
		ttl = min(ttl, vanishingTTL) // What this pass did not write.
	}
	return p.is(state, message, ttl)
}

// A survey of what was built: names of ValdReleases by how they are.
type survey struct {
	missing, undelivered, terminating, deleted, taken, unknown []string
	// refusals of writes.
	refusals []refusal.Refusal
}

// claim a name that is not observed. It is false when the name cannot be used in this pass.
func (s *survey) claim(name string, use usage) bool {
	switch use {
	case usageFree:
		return true
	case usageWait:
		s.terminating = append(s.terminating, name)
	case usageTaken:
		s.taken = append(s.taken, name)
	case usageUnknown:
		s.unknown = append(s.unknown, name)
	}
	return false
}

// complete is true when all that was built is there.
func (s *survey) complete() bool {
	return len(s.missing)+len(s.undelivered)+len(s.terminating)+len(s.taken)+len(s.unknown)+len(s.refusals) == 0
}

func (s *survey) verdict() (reason.Reason, string, time.Duration) {
	switch {
	case len(s.taken) > 0:
		return reason.Failed, failedPrefix + fmt.Sprintf(
			"%s: an object of this name belongs to somebody else and is not taken over: delete or rename it, or rename the cluster; "+
				"a ValdRelease without a controller is adopted when it carries the label %s=%s",
			few(s.taken), valdv1.LabelManagedResource, valdv1.KindValdRelease), requiredTTL
	case len(s.refusals) > 0:
		return reason.Failed, failedPrefix + "the API refuses a write: " + refusalWords(s.refusals[0]), nextTry(s.refusals)
	case len(s.deleted) > 0:
		return reason.Failed, failedPrefix + few(s.deleted) + " was deleted from outside and is created again", composedTTL
	case len(s.terminating) > 0:
		return reason.Failed, failedPrefix + few(s.terminating) + " is being deleted: it is created again when it is gone", vanishingTTL
	case len(s.missing)+len(s.unknown) > 0:
		return reason.Progressing, waitingCreationMessage, composedTTL
	case len(s.undelivered) > 0:
		return reason.Progressing, waitingCreationMessage + " Not yet in their clusters, see the Objects: " + few(s.undelivered), composedTTL
	}
	return reason.Succeeded, waitingCreationMessage, settledTTL
}

// isObserved is true when the ValdRelease of a cluster exists in either form.
func (w world) isObserved(cluster string) bool {
	return w.observed[localRole(cluster)] != nil || w.observed[deliveryRole(cluster)] != nil
}

// labelled is a manifest with one more label. The rest is shared with the manifest.
func labelled(manifest map[string]any, key, value string) map[string]any {
	out := maps.Clone(manifest)
	metadata, _ := out["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	labels, _ := metadata["labels"].(map[string]any)
	labels = maps.Clone(labels)
	if labels == nil {
		labels = map[string]any{}
	}
	labels[key] = value
	metadata["labels"] = labels
	out["metadata"] = metadata
	return out
}
