// Package comparison tells whether two sets of Kubernetes objects mean the same to Kubernetes and to Chroma.
//
// Objects are compared by kind and name. Config files are compared as YAML with exact integers, the sysdb's flags as a
// set, quantities by their amount, environments by name. Absent and null are equal. What our objects have beyond the
// chart's is stripped, and nothing else.
package comparison

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

// Objects by "kind/name", in their compared form.
type Objects map[string]map[string]any

// Read a stream of YAML documents.
func Read(stream []byte) (Objects, error) {
	objects := Objects{}
	decoder := yaml.NewDecoder(bytes.NewReader(stream))
	for {
		var object map[string]any
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read YAML documents: %w", err)
		}
		if len(object) == 0 {
			continue
		}
		if err := objects.add(object); err != nil {
			return nil, err
		}
	}
}

// Built objects in their compared form.
func Built(built []chart.Object) (Objects, error) {
	objects := Objects{}
	for _, object := range built {
		raw, err := json.Marshal(object.Manifest)
		if err != nil {
			return nil, fmt.Errorf("cannot encode %s %s: %w", object.Kind, object.Name, err)
		}
		// JSON is YAML, whose decoder keeps integers exact.
		var manifest map[string]any
		if err := yaml.Unmarshal(raw, &manifest); err != nil {
			return nil, fmt.Errorf("cannot decode %s %s: %w", object.Kind, object.Name, err)
		}
		if err := stripAdditions(manifest); err != nil {
			return nil, fmt.Errorf("cannot compare %s %s: %w", object.Kind, object.Name, err)
		}
		if err := objects.add(manifest); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// Difference between two sets, by object. Empty: none.
func Difference(want, got Objects) string {
	names := maps.Clone(want)
	maps.Copy(names, got)
	var difference strings.Builder
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if diff := cmp.Diff(want[name], got[name]); diff != "" {
			fmt.Fprintf(&difference, "%s: -want, +got:\n%s\n", name, diff)
		}
	}
	return difference.String()
}

func (o Objects) add(object map[string]any) error {
	metadata, _ := object["metadata"].(map[string]any)
	key := fmt.Sprintf("%v/%v", object["kind"], metadata["name"])
	if _, twice := o[key]; twice {
		return fmt.Errorf("cannot compare: %s is there twice", key)
	}
	if err := normalize(object); err != nil {
		return fmt.Errorf("cannot compare %s: %w", key, err)
	}
	o[key] = object
	return nil
}

func normalize(object map[string]any) error {
	dropNull(object)
	if data, ok := object["data"].(map[string]any); ok && object["kind"] == chart.KindConfigMap {
		var config map[string]any
		text, _ := data["config.yaml"].(string)
		if err := yaml.Unmarshal([]byte(text), &config); err != nil {
			return fmt.Errorf("cannot read config.yaml: %w", err)
		}
		data["config.yaml"] = config
	}
	pod := at(object, "spec", "template", "spec")
	containers, _ := pod["containers"].([]any)
	for _, container := range containers {
		fields, ok := container.(map[string]any)
		if !ok {
			return fmt.Errorf("cannot read container %v", container)
		}
		if err := normalizeContainer(fields); err != nil {
			return err
		}
	}
	return nil
}

func normalizeContainer(container map[string]any) error {
	if command, ok := container["command"].([]any); ok && container["name"] == "sysdb" {
		words := strings.Fields(fmt.Sprint(command[2]))
		slices.Sort(words[2:])
		command[2] = words
	}
	for _, list := range []string{"limits", "requests"} {
		quantities := at(container, "resources", list)
		for name, value := range quantities {
			quantity, err := resource.ParseQuantity(fmt.Sprint(value))
			if err != nil {
				return fmt.Errorf("cannot read resources.%s.%s: %w", list, name, err)
			}
			quantities[name] = quantity.String()
		}
	}
	variables, _ := container["env"].([]any)
	environment := make(map[string]any, len(variables))
	for _, variable := range variables {
		entry, ok := variable.(map[string]any)
		if !ok {
			return fmt.Errorf("cannot read environment variable %v", variable)
		}
		name := fmt.Sprint(entry["name"])
		if _, twice := environment[name]; twice {
			return fmt.Errorf("environment variable %s is there twice", name)
		}
		environment[name] = entry
	}
	container["env"] = environment
	return nil
}

// stripAdditions takes off what our objects have beyond the chart's, and reports where it is missing. The label of the
// Chroma is expected on both sides.
func stripAdditions(object map[string]any) error {
	template := at(object, "spec", "template")
	if template == nil {
		return nil
	}
	if links, ok := at(template, "spec")["enableServiceLinks"].(bool); !ok || links {
		return errors.New("enableServiceLinks is not false")
	}
	delete(at(template, "spec"), "enableServiceLinks")
	strip(at(template, "metadata"), chart.AnnotationConfigChecksum, chart.AnnotationPostgresChecksum, chart.AnnotationS3Checksum)
	strip(at(object, "metadata"), v1alpha1.AnnotationUserHash, chart.AnnotationRendering)
	return nil
}

func strip(metadata map[string]any, annotations ...string) {
	existing := at(metadata, "annotations")
	for _, annotation := range annotations {
		delete(existing, annotation)
	}
	if len(existing) == 0 {
		delete(metadata, "annotations")
	}
}

func at(object map[string]any, path ...string) map[string]any {
	for _, key := range path {
		object, _ = object[key].(map[string]any)
	}
	return object
}

func dropNull(value any) {
	switch typed := value.(type) {
	case map[string]any:
		for key, child := range typed {
			if child == nil {
				delete(typed, key)
				continue
			}
			dropNull(child)
		}
	case []any:
		for _, child := range typed {
			dropNull(child)
		}
	}
}
