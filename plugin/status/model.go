package status

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// routine events say that something was written, or is not ready yet, which the conditions say better.
func routine(event live.Event) bool {
	return !event.Warning && slices.Contains([]string{"ComposeResources", "CreatedExternalResource", "UpdatedExternalResource", string(reason.NotBlocked)}, event.Reason)
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
	if v.Answer != nil {
		out.Decision = conditionsOf(v.Answer.Conditions)
	}
	if v.Chroma != nil {
		chromaPart(v, &out)
	} else {
		out.Clusters = clustersOf(v.Object)
	}
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
		for name, component := range of.Status.Components {
			out.Components = append(out.Components, v1.Component{Name: name, Wanted: component.Replicas, Ready: component.Ready, Members: component.Members})
		}
		slices.SortFunc(out.Components, func(a, b v1.Component) int { return compareText(a.Name, b.Name) })
		return
	}
	out.Data = dataOf(of)
	out.Claim = claimOf(v)
	if v.Pod != nil {
		out.Pod, out.Image.Running = podOf(v.Pod)
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

func claimOf(v *live.View) *v1.Claim {
	status := v.Chroma.Status
	out := &v1.Claim{
		Name: chroma.ClaimName(v.Name()), UID: status.ClaimUID, Policy: string(v.Chroma.Spec.PVCDeletionPolicy), PolicyInEffect: string(status.PVCDeletionPolicy),
	}
	if out.Policy == "" {
		out.Policy = string(chroma.PVCRetain)
	}
	if v.Claim == nil {
		if status.ClaimUID == "" {
			return nil
		}
		out.Missing = true
		return out
	}
	claim := &corev1.PersistentVolumeClaim{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(v.Claim.Object, claim); err != nil {
		return out
	}
	out.UID, out.Phase, out.Deleting = string(claim.UID), string(claim.Status.Phase), claim.DeletionTimestamp != nil
	if size, ok := claim.Spec.Resources.Requests[corev1.ResourceStorage]; ok {
		out.Requested = size.String()
	}
	if size, ok := claim.Status.Capacity[corev1.ResourceStorage]; ok {
		out.Capacity = size.String()
	}
	if claim.Spec.StorageClassName != nil {
		out.StorageClass = *claim.Spec.StorageClassName
	}
	return out
}

func podOf(object *unstructured.Unstructured) (*v1.Pod, string) {
	pod := &corev1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, pod); err != nil {
		return &v1.Pod{Name: object.GetName()}, ""
	}
	out := &v1.Pod{
		Name: pod.Name, Node: pod.Spec.NodeName, Phase: string(pod.Status.Phase), Created: timeText(pod.CreationTimestamp.Time),
		Deleting: pod.DeletionTimestamp != nil,
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			out.Ready = condition.Status == corev1.ConditionTrue
		}
	}
	for _, container := range pod.Status.ContainerStatuses {
		out.Restarts += int64(container.RestartCount)
		switch {
		case container.State.Waiting != nil:
			out.State = container.State.Waiting.Reason
		case container.State.Terminated != nil:
			out.State = container.State.Terminated.Reason
		}
	}
	image := ""
	if len(pod.Spec.Containers) > 0 {
		image = pod.Spec.Containers[0].Image
	}
	return out, image
}

func clustersOf(object *unstructured.Unstructured) []v1.Cluster {
	var out []v1.Cluster
	list, _, _ := unstructured.NestedSlice(object.Object, "spec", "infrastructure")
	for _, one := range list {
		infrastructure, _ := one.(map[string]any)
		role, _ := infrastructure["role"].(string)
		active, _ := infrastructure["active"].(bool)
		clusters, _ := infrastructure["clusters"].([]any)
		for _, c := range clusters {
			fields, _ := c.(map[string]any)
			name, _ := fields["name"].(string)
			id, _ := fields["id"].(string)
			out = append(out, v1.Cluster{Role: role, Name: name, ID: id, Active: active})
		}
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

func paused(object *unstructured.Unstructured) bool {
	return object.GetAnnotations()[annotationPaused] == "true"
}

const annotationPaused = "crossplane.io/paused"

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

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
