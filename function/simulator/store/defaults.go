package store

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	kindPod    = "Pod"
	fieldPhase = "phase"
)

// FinalizerClaimProtection keeps a claim that a Pod uses.
const FinalizerClaimProtection = "kubernetes.io/pvc-protection"

// FinalizerNamespace keeps a Namespace until it is empty. The real one stands in the Namespace's spec.
const FinalizerNamespace = "kubernetes"

// setDefaults fills what the API server fills, as far as it can be seen in this project: fields that no manager owns,
// and lists that a manager comes to own whole. Only absent fields are filled.
func setDefaults(before, after *unstructured.Unstructured) {
	if after.GroupVersionKind().Group != "" {
		return
	}
	switch after.GetKind() {
	case kindPod:
		podDefaults(before, after)
	case "PersistentVolumeClaim":
		claimDefaults(before, after)
	case "Service":
		serviceDefaults(after)
	case "Namespace":
		fill(after.Object, map[string]any{fieldPhase: "Active"}, subresourceStatus)
		if before == nil {
			after.SetFinalizers([]string{FinalizerNamespace})
		}
	}
}

func podDefaults(before, after *unstructured.Unstructured) {
	fill(after.Object, map[string]any{
		"restartPolicy":                 "Always",
		"dnsPolicy":                     "ClusterFirst",
		"schedulerName":                 "default-scheduler",
		"terminationGracePeriodSeconds": int64(defaultGracePeriodSeconds),
		"enableServiceLinks":            true,
	}, "spec")
	if before == nil {
		// The admission plugin DefaultTolerationSeconds. The list is atomic: who owns it owns these too.
		tolerations := listAt(after.Object, "spec", "tolerations")
		for _, key := range []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
			tolerations = append(tolerations, map[string]any{"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(300)})
		}
		_ = unstructured.SetNestedSlice(after.Object, tolerations, "spec", "tolerations")
		fill(after.Object, map[string]any{fieldPhase: "Pending"}, subresourceStatus)
	}
	for _, c := range listAt(after.Object, "spec", "containers") {
		container, ok := c.(map[string]any)
		if !ok {
			continue
		}
		fill(container, map[string]any{
			"imagePullPolicy":          "IfNotPresent",
			"terminationMessagePath":   "/dev/termination-log",
			"terminationMessagePolicy": "File",
		})
		for _, p := range listAt(container, "ports") {
			if port, ok := p.(map[string]any); ok {
				fill(port, map[string]any{"protocol": "TCP"})
			}
		}
	}
}

func claimDefaults(before, after *unstructured.Unstructured) {
	fill(after.Object, map[string]any{"volumeMode": "Filesystem"}, "spec")
	if before != nil {
		return
	}
	after.SetFinalizers(append(after.GetFinalizers(), FinalizerClaimProtection))
	fill(after.Object, map[string]any{fieldPhase: "Pending"}, subresourceStatus)
}

func serviceDefaults(after *unstructured.Unstructured) {
	fill(after.Object, map[string]any{"type": "ClusterIP", "clusterIP": "10.96.0.10", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster"}, "spec")
	for _, p := range listAt(after.Object, "spec", "ports") {
		port, ok := p.(map[string]any)
		if !ok {
			continue
		}
		fill(port, map[string]any{"protocol": "TCP"})
		if number, found := port["port"]; found {
			fill(port, map[string]any{"targetPort": number})
		}
	}
}

// fill sets the absent ones of values in the map at the path, making it when it is absent.
func fill(object, values map[string]any, path ...string) {
	for _, p := range path {
		m, ok := object[p].(map[string]any)
		if !ok {
			m = map[string]any{}
			object[p] = m
		}
		object = m
	}
	for k, v := range values {
		if _, found := object[k]; !found {
			object[k] = v
		}
	}
}
