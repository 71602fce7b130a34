// Package simulation runs the function in process, in a simulated cluster, for the commands that show what it would do.
package simulation

import (
	"fmt"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	vald "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

const (
	// waits is longer than any wait of the function for something that moves.
	waits = 3 * time.Minute
	// steps in which a few composites settle many times over.
	steps = 20000
)

// A Setting of the scene.
type Setting struct {
	// Claims serves Chroma as the claim of XChroma.
	Claims bool
	// Inputs of the composition step by kind of composite. A kind without one has the defaults.
	Inputs map[schema.GroupVersionKind]map[string]any
	// ProviderConfigs that exist.
	ProviderConfigs []*unstructured.Unstructured
	// Start of the simulated time.
	Start time.Time
	// Environment of the function's process.
	Environment settings.Environment
	// Pods of workloads are made, and listed as members.
	Pods bool
}

// A Simulation of a cluster with the function in it.
type Simulation struct {
	*simulator.Cluster
	// Steps are the passes and what others did in between, in their order.
	Steps []Step
}

// A Step is one pass of the function, or one change that somebody else made.
type Step struct {
	// Pass is nil for a change by somebody else.
	Pass   *simulator.Pass
	Change *store.Change
	At     time.Time
}

// New simulation.
func New(with Setting) (*Simulation, error) {
	s := &Simulation{}
	function, err := composition.New(logging.NewNopLogger(), with.Environment, func() time.Time { return s.Now() })
	if err != nil {
		return nil, err
	}
	kinds := []simulator.Composite{{Kind: chroma.GroupVersionKind()}, {Kind: vald.GroupVersionKind()}}
	if with.Claims {
		kinds[0] = simulator.Composite{Kind: chroma.GroupVersion().WithKind(chroma.KindXChroma), Claim: chroma.GroupVersionKind()}
	}
	for i := range kinds {
		kinds[i].Function = function
		if input := with.Inputs[kinds[i].Kind]; input != nil {
			if kinds[i].Input, err = structpb.NewStruct(input); err != nil {
				return nil, fmt.Errorf("cannot encode the Input for %s: %w", kinds[i].Kind.Kind, err)
			}
		}
	}
	s.Cluster, err = simulator.New(simulator.Config{
		Composites: kinds, Start: with.Start, Passed: s.passed, Changed: s.changed, Pods: with.Pods,
	})
	if err != nil {
		return nil, err
	}
	return s, s.Apply(with.ProviderConfigs...)
}

func (s *Simulation) passed(pass *simulator.Pass) {
	s.Steps = append(s.Steps, Step{Pass: pass, At: pass.At})
}

// changed hears of every write. Those of Crossplane are in the record of its passes.
func (s *Simulation) changed(change store.Change) {
	if s.Cluster == nil || change.Actor == crossplane {
		return
	}
	s.Steps = append(s.Steps, Step{Change: &change, At: s.Now()})
}

// crossplane is the actor of the passes' own writes.
const crossplane = "crossplane"

// Run until nothing but timers is left.
func (s *Simulation) Run() error {
	s.Advance(waits)
	if err := s.Settle(steps); err != nil {
		return fmt.Errorf("cannot come to an end: %w", err)
	}
	return nil
}
