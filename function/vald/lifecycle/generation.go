package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// hashOfSpec is the hash of the spec that a person wrote. Crossplane keeps its own settings and the references to what
// it composed in spec.crossplane, and each change there raises the generation.
func hashOfSpec(xr *unstructured.Unstructured) (string, error) {
	spec, _ := xr.Object["spec"].(map[string]any)
	user := maps.Clone(spec)
	delete(user, "crossplane")
	encoded, err := json.Marshal(user) // Sorts the keys.
	if err != nil {
		return "", fmt.Errorf("cannot hash the spec: %w", err)
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:16]), nil
}

// managedGeneration is the generation at the last change of the user's spec.
func (w world) managedGeneration() int64 {
	if w.vor.Status.ManagedGeneration > 0 && w.vor.Status.SpecHash == w.specHash {
		return w.vor.Status.ManagedGeneration
	}
	return w.vor.GetGeneration()
}
