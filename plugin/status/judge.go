package status

import (
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
	case synced.Status == "False":
		out.Headline = "Crossplane cannot carry out what the function wants: " + synced.Message
		out.NextSteps = append(out.NextSteps, v1.NextStep{Why: "See what the API server said.", Command: "kubectl chroma events " + name})
	case server.Status == "False":
		out.Headline = told(server)
	case v.Chroma != nil && ready.Status != "True" && server.Status == "":
		out.Headline = told(ready)
		if out.Headline == "" {
			out.Headline = "Crossplane has not looked at it yet."
		}
		out.NextSteps = append(out.NextSteps, v1.NextStep{Why: "Wait for Crossplane.", Command: "kubectl chroma status " + name + " -w"})
	case v.Chroma == nil:
		judgeVald(out, name)
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
	out.NextSteps = slices.CompactFunc(out.NextSteps, func(a, b v1.NextStep) bool { return a == b })
}

// typeResponsive is Crossplane's own: False while its circuit breaker lets an object be looked at every 30 s only.
const typeResponsive = "Responsive"

// machineryTrouble tells whether nobody works on the object, and how to mend that.
func machineryTrouble(v *live.View, out *v1.Status, name string) bool {
	function := out.Crossplane.Function
	step := func(why, command string) {
		out.NextSteps = append(out.NextSteps, v1.NextStep{Why: why, Command: command})
	}
	switch {
	case v.Object.GetDeletionTimestamp() != nil:
		out.Headline = "It is being deleted. What it composed goes with it, and the claim stays unless its policy in effect is Delete."
		step("Watch what is left.", "kubectl chroma tree "+name+" -w")
	case out.Crossplane.Paused:
		out.Headline = "Crossplane is paused for it: nothing is changed, whatever the spec says."
		step("Let Crossplane go on.", fmt.Sprintf("kubectl annotate %s %s %s-", resourceOf(v), plain(out), annotationPaused))
	case function != nil && function.Missing:
		out.Headline = fmt.Sprintf("The Function %s is not installed: nobody decides. A running server goes on running.", function.Name)
		step("Install the function.", "kubectl chroma install")
	case function != nil && function.Installed == "False":
		out.Headline = fmt.Sprintf("The Function %s cannot be installed: %s", function.Name, function.Message)
		step("See its package.", "kubectl describe function.pkg.crossplane.io "+function.Name)
	case function != nil && function.Healthy == "False":
		out.Headline = fmt.Sprintf("The Function %s does not run: nobody decides. A running server goes on running. %s", function.Name, function.Message)
		step("See its Pod.", "kubectl get pods -A -l pkg.crossplane.io/function="+function.Name)
	default:
		return false
	}
	return true
}

// serves says what runs on which data.
func serves(out *v1.Status) string {
	if out.Data != nil && out.Data.Ahead && !out.Data.Unknown {
		return fmt.Sprintf("%s runs, and %s %s is recorded to start next.", orNothing(out.Image.Running), compatibility.Title(productOf(out.Data.Product)), out.Data.Version)
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
		return fmt.Sprintf("%s runs. Which version has opened the data last is not known.", orNothing(out.Image.Running))
	}
	return fmt.Sprintf("%s runs, on data that %s %s has opened.", orNothing(out.Image.Running), product, version)
}

func orNothing(image string) string {
	if image == "" {
		return "The server"
	}
	return image
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
