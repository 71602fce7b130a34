package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/manifest"
	"github.com/function-chroma/function-chroma/plugin/simulation"
)

// outcome is the cluster when nothing moves any more.
type outcome struct {
	*simulation.Simulation
	composites []manifest.Object
	start      time.Time
}

// objects that are composed, and those that provider-kubernetes made of them, as they would stand in a file.
func (o *outcome) objects() []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	external := map[string]bool{}
	all := o.Objects()
	for _, object := range all {
		if object.GetAnnotations()[annotationRole] == "" {
			continue
		}
		out = append(out, plain(object))
		if manifest, found, _ := unstructured.NestedMap(object.Object, "spec", "forProvider", "manifest"); found {
			external[identity(&unstructured.Unstructured{Object: manifest})] = true
		}
	}
	for _, object := range all {
		if external[identity(object)] {
			out = append(out, plain(object))
		}
	}
	return out
}

func identity(object *unstructured.Unstructured) string {
	return strings.Join([]string{object.GetAPIVersion(), object.GetKind(), object.GetNamespace(), object.GetName()}, "/")
}

// plain is an object without what the cluster keeps in it.
func plain(object *unstructured.Unstructured) *unstructured.Unstructured {
	out := object.DeepCopy()
	delete(out.Object, "status")
	for _, path := range [][]string{
		{"metadata", "managedFields"}, {"metadata", "uid"}, {"metadata", "resourceVersion"}, {"metadata", "generation"}, {"metadata", "creationTimestamp"},
		{"metadata", "finalizers"}, {"metadata", "ownerReferences"}, {"spec", "nodeName"}, {"spec", "volumeName"}, {"spec", "clusterIP"}, {"spec", "clusterIPs"},
	} {
		unstructured.RemoveNestedField(out.Object, path...)
	}
	annotations := out.GetAnnotations()
	for key := range annotations {
		if strings.HasPrefix(key, "crossplane.io/external-create-") || key == "volume.kubernetes.io/selected-node" || strings.HasPrefix(key, "pv.kubernetes.io/") {
			delete(annotations, key)
		}
	}
	out.SetAnnotations(annotations)
	return out
}

// verdict is what is wrong in the end: a refusal, or a server that is not ready.
func (o *outcome) verdict() error {
	refused, unhealthy := []error(nil), []error(nil)
	for _, composite := range o.composites {
		live := o.Get(composite.GroupVersionKind(), composite.GetNamespace(), composite.GetName())
		name := composite.GetKind() + " " + composite.GetName()
		if status, because, message := simulator.Condition(live, string(reason.UpgradeBlocked)); status == "True" {
			refused = append(refused, fmt.Errorf("%s: %s: %s", name, because, message))
			continue
		}
		if status, _, message := simulator.Condition(live, "Synced"); status != "True" {
			unhealthy = append(unhealthy, fmt.Errorf("%s is not synced: %s", name, message))
			continue
		}
		if status, because, message := simulator.Condition(live, "Ready"); status != "True" {
			if server, why, words := simulator.Condition(live, string(reason.ServerReady)); server == "False" {
				because, message = why, words
			}
			unhealthy = append(unhealthy, fmt.Errorf("%s does not get ready: %s: %s", name, because, message))
		}
	}
	if len(refused) > 0 {
		return exit.With(exit.Refused, errors.Join(slices.Concat(refused, unhealthy)...))
	}
	return exit.With(exit.Unhealthy, errors.Join(unhealthy...))
}

// printObjects in a format.
func printObjects(out io.Writer, format string, objects []*unstructured.Unstructured) error {
	switch format {
	case formatName:
		for _, object := range objects {
			kind := strings.ToLower(object.GetKind())
			if group := object.GroupVersionKind().Group; group != "" {
				kind += "." + group
			}
			if _, err := fmt.Fprintf(out, "%s/%s\n", kind, object.GetName()); err != nil {
				return err
			}
		}
		return nil
	case formatJSON:
		items := make([]any, 0, len(objects))
		for _, object := range objects {
			items = append(items, object.Object)
		}
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "    ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	}
	for _, object := range objects {
		text, err := yaml.Marshal(object.Object)
		if err != nil {
			return fmt.Errorf("cannot encode %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		if _, err := fmt.Fprintf(out, "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}
