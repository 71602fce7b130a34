package simulator

import (
	"maps"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// endPod sets a final phase.
func (c *Cluster) endPod(pod *unstructured.Unstructured, k *container, phase, reason, message string) {
	changed := c.statusOf(pod, k, "", "")
	status := mapAt(changed, "status")
	status["phase"] = phase
	if reason != "" {
		status["reason"], status["message"] = reason, message
	}
	c.writeStatus(changed, ActorKubelet, managerKubelet)
}

func (c *Cluster) writePod(pod *unstructured.Unstructured, k *container, waiting, message string) {
	c.writeStatus(c.statusOf(pod, k, waiting, message), ActorKubelet, managerKubelet)
}

// writeStatus of an object. A conflict or an object that is gone is looked at again when its change is heard.
func (c *Cluster) writeStatus(changed *unstructured.Unstructured, actor, manager string) {
	_, _ = c.write(actor, func() (*unstructured.Unstructured, error) {
		return c.store.Update(changed, store.Options{Actor: actor, Manager: manager, Subresource: subresourceStatus})
	})
}

// statusOf a Pod as the kubelet reports it.
func (c *Cluster) statusOf(pod *unstructured.Unstructured, k *container, waiting, message string) *unstructured.Unstructured {
	changed := pod.DeepCopy()
	status := map[string]any{}
	maps.Copy(status, mapAt(changed, "status"))
	changed.Object["status"] = status
	report := map[string]any{"name": "chroma", "image": k.image, "ready": k.ready, "started": k.running, "restartCount": k.restarts}
	for _, o := range listAt(pod, "spec", "containers") {
		first, _ := o.(map[string]any)
		report["name"] = first["name"]
		break
	}
	if k.image == "" {
		report["image"] = image(pod)
	}
	status["phase"] = "Pending"
	switch {
	case k.running:
		status["phase"] = phaseRunning
		if k.address != "" {
			status["podIP"] = k.address
		}
		report["containerID"] = "containerd://" + k.uid + "-" + strconv.FormatInt(k.restarts, 10)
		report["imageID"] = k.image
		report["state"] = map[string]any{"running": map[string]any{"startedAt": k.started.Format(time.RFC3339)}}
	case waiting != "":
		state := map[string]any{"reason": waiting}
		if message != "" {
			state["message"] = message
		}
		report["state"] = map[string]any{"waiting": state}
		if k.last != nil {
			status["phase"] = phaseRunning
		}
	}
	if k.last != nil {
		ended := map[string]any{"terminated": map[string]any{"exitCode": k.last.exitCode, "reason": k.last.reason, "finishedAt": k.last.at.Format(time.RFC3339)}}
		report["lastState"] = ended
		if report["state"] == nil {
			report["state"] = ended
		}
	}
	status["containerStatuses"] = []any{report}
	ready := statusFalse
	if k.ready {
		ready = statusTrue
	}
	for _, kind := range []string{"Ready", "ContainersReady"} {
		setPodCondition(status, kind, ready, "", c.Now())
	}
	return changed
}

// setPodCondition keeps the time of a condition that says the same.
func setPodCondition(status map[string]any, kind, value, reason string, now time.Time) {
	old, _ := status["conditions"].([]any)
	conditions := make([]any, 0, len(old)+1)
	set := map[string]any{"type": kind, "status": value, "lastTransitionTime": now.Format(time.RFC3339)}
	if reason != "" {
		set["reason"] = reason
	}
	for _, o := range old {
		existing, _ := o.(map[string]any)
		if existing["type"] != kind {
			conditions = append(conditions, o)
			continue
		}
		if existing["status"] == value {
			set["lastTransitionTime"] = existing["lastTransitionTime"]
		}
	}
	status["conditions"] = append(conditions, set)
}
