package render

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/apis/definition"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/manifest"
	"github.com/function-chroma/function-chroma/plugin/simulation"
)

// furnish the cluster: what the composites take for granted, what the files add, then the composites.
func (s *scene) furnish(out *outcome, inputs map[schema.GroupVersionKind]map[string]any) error {
	defaults, err := definition.NewDefaults()
	if err != nil {
		return err
	}
	for _, object := range s.composites {
		with, err := settings.Parse(inputs[s.composite(object)], settings.Environment{})
		if err != nil {
			return err
		}
		furniture := append(simulation.Furniture(object.Unstructured), simulation.ProviderConfig(namespaceOf(object.Unstructured), with.Claims.ProviderConfig))
		if err := out.Place(furniture...); err != nil {
			return err
		}
	}
	if err := place(out, s.required); err != nil {
		return err
	}
	for _, object := range s.composites {
		defaults.Default(object.Object)
	}
	if len(s.observed) == 0 {
		return place(out, s.composites)
	}
	return s.observe(out)
}

// observe places composed objects with their composite. Which one that is their controller says, where there are many.
func (s *scene) observe(out *outcome) error {
	if len(s.composites) > 1 {
		return exit.Errorf(exit.Usage, "--observed is for one composite at a time, and the files have %d", len(s.composites))
	}
	composite := s.composites[0]
	if s.claims && composite.GetKind() == chroma.Kind {
		return exit.Errorf(exit.Usage, "%s: a claim composes nothing itself: give its %s with -f for --observed", composite, chroma.KindXChroma)
	}
	objects := make([]*unstructured.Unstructured, 0, len(s.observed))
	for _, object := range s.observed {
		if object.GetNamespace() == "" {
			object.SetNamespace(namespaceOf(composite.Unstructured))
		}
		// Files that come from one cluster belong together, even where the composite's own has lost its UID.
		if owner := metav1.GetControllerOf(object); owner != nil && composite.GetUID() == "" {
			composite.SetUID(owner.UID)
		}
		objects = append(objects, object.Unstructured)
	}
	if err := simulation.Refer(composite.Unstructured, objects...); err != nil {
		return fmt.Errorf("%s: cannot refer to the composed objects: %w", composite, err)
	}
	if err := place(out, s.composites); err != nil {
		return err
	}
	return out.PlaceComposed(composite.Unstructured, objects...)
}

func place(out *outcome, objects []manifest.Object) error {
	for _, object := range objects {
		if err := out.Place(object.Unstructured); err != nil {
			return fmt.Errorf("%s: %w", object, err)
		}
	}
	return nil
}

// composite is the kind of composite that is made of an object: a claim's is another.
func (s *scene) composite(object manifest.Object) schema.GroupVersionKind {
	if s.claims && object.GetKind() == chroma.Kind {
		return chroma.GroupVersion().WithKind(chroma.KindXChroma)
	}
	return object.GroupVersionKind()
}

// namespaceOf what a composite composes.
func namespaceOf(composite *unstructured.Unstructured) string {
	if composite.GetNamespace() != "" {
		return composite.GetNamespace()
	}
	namespace, _, _ := unstructured.NestedString(composite.Object, "spec", "claimRef", "namespace")
	return namespace
}
