package status

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/vald"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// valdPhases of a ValdOperatorRelease, which follow each other.
func valdPhases() []reason.ConditionType {
	return []reason.ConditionType{reason.WaitingClusterCreate, reason.WaitingCreateVrs, reason.ValdCompleted}
}

// judgeVald says how a ValdOperatorRelease is: the first phase that is not over says why.
func judgeVald(v *live.View, out *v1.Status, name string) {
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
			out.NextSteps = append(out.NextSteps, others(v, out, condition.Message)...)
		}
		out.NextSteps = append(out.NextSteps, step)
		return
	}
	out.Healthy, out.Headline = true, "Every ValdRelease of its active clusters exists."
}

// plain arguments for kubectl's own commands.
func plain(out *v1.Status) string { return fmt.Sprintf("-n %s %s", out.Namespace, out.Name) }

// others have the ValdReleases that a message names: whose each is has to be seen before it is renamed or deleted.
func others(v *live.View, out *v1.Status, message string) []v1.NextStep {
	var steps []v1.NextStep
	for _, cluster := range out.Clusters {
		name := vald.ReleaseName(v.Namespace(), cluster.Name)
		if cluster.Active && cluster.Release == "" && slices.Contains(strings.FieldsFunc(message, func(r rune) bool { return strings.ContainsRune(" ,:;", r) }), name) {
			steps = append(steps, v1.NextStep{
				Why: "See whose it is.", Command: fmt.Sprintf("kubectl get valdrelease -n %s %s -o yaml", v.Namespace(), name),
			})
		}
	}
	return steps
}

func clustersOf(v *live.View) []v1.Cluster {
	var out []v1.Cluster
	list, _, _ := unstructured.NestedSlice(v.Object.Object, "spec", "infrastructure")
	for _, one := range list {
		infrastructure, _ := one.(map[string]any)
		role, _ := infrastructure["role"].(string)
		active, _ := infrastructure["active"].(bool)
		clusters, _ := infrastructure["clusters"].([]any)
		for _, c := range clusters {
			fields, _ := c.(map[string]any)
			name, _ := fields["name"].(string)
			id, _ := fields["id"].(string)
			out = append(out, v1.Cluster{Role: role, Name: name, ID: id, Active: active, Release: releaseOf(v, name)})
		}
	}
	return out
}

// releaseOf a cluster is what is there for it: a ValdRelease, or the Object that holds one in its cluster.
func releaseOf(v *live.View, cluster string) string {
	for _, object := range v.Observed {
		name := live.Text(object, "spec", "forProvider", "manifest", "metadata", "name")
		if object.GetKind() == valdv1.KindValdRelease {
			name = object.GetName()
		}
		if name == vald.ReleaseName(v.Namespace(), cluster) {
			return object.GetKind() + " " + object.GetName()
		}
	}
	return ""
}
