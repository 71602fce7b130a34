package lifecycle

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/vald"
	"github.com/function-chroma/function-chroma/function/vald/config"
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
	releases     []vald.ValdRelease
	requirements map[string]pass.Requirement
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

// compose what was built, as far as its names are ours to use.
func (w world) compose(p plan) plan {
	created := map[string]bool{}
	for _, cluster := range w.vor.Status.Clusters {
		created[cluster.Name] = cluster.Created
	}
	var seen survey
	generation := strconv.FormatInt(w.managedGeneration(), 10)
	for _, built := range p.releases {
		manifest := labelled(built.Manifest, w.config.VRS.ManagedGenerationLabel, generation)
		if w.settings.DeliverObjects {
			name, err := providerConfigName(w.settings.ProviderConfigName, built)
			if err != nil {
				return p.is(reason.Failed, failedPrefix+err.Error(), settledTTL)
			}
			manifest = wrapped(manifest, built.Name, w.vor.GetNamespace(), name)
		}
		role := w.role(built.Cluster.Name)
		observed, ok := w.observed[role]
		if !ok {
			if created[built.Cluster.Name] && !w.isObserved(built.Cluster.Name) {
				seen.deleted = append(seen.deleted, built.Name)
			}
			if !seen.claim(built.Name, w.mayUse(w.required[askName(role)])) {
				continue
			}
			seen.missing = append(seen.missing, built.Name)
		}
		if isTerminating(observed) {
			seen.terminating = append(seen.terminating, built.Name)
			continue
		}
		if ok && !isThere(observed) {
			seen.undelivered = append(seen.undelivered, built.Name)
		}
		p.compose = append(p.compose, pass.Object{Role: role, Manifest: manifest, Ready: isThere(observed)})
	}
	// Crossplane deletes before it applies: what is no longer built goes only when all that replaces it is there.
	p.prune = seen.complete()
	p.conflict = len(seen.taken) > 0
	state, message, ttl := seen.verdict()
	return p.is(state, message, ttl)
}

// A survey of what was built: names of ValdReleases by how they are.
type survey struct {
	missing, undelivered, terminating, deleted, taken, unknown []string
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
	return len(s.missing)+len(s.undelivered)+len(s.terminating)+len(s.taken)+len(s.unknown) == 0
}

func (s *survey) verdict() (reason.Reason, string, time.Duration) {
	switch {
	case len(s.taken) > 0:
		return reason.Failed, failedPrefix + fmt.Sprintf(
			"%s: an object of this name belongs to somebody else and is not taken over: delete or rename it, or rename the cluster; "+
				"a ValdRelease without a controller is adopted when it carries the label %s=%s",
			few(s.taken), valdv1.LabelManagedResource, valdv1.KindValdRelease), requiredTTL
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

// template over which everything is layered. It is false when the ConfigMap that has it was not answered yet.
func (w world) template() (map[string]any, bool, error) {
	if w.settings.DefaultTemplate != nil {
		return w.settings.DefaultTemplate, true, nil
	}
	if from := w.settings.DefaultTemplateFrom; from.Name != "" {
		found := w.required[askTemplate]
		if !found.Answered {
			return nil, false, nil
		}
		if found.Absent() {
			return nil, false, fmt.Errorf("cannot read the default template: there is no ConfigMap %s in the namespace", from.Name)
		}
		text, ok, _ := unstructured.NestedString(found.Object().Object, "data", from.Key)
		if !ok {
			return nil, false, fmt.Errorf("cannot read the default template: the ConfigMap %s has no key %s", from.Name, from.Key)
		}
		template, err := config.ParseTemplate([]byte(text))
		return template, true, err
	}
	if len(w.settings.DefaultTemplateFile) > 0 {
		template, err := config.ParseTemplate(w.settings.DefaultTemplateFile)
		return template, true, err
	}
	return config.ShippedTemplate(), true, nil
}

// capability of the nodes. It is false when they were asked for and not answered yet.
func (w world) capability() (vald.Capability, bool) {
	if !w.config.NodePool.RequireMatch {
		return vald.Capability{}, true
	}
	found := w.required[askNodes]
	var out vald.Capability
	for _, node := range found.Objects {
		switch node.GetLabels()[w.config.NodePool.Key(valdv1.LabelType)] {
		case valdv1.PoolGeneral:
			out.General = true
		case valdv1.PoolAgent:
			out.Agent = true
		}
	}
	return out, found.Answered
}

// missingNodes says which labels were looked for.
func (w world) missingNodes() string {
	key := w.config.NodePool.Key
	return fmt.Sprintf("no Node has the labels %s=%s and %s=%s", key(valdv1.LabelNamespace), w.vor.GetNamespace(), key(valdv1.LabelType), valdv1.PoolGeneral)
}
