package chart

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// A Refusal says what is wrong with a spec, in words for the person who wrote it.
type Refusal struct {
	// Field below spec.distributed.
	Field string
	// Cause of the refusal.
	Cause Cause
	// Message for people.
	Message string
}

// Error is the message.
func (r *Refusal) Error() string { return r.Message }

// A Cause of a refusal.
type Cause string

// The causes.
const (
	// FieldNotInVersion: the version's chart has no such field for the component.
	FieldNotInVersion Cause = "FieldNotInVersion"
	// InvalidValue: the value would not reach Chroma as it is meant.
	InvalidValue Cause = "InvalidValue"
	// RequestAboveLimit: after the merge with the chart's defaults a request is above its limit.
	RequestAboveLimit Cause = "RequestAboveLimit"
)

// refuseUnknownFields of a component that this version does not have: its templates would ignore them silently.
func refuseUnknownFields(component Component, wanted v1alpha1.Component, version Version, known []Version) error {
	for _, field := range []struct {
		name string
		set  bool
		has  func(Fields) bool
	}{
		{"replicas", wanted.Replicas != nil, func(f Fields) bool { return f.Replicas }},
		{"nodeSelector", len(wanted.NodeSelector) > 0, func(f Fields) bool { return f.NodeSelector }},
		{"tolerations", len(wanted.Tolerations) > 0, func(f Fields) bool { return f.Tolerations }},
		{"affinity", wanted.Affinity != nil, func(f Fields) bool { return f.Affinity }},
	} {
		if !field.set || field.has(component.Fields) {
			continue
		}
		var having []string
		for _, other := range known {
			if same, ok := other.Component(component.Name); ok && field.has(same.Fields) {
				having = append(having, other.Commit)
			}
		}
		path := component.Name + "." + field.name
		message := fmt.Sprintf("spec.distributed.%s is not a field of version %s", path, version.Commit)
		if len(having) > 0 {
			message += ": the versions that have it are " + strings.Join(having, ", ")
		} else {
			message += ", nor of any other known version"
		}
		return &Refusal{Field: path, Cause: FieldNotInVersion, Message: message}
	}
	return nil
}

// mergeResources over the chart's, leaf by leaf, as Helm merges values.
func mergeResources(values *ComponentValues, component string, wanted *v1alpha1.Resources) error {
	if wanted == nil {
		return nil
	}
	var err error
	if values.Limits, err = mergeList(component+".resources.limits", values.Limits, wanted.Limits); err != nil {
		return err
	}
	if values.Requests, err = mergeList(component+".resources.requests", values.Requests, wanted.Requests); err != nil {
		return err
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		request, limit := values.Requests[name], values.Limits[name]
		if request.Cmp(limit) <= 0 {
			continue
		}
		message := fmt.Sprintf("spec.distributed.%s: the request of %s of %s is above the limit of %s", component, request.String(), name, limit.String())
		_, limited := wanted.Limits[name]
		_, requested := wanted.Requests[name]
		switch {
		case !limited:
			message += fmt.Sprintf(", which is the chart's default: set resources.limits.%s as well", name)
		case !requested:
			message += fmt.Sprintf(": the request is the chart's default, set resources.requests.%s as well", name)
		}
		return &Refusal{Field: component + ".resources", Cause: RequestAboveLimit, Message: message}
	}
	return nil
}

func mergeList(path string, defaults, wanted corev1.ResourceList) (corev1.ResourceList, error) {
	if len(wanted) == 0 {
		return defaults, nil
	}
	merged := make(corev1.ResourceList, len(defaults)+len(wanted))
	maps.Copy(merged, defaults)
	for _, name := range sortedNames(wanted) {
		quantity := wanted[name]
		field := path + "." + string(name)
		// The chart's templates write cpu and memory and lose every other resource silently.
		if name != corev1.ResourceCPU && name != corev1.ResourceMemory {
			return nil, &Refusal{Field: field, Cause: InvalidValue, Message: fmt.Sprintf("spec.distributed.%s cannot be set: the chart has cpu and memory only", field)}
		}
		if quantity.Sign() < 0 {
			return nil, &Refusal{Field: field, Cause: InvalidValue, Message: fmt.Sprintf("spec.distributed.%s is %s: it must not be negative", field, quantity.String())}
		}
		merged[name] = quantity
	}
	return merged, nil
}

func sortedNames(list corev1.ResourceList) []corev1.ResourceName {
	names := make([]corev1.ResourceName, 0, len(list))
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
