package objects

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// userSet is what a person sets of a Pod. Every field is left out when it is not set, so that a field added in a later
// version of the function changes no hash, and replaces no Pod, of people who do not use it.
type userSet struct {
	Image             string              `json:"image"`
	ImagePullPolicy   corev1.PullPolicy   `json:"imagePullPolicy,omitempty"`
	Config            *chroma.Config      `json:"config,omitempty"`
	Requests          map[string]string   `json:"requests,omitempty"`
	Limits            map[string]string   `json:"limits,omitempty"`
	NodeSelector      map[string]string   `json:"nodeSelector,omitempty"`
	Tolerations       []corev1.Toleration `json:"tolerations,omitempty"`
	PriorityClassName string              `json:"priorityClassName,omitempty"`
}

// UserHash of what a person set of the Pod. Another hash replaces the Pod; another function version or template alone
// does not.
func UserHash(spec *chroma.ChromaSpec, image string) string {
	set := userSet{
		Image: image, NodeSelector: spec.NodeSelector, Tolerations: spec.Tolerations, PriorityClassName: spec.PriorityClassName,
	}
	// The default is the same as not set.
	if spec.ImagePullPolicy != corev1.PullIfNotPresent {
		set.ImagePullPolicy = spec.ImagePullPolicy
	}
	if c := spec.Config; c != nil && (c.MaxPayloadSizeBytes != nil || len(c.CORSAllowOrigins) > 0) {
		set.Config = c
	}
	if spec.Resources != nil {
		set.Requests, set.Limits = canonical(spec.Resources.Requests), canonical(spec.Resources.Limits)
	}
	return Hash(set)
}

// canonical quantities: 1024Mi and 1Gi are the same wish.
func canonical(list corev1.ResourceList) map[string]string {
	out := make(map[string]string, len(list))
	for name, quantity := range list {
		out[string(name)] = quantity.String()
	}
	return out
}

// Hash of strings, numbers, and structs and maps of them, for telling whether they are still the same.
func Hash(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		encoded = fmt.Append(nil, value) // Such values always encode.
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:8])
}
