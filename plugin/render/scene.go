package render

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/apis/definition"
	"github.com/function-chroma/function-chroma/apis/definition/validation"
	vald "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/simulator"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/manifest"
	"github.com/function-chroma/function-chroma/plugin/pipeline"
	"github.com/function-chroma/function-chroma/plugin/simulation"
)

const (
	annotationRole  = "crossplane.io/composition-resource-name"
	kindComposition = "Composition"
)

// scene is what the files describe.
type scene struct {
	composites, observed, required, compositions []manifest.Object
	claims                                       bool
}

// complete sorts out what the files have: Compositions may stand beside composites, and what else is there is part of
// the cluster.
func (s *scene) complete(namespace string, claims bool) {
	s.claims = claims
	var composites []manifest.Object
	for _, o := range s.composites {
		switch {
		case o.GetKind() == kindComposition:
			s.compositions = append(s.compositions, o)
		case ours(o.GroupVersionKind()):
			if o.GetNamespace() == "" && o.GetKind() != chroma.KindXChroma {
				o.SetNamespace(orElse(namespace, simulator.Namespace))
			}
			s.claims = s.claims || o.GetKind() == chroma.KindXChroma || hasFieldsOfClaims(o.Unstructured)
			composites = append(composites, o)
		default:
			s.required = append(s.required, o)
		}
	}
	s.composites = composites
}

func ours(kind schema.GroupVersionKind) bool {
	switch kind.GroupKind() {
	case chroma.GroupVersionKind().GroupKind(), chroma.GroupVersion().WithKind(chroma.KindXChroma).GroupKind(), vald.GroupVersionKind().GroupKind():
		return true
	}
	return false
}

// hasFieldsOfClaims: a claim has Crossplane's own fields directly under spec, the namespaced kind under spec.crossplane.
func hasFieldsOfClaims(object *unstructured.Unstructured) bool {
	if object.GetKind() != chroma.Kind {
		return false
	}
	for _, field := range []string{"compositionRef", "compositionSelector", "compositionRevisionRef", "compositionRevisionSelector",
		"compositionUpdatePolicy", "compositeDeletePolicy", "resourceRef", "writeConnectionSecretToRef"} {
		if _, found, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", field); found {
			return true
		}
	}
	return false
}

// kind of the definition that an object is under.
func (s *scene) kind(object manifest.Object) definition.Kind {
	switch {
	case object.GetKind() == vald.Kind:
		return definition.KindValdOperatorRelease
	case object.GetKind() == chroma.KindXChroma:
		return definition.KindXChroma
	case s.claims:
		return definition.KindChromaClaim
	}
	return definition.KindChroma
}

// validate says what the API server would say.
func (s *scene) validate() error {
	if len(s.composites) == 0 {
		return exit.Errorf(exit.Usage, "there is nothing to render: the files have no %s and no %s", chroma.Kind, vald.Kind)
	}
	problems, err := s.problems()
	if err != nil {
		return err
	}
	refused := make([]error, 0, len(problems))
	for _, problem := range problems {
		refused = append(refused, fmt.Errorf("%s: %s: %s: %s", problem.Source, problem.Object, problem.Field, problem.Message))
	}
	for _, object := range s.observed {
		if object.GetAnnotations()[annotationRole] == "" {
			refused = append(refused, fmt.Errorf("%s: a composed object has the annotation %s; give other objects with --required", object, annotationRole))
		}
	}
	return exit.With(exit.Refused, errors.Join(refused...))
}

// problems that the API server would have with the composites, by its own code.
func (s *scene) problems() ([]v1.Finding, error) {
	validators := map[definition.Kind]*validation.Validator{}
	var out []v1.Finding
	for _, object := range s.composites {
		add := func(field, message string) {
			out = append(out, v1.Finding{Source: object.Source, Object: name(object), Field: field, Message: message, Level: v1.LevelError})
		}
		if of := object.GroupVersionKind(); of.Version != chroma.Version && of.Group == chroma.Group {
			add("apiVersion", fmt.Sprintf("%s is not served: write %s", object.GetAPIVersion(), chroma.GroupVersion()))
			continue
		}
		kind := s.kind(object)
		if validators[kind] == nil {
			validator, err := validation.New(kind)
			if err != nil {
				return nil, err
			}
			validators[kind] = validator
		}
		unknown, err := validators[kind].UnknownFields(object.Object)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", object, err)
		}
		for _, field := range unknown {
			add(field, "there is no such field")
		}
		for _, problem := range validators[kind].Validate(object.Object, nil) {
			add(problem.Field, problem.ErrorBody())
		}
	}
	return out, nil
}

// inputs of the composition step by kind.
func (s *scene) inputs() (map[schema.GroupVersionKind]map[string]any, error) {
	out := map[schema.GroupVersionKind]map[string]any{}
	for _, o := range s.compositions {
		if o.GetKind() != kindComposition {
			continue
		}
		step, err := pipeline.Find(o.Unstructured)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Source, err)
		}
		if _, err := settings.Parse(step.Input, settings.Environment{}); err != nil {
			return nil, fmt.Errorf("%s: Composition %s, step %s: %w", o.Source, o.GetName(), step.Name, err)
		}
		out[pipeline.For(o.Unstructured)] = step.Input
	}
	return out, nil
}

// simulate the scene to its end.
func (s *scene) simulate() (*outcome, error) {
	inputs, err := s.inputs()
	if err != nil {
		return nil, err
	}
	run, err := simulation.New(simulation.Setting{
		Claims: s.claims, Inputs: inputs,
		// Nothing is connected to.
		Environment: settings.Environment{ChecksDisabled: true},
	})
	if err != nil {
		return nil, err
	}
	out := &outcome{Simulation: run, composites: s.composites}
	if err := s.furnish(out, inputs); err != nil {
		return nil, err
	}
	out.start, out.Steps = run.Now(), nil
	return out, run.Run()
}

func orElse(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
