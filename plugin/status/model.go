package status

import (
	"slices"
	"time"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// routine events say that something was written, chosen, or is not ready yet, which the rest says better.
func routine(event live.Event) bool {
	return !event.Warning && slices.Contains([]string{
		"SelectComposition", "BindCompositeResource", "ComposeResources", "CreatedExternalResource", "UpdatedExternalResource", string(reason.NotBlocked),
	}, event.Reason)
}

// eventsShown are the newest ones that are no routine.
const eventsShown = 8

// modelOf a view: what is told about it, in whatever form.
func modelOf(v *live.View) v1.Status {
	out := v1.Status{
		Header: v1.HeaderOf(v1.KindStatus), Of: v.Object.GetKind(), Namespace: v.Namespace(), Name: v.Name(),
		Created: timeText(v.Object.GetCreationTimestamp().Time), Crossplane: crossplaneOf(v), Notes: slices.Clone(v.Notes),
		Conditions: conditionsOf(live.Conditions(v.Object)),
	}
	slices.Sort(out.Notes)
	out.Phase = live.Text(v.Object, "status", "phase")
	if v.XR != nil && v.XR != v.Object {
		out.Composite = v.XR.GetKind() + " " + v.XR.GetName()
		out.Conditions = conditionsOf(live.Conditions(v.XR))
		out.Phase = live.Text(v.XR, "status", "phase")
	}
	// Of a claim or a Pod that cannot be read the function would think that it is gone, and nobody asks it about what is
	// being deleted.
	if v.Answer != nil && v.ClaimError == nil && v.PodError == nil && v.Object.GetDeletionTimestamp() == nil {
		out.Decision = withStanding(conditionsOf(v.Answer.Conditions), out.Conditions, v.Answer)
	}
	if v.Chroma != nil {
		chromaPart(v, &out)
	} else {
		out.Clusters = clustersOf(v)
	}
	out.Checks = checksOf(v, &out)
	events := slices.DeleteFunc(slices.Clone(v.Events), routine)
	for _, event := range events[max(0, len(events)-eventsShown):] {
		out.Events = append(out.Events, v1.Event{
			Object: event.Kind + " " + event.Name, Warning: event.Warning, Reason: event.Reason, Message: event.Message,
			Count: event.Count, Last: timeText(event.Last),
		})
	}
	judge(v, &out)
	return out
}

// chromaPart is what only a Chroma has.
func chromaPart(v *live.View, out *v1.Status) {
	of := v.Chroma
	out.Mode, out.Endpoint = string(of.Spec.Mode), of.Status.Endpoint
	if out.Mode == "" {
		out.Mode = string(chroma.ModeSingleNode)
	}
	out.Image = v1.Image{Wanted: of.Spec.Image, LastReady: of.Status.Image, Recovery: of.Status.RecoveryImage}
	if out.Image.Wanted == "" {
		out.Image.Wanted = of.Status.DefaultImage
	}
	for _, retry := range of.Status.Retries {
		out.Retries = append(out.Retries, v1.Retry{Role: retry.Role, Attempts: retry.Attempts, Last: timeText(retry.Last.Time), Message: retry.Message})
	}
	if !v.SingleNode() {
		out.Image.Running = of.Status.Version
		if of.Spec.Distributed != nil {
			out.Image.Wanted = of.Spec.Distributed.Version
		}
		out.Components = componentsOf(of)
		return
	}
	out.Data = dataOf(of)
	out.Claim = claimOf(v)
	switch {
	case v.Pod != nil:
		out.Pod, out.Image.Running = podOf(v.Pod)
	case v.PodError != nil:
		out.Pod = &v1.Pod{Name: chroma.PodName(v.Name()), Unreadable: v.PodError.Error()}
	}
}

func dataOf(of *chroma.Chroma) *v1.Data {
	status := of.Status
	if status.DataVersion == "" && !status.DataVersionUnknown && status.DataRecord == "" {
		return nil
	}
	out := &v1.Data{
		Product: string(status.DataProduct), Version: status.DataVersion, Unknown: status.DataVersionUnknown,
		Incident: status.DataVersionUnknownIncident, Record: status.DataRecord, Ahead: slices.Contains(status.DataAhead, status.DataProduct),
	}
	for product, version := range status.DataVersions {
		if out.Versions == nil {
			out.Versions = map[string]string{}
		}
		out.Versions[string(product)] = version
	}
	if version, err := compatibility.ParseVersion(status.DataProduct, status.DataVersion); err == nil {
		out.Format = compatibility.FormatOf(version)
	}
	return out
}

func crossplaneOf(v *live.View) v1.Crossplane {
	out := v1.Crossplane{Composition: v.Machinery.Composition, Revision: v.Machinery.Revision, Paused: paused(v.Object) || v.XR != nil && paused(v.XR)}
	step := v.Machinery.Step
	if step == nil {
		return out
	}
	out.Function = &v1.Function{Name: step.Function, Missing: v.Machinery.FunctionMissing}
	if v.Machinery.Function == nil {
		return out
	}
	out.Function.Package = live.Text(v.Machinery.Function, "spec", "package")
	installed, healthy := live.ConditionOf(v.Machinery.Function, "Installed"), live.ConditionOf(v.Machinery.Function, "Healthy")
	out.Function.Installed, out.Function.Healthy, out.Function.Message = installed.Status, healthy.Status, healthy.Message
	if installed.Status == "False" {
		out.Function.Message = installed.Message
	}
	// The revision says whether its Deployment is available.
	if running := live.ConditionOf(v.Machinery.FunctionRevision, "RuntimeHealthy"); running.Status == "False" {
		out.Function.Healthy, out.Function.Message = running.Status, running.Message
	}
	return out
}

func conditionsOf(list []live.Condition) []v1.Condition {
	var out []v1.Condition
	for _, c := range list {
		out = append(out, v1.Condition{Type: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message, Since: c.Since})
	}
	return out
}

func timeText(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}
