// Package pass is one pass of Crossplane over one XR as plain values: what the function is given, and what it answers.
//
// The decision packages take a Request and return an Answer. They know nothing of gRPC, protobuf or Crossplane's types,
// so the plugin and the tests ask them the same questions.
package pass

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/previous"
	"github.com/function-chroma/function-chroma/function/settings"
)

// AskSchema is the name of the question for the schema of the XR's kind.
const AskSchema = "composite"

// A Request is what one pass observes.
type Request struct {
	// XR as observed. Its numbers are float64, as protobuf carries them: decode it before reading integers.
	XR *unstructured.Unstructured

	// Name and Namespace as people know them: those of the claim when there is one, else those of the XR.
	Name, Namespace string

	// ClaimBacked is true for the cluster-scoped XR behind a claim.
	ClaimBacked bool

	// Observed are the composed objects by role (crossplane.io/composition-resource-name).
	Observed map[string]*unstructured.Unstructured

	// Required are the answers to the requirements of the previous answer, by the same names.
	Required map[string]Found

	// Previous recovers what was sent of an observed object before.
	Previous *previous.Memory

	// Schema of the XR's kind on this cluster, nil where it was not asked for or is not known.
	Schema map[string]any

	// Settings of the composition step.
	Settings settings.Settings

	// Now is the time of the pass.
	Now time.Time
}

// Found answers a Requirement. Crossplane calls the function twice in each pass, first without the answers: not
// answered is the normal first call, not an absent object.
type Found struct {
	// Answered is false as long as the question was not asked.
	Answered bool
	// Objects that match, possibly from a cache that is behind.
	Objects []*unstructured.Unstructured
}

// Absent says that the question was answered with: no such object.
func (f Found) Absent() bool { return f.Answered && len(f.Objects) == 0 }

// Object is the object found by name, or nil.
func (f Found) Object() *unstructured.Unstructured {
	if len(f.Objects) == 0 {
		return nil
	}
	return f.Objects[0]
}
