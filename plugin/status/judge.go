package status

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// judge says in a sentence how it is, whether it is healthy, and what to do. Crossplane's own trouble comes first: while
// it lasts, everything else that is shown can be old.
func judge(v *live.View, out *v1.Status) {
	name := fmt.Sprintf("-n %s %s", out.Namespace, out.Name)
	if v.Chroma == nil {
		name = fmt.Sprintf("-n %s vor/%s", out.Namespace, out.Name)
	}
	if machineryTrouble(v, out, name) {
		return
	}
	synced, ready := conditionOf(out, "Synced"), conditionOf(out, "Ready")
	server, blocked := decided(out, string(reason.ServerReady)), decided(out, string(reason.UpgradeBlocked))
	switch {
	case len(out.Conditions) == 0:
		out.Headline = "Crossplane has not looked at it yet."
		out.NextSteps = []v1.NextStep{
			{Why: "Wait. It takes a second.", Command: "kubectl chroma status " + name + " -w"},
			{Why: "If it lasts, see whether Crossplane runs.", Command: "kubectl get pods -n crossplane-system"},
		}
		return
	case synced.Status == "False":
		out.Headline = "Crossplane cannot carry out what is wanted: " + synced.Message
		out.NextSteps = append(out.NextSteps, nextForCrossplane(synced, name)...)
	case server.Status == "False":
		out.Headline = told(server)
	case v.Chroma != nil && ready.Status != "True" && server.Status == "":
		out.Headline = told(ready)
		if out.Headline == "" {
			out.Headline = "Crossplane has not looked at it yet."
		}
		out.NextSteps = append(out.NextSteps, v1.NextStep{Why: "Wait for Crossplane.", Command: "kubectl chroma status " + name + " -w"})
	case v.Chroma == nil:
		judgeVald(v, out, name)
	default:
		out.Healthy, out.Headline = true, serves(out)
	}
	if server.Status == "False" {
		out.NextSteps = append(out.NextSteps, nextFor(v, server, name)...)
	}
	if blocked.Status == "True" {
		switch {
		case !out.Healthy:
		case blocked.Reason == string(reason.ClaimTerminating):
			// The server still serves, and that is the only chance to save the data.
			out.Healthy, out.Headline = false, blocked.Message
		case blocked.Reason == string(reason.DataVersionUnknown):
			out.Headline += " Until it is declared nothing is replaced or started."
		default:
			out.Headline += " What the spec asks for is held back: " + blocked.Reason + "."
		}
		out.NextSteps = append(out.NextSteps, nextFor(v, blocked, name)...)
	}
	if out.Healthy && blocked.Reason == string(reason.LedgerPending) {
		out.Headline += " Its replacement waits: " + blocked.Message
		out.NextSteps = append(out.NextSteps, nextFor(v, blocked, name)...)
	}
	if !out.Healthy && conditionOf(out, typeResponsive).Status == statusFalse {
		out.NextSteps = append(out.NextSteps, v1.NextStep{Why: "Find out what changes so often.", Command: "kubectl chroma events " + name})
	}
	if out.Healthy && v.Distributed() && v.XR != nil && copied(v) && !seen(v) {
		// The function is not asked about it here.
		out.Headline += " Crossplane has not looked at the latest change yet."
	}
	if out.Healthy && !copied(v) {
		out.Headline += " Crossplane has not copied the spec to " + out.Composite + " yet."
	}
	out.NextSteps = once(out.NextSteps)
}

// once each: a command that two reasons ask for is given for the first of them.
func once(steps []v1.NextStep) []v1.NextStep {
	seen := map[string]bool{}
	return slices.DeleteFunc(steps, func(step v1.NextStep) bool {
		known := step.Command != "" && seen[step.Command]
		seen[step.Command] = true
		return known
	})
}

// serves says what runs on which data.
func serves(out *v1.Status) string {
	runs := cmp.Or(out.Image.Running, "The server")
	if out.Data != nil && out.Data.Ahead && !out.Data.Unknown {
		if out.Image.Running != "" && out.Image.Running == out.Image.Wanted {
			return runs + " runs. That it is ready is yet to be recorded."
		}
		return fmt.Sprintf("%s runs, and %s %s is recorded to start next.", runs, compatibility.Title(productOf(out.Data.Product)), out.Data.Version)
	}
	if out.Data == nil || out.Data.Version == "" {
		if out.Image.Running != "" {
			return fmt.Sprintf("It serves: %s.", out.Image.Running)
		}
		return "It is as it should be."
	}
	version := out.Data.Version
	product := compatibility.Title(productOf(out.Data.Product))
	if out.Data.Unknown {
		return fmt.Sprintf("%s runs. Which version has opened the data last is not known.", runs)
	}
	return fmt.Sprintf("%s runs, on data that %s %s has opened.", runs, product, version)
}

// told is a condition's message, or its reason where it has none.
func told(c v1.Condition) string {
	if c.Message != "" {
		return c.Message
	}
	return c.Reason
}

func conditionOf(out *v1.Status, kind string) v1.Condition {
	for _, condition := range out.Conditions {
		if condition.Type == kind {
			return condition
		}
	}
	return v1.Condition{}
}

// decided now, or what stands in the cluster where the function could not be asked.
func decided(out *v1.Status, kind string) v1.Condition {
	for _, condition := range out.Decision {
		if condition.Type == kind {
			return condition
		}
	}
	return conditionOf(out, kind)
}
