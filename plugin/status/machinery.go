package status

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/live"
)

const (
	// typeResponsive is Crossplane's own: False while its circuit breaker lets an object be looked at every 30 s only.
	typeResponsive   = "Responsive"
	annotationPaused = "crossplane.io/paused"
)

// machineryTrouble tells whether nobody works on the object, and how to mend that.
func machineryTrouble(v *live.View, out *v1.Status, name string) bool {
	function := out.Crossplane.Function
	step := func(why, command string) {
		out.NextSteps = append(out.NextSteps, v1.NextStep{Why: why, Command: command})
	}
	switch {
	case v.Object.GetDeletionTimestamp() != nil:
		out.Headline = "It is being deleted. What it composed goes with it, and the claim stays unless its policy in effect is Delete."
		if held := pausedOne(v); held != nil {
			out.Headline = fmt.Sprintf("It is being deleted, and does not go while Crossplane is paused for %s %s.", held.GetKind(), held.GetName())
			step("Let Crossplane go on.", unpause(held))
		}
		step("Watch what is left.", "kubectl chroma tree "+name+" -w")
	case out.Crossplane.Paused:
		held := pausedOne(v)
		out.Headline = "Crossplane is paused for it: nothing is changed, whatever the spec says."
		switch {
		case v.IsClaim() && held == v.Object:
			out.Headline = "Crossplane is paused for this claim: what its spec says is not copied to " + cmp.Or(out.Composite, "a composite") + "."
		case held != v.Object:
			out.Headline = fmt.Sprintf("Crossplane is paused for %s behind it: nothing is changed, whatever the spec says.", out.Composite)
		}
		step("Let Crossplane go on.", unpause(held))
	case function != nil && function.Missing:
		out.Headline = fmt.Sprintf("The Function %s is not installed: nobody decides. A running server goes on running.", function.Name)
		out.NextSteps = append(out.NextSteps, installation(v))
	case function != nil && function.Installed == statusFalse:
		out.Headline = fmt.Sprintf("The Function %s cannot be installed: %s", function.Name, function.Message)
		step("See its package.", "kubectl describe function.pkg.crossplane.io "+function.Name)
	case function != nil && function.Healthy == statusFalse:
		out.Headline = fmt.Sprintf("The Function %s does not run: nobody decides. A running server goes on running. %s", function.Name, function.Message)
		step("See its Pod.", "kubectl get pods -A -l pkg.crossplane.io/function="+function.Name)
	case noComposition(v) && conditionOf(out, "Synced").Status == statusFalse:
		out.Headline = "Crossplane has no Composition for it, so nobody decides: " + conditionOf(out, "Synced").Message
		step("See which Compositions there are.", "kubectl get compositions.apiextensions.crossplane.io")
		out.NextSteps = append(out.NextSteps, installation(v))
	default:
		return false
	}
	return true
}

// noComposition was chosen, or it is not there any more: it went with its Configuration, for example.
func noComposition(v *live.View) bool {
	m := v.Machinery
	return v.XR != nil && (m.CompositionMissing || m.Composition == "" && m.Revision == "")
}

// pausedOne is the object that Crossplane is paused for. Behind a claim it is the claim or the composite, and while both are
// paused the composite counts: that is where the work is done.
func pausedOne(v *live.View) *unstructured.Unstructured {
	switch {
	case v.XR != nil && paused(v.XR):
		return v.XR
	case paused(v.Object):
		return v.Object
	}
	return nil
}

func paused(object *unstructured.Unstructured) bool {
	return object.GetAnnotations()[annotationPaused] == "true"
}

func unpause(object *unstructured.Unstructured) string {
	where := object.GetName()
	if object.GetNamespace() != "" {
		where = "-n " + object.GetNamespace() + " " + where
	}
	return fmt.Sprintf("kubectl annotate %s %s %s-", strings.ToLower(object.GetKind()), where, annotationPaused)
}

// nextForCrossplane is what to do about a pass that Crossplane could not end.
func nextForCrossplane(synced v1.Condition, name string) []v1.NextStep {
	if strings.Contains(synced.Message, live.AnnotationRole) {
		return []v1.NextStep{{Why: "Find the object that has lost the annotation, and give it back or delete the object.", Command: "kubectl chroma tree " + name}}
	}
	return []v1.NextStep{{Why: "See what the API server said.", Command: "kubectl chroma events " + name}}
}

// installation of what works on the object. Which version ran before, the cluster does not say any more.
func installation(v *live.View) v1.NextStep {
	version, why := releasedVersion(), "Install what is missing, in the version of this plugin."
	if version == "" {
		version, why = "VERSION", "Install what is missing. VERSION is the one that ran before, like v0.1.0."
	}
	command := "kubectl chroma install --version " + version + " --apply"
	if v.IsClaim() {
		command += " --claims"
	}
	return v1.NextStep{Why: why, Command: command}
}

// releasedVersion of the plugin, empty for one that was built otherwise.
func releasedVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	version, err := semver.NewVersion(info.Main.Version)
	if err != nil || version.Prerelease() != "" || version.Metadata() != "" {
		return ""
	}
	return info.Main.Version
}
