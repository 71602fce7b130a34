package status

import (
	"fmt"

	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
)

// valdPhases of a ValdOperatorRelease, which follow each other.
func valdPhases() []reason.ConditionType {
	return []reason.ConditionType{reason.WaitingClusterCreate, reason.WaitingCreateVrs, reason.ValdCompleted}
}

// judgeVald says how a ValdOperatorRelease is: the first phase that is not over says why.
func judgeVald(out *v1.Status, name string) {
	for _, phase := range valdPhases() {
		condition := decided(out, string(phase))
		if condition.Status == statusTrue {
			continue
		}
		out.Headline = told(condition)
		if out.Headline == "" {
			out.Headline = "Crossplane has not looked at it yet."
		}
		step := v1.NextStep{Why: "Wait.", Command: fmt.Sprintf("kubectl chroma status %s -w", name)}
		switch reason.Reason(condition.Reason) {
		case reason.Pending:
			step = v1.NextStep{Why: "Fill in what the message names, unless another system does.", Command: "kubectl edit valdoperatorrelease " + plain(out)}
		case reason.Failed:
			step = v1.NextStep{Why: "Correct what the message names.", Command: "kubectl edit valdoperatorrelease " + plain(out)}
		}
		out.NextSteps = append(out.NextSteps, step)
		return
	}
	out.Healthy, out.Headline = true, "Every ValdRelease of its active clusters exists."
}

// plain arguments for kubectl's own commands.
func plain(out *v1.Status) string { return fmt.Sprintf("-n %s %s", out.Namespace, out.Name) }
