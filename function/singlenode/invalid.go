package singlenode

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// longestName whose Service <name>-rw is still a DNS label.
const longestName = 60

// invalid says what the API would have refused, for requests that did not pass it, and what only the function can see.
func invalid(w World) finding {
	name := w.Chroma.GetName()
	if w.XR.Kind == chroma.KindXChroma && !w.XR.ClaimBacked {
		return finding{reason: reason.ClaimRequired, message: "An XChroma is made by its claim. Create a Chroma in a namespace instead."}
	}
	if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
		return finding{reason: reason.InvalidSpec, message: fmt.Sprintf("The name %q is no DNS label: %s", name, problems[0])}
	}
	if len(name) > longestName {
		return finding{reason: reason.InvalidSpec, message: "The name " + strconv.Quote(name) + " has more than 60 characters: its Service <name>-rw would be no DNS label."}
	}
	storage := w.Chroma.Spec.Storage
	if storage == nil || storage.Size == nil || storage.Size.Sign() <= 0 {
		return finding{reason: reason.InvalidSpec, message: "spec.storage.size is missing or not above 0. Set it to the size of the volume, like 10Gi."}
	}
	if w.Chroma.Spec.Distributed != nil {
		return finding{reason: reason.InvalidSpec, message: "spec.distributed is only for spec.mode distributed."}
	}
	return finding{}
}

// invalidPod is what the API would refuse of a Pod with this spec. Crossplane deletes the old Pod first, so it is held
// back before that.
func invalidPod(spec chroma.ChromaSpec) finding {
	problems := validatePod(spec)
	if len(problems) == 0 {
		return finding{}
	}
	return finding{reason: reason.InvalidSpec, message: sentence(problems.ToAggregate().Error()) +
		" The API would refuse such a Pod, so none is started, and one that runs stays. Mend the spec."}
}

// unknownPriority: the API refuses a Pod of a class that does not exist, or does not any more. It is asked for where a
// running server would have to go first.
func unknownPriority(s situation, ask map[string]pass.Requirement) finding {
	name := s.w.Chroma.Spec.PriorityClassName
	if name == "" {
		return finding{}
	}
	ask[askPriority] = priorityClass(name)
	found := s.w.Found.PriorityClass.One()
	switch {
	case !s.w.Found.PriorityClass.Given, found != nil && found.GetName() != name:
		return finding{reason: reason.Observing, message: fmt.Sprintf("Asking for PriorityClass %s.", name)}
	case found == nil:
		return finding{reason: reason.InvalidSpec, message: fmt.Sprintf(
			"spec.priorityClassName: there is no PriorityClass %q. The API would refuse such a Pod, so the one that runs stays. Create the class, or mend the spec.", name)}
	}
	return finding{}
}

// validatePod by the rules of Kubernetes' own validation that the definition of Chroma cannot tell. In doubt it passes:
// whether a gate is on and what an admission policy adds is not known here.
func validatePod(spec chroma.ChromaSpec) field.ErrorList {
	path := field.NewPath("spec")
	problems := validateLabels(spec.NodeSelector, path.Child("nodeSelector"))
	for i := range spec.Tolerations {
		problems = append(problems, validateToleration(spec.Tolerations[i], path.Child("tolerations").Index(i))...)
	}
	if name := spec.PriorityClassName; name != "" {
		problems = append(problems, invalidWhere(validation.IsDNS1123Subdomain(name), path.Child("priorityClassName"), name)...)
	}
	if spec.Resources != nil {
		problems = append(problems, validateResources(*spec.Resources, path.Child("resources"))...)
	}
	return problems
}

func validateLabels(labels map[string]string, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		problems = append(problems, invalidWhere(validation.IsQualifiedName(key), path, key)...)
		problems = append(problems, invalidWhere(validation.IsValidLabelValue(labels[key]), path.Key(key), labels[key])...)
	}
	return problems
}

func validateToleration(toleration corev1.Toleration, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	if toleration.Key != "" {
		problems = append(problems, invalidWhere(validation.IsQualifiedName(toleration.Key), path.Child("key"), toleration.Key)...)
	}
	switch toleration.Operator {
	case corev1.TolerationOpEqual, "":
		if toleration.Key == "" {
			problems = append(problems, field.Invalid(path.Child("operator"), toleration.Operator, "must be Exists when the key is empty"))
		}
		problems = append(problems, invalidWhere(validation.IsValidLabelValue(toleration.Value), path.Child("value"), toleration.Value)...)
	case corev1.TolerationOpExists:
		if toleration.Value != "" {
			problems = append(problems, field.Invalid(path.Child("value"), toleration.Value, "must be empty with operator Exists"))
		}
	case corev1.TolerationOpLt, corev1.TolerationOpGt: // Behind a feature gate.
	default:
		problems = append(problems, field.NotSupported(path.Child("operator"), toleration.Operator, []corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}))
	}
	switch toleration.Effect {
	case "", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
	default:
		problems = append(problems, field.NotSupported(path.Child("effect"), toleration.Effect,
			[]corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}))
	}
	if toleration.TolerationSeconds != nil && toleration.Effect != corev1.TaintEffectNoExecute {
		problems = append(problems, field.Invalid(path.Child("effect"), toleration.Effect, "must be NoExecute with tolerationSeconds"))
	}
	return problems
}

func validateResources(resources chroma.Resources, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	for _, list := range []struct {
		name      string
		resources corev1.ResourceList
	}{{"limits", resources.Limits}, {"requests", resources.Requests}} {
		for _, name := range slices.Sorted(maps.Keys(list.resources)) {
			quantity, at := list.resources[name], path.Child(list.name).Key(string(name))
			problems = append(problems, validateResource(name, quantity, at)...)
			if limit, ok := resources.Limits[name]; ok && quantity.Cmp(limit) > 0 {
				problems = append(problems, field.Invalid(at, quantity.String(), "must not be above its limit "+limit.String()))
			}
			if limit, ok := resources.Limits[name]; ok && (extended(name) || hugePages(name)) && quantity.Cmp(limit) < 0 {
				problems = append(problems, field.Invalid(at, quantity.String(), "cannot be overcommitted: it must be its limit "+limit.String()))
			}
		}
	}
	return problems
}

// validateResource of a container: of Kubernetes' own there are three and huge pages, all others have a domain.
func validateResource(name corev1.ResourceName, quantity resource.Quantity, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	switch {
	case name == corev1.ResourceCPU, name == corev1.ResourceMemory, name == corev1.ResourceEphemeralStorage, hugePages(name):
	case strings.Contains(string(name), "/"):
		problems = invalidWhere(validation.IsQualifiedName(string(name)), path, string(name))
		if extended(name) && quantity.MilliValue()%1000 != 0 {
			problems = append(problems, field.Invalid(path, quantity.String(), "must be a whole number"))
		}
	default:
		problems = append(problems, field.NotSupported(path, name, []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, "<domain>/<resource>"}))
	}
	if quantity.Sign() < 0 {
		problems = append(problems, field.Invalid(path, quantity.String(), "must not be negative"))
	}
	return problems
}

// extended resources are those of a domain other than Kubernetes' own.
func extended(name corev1.ResourceName) bool {
	return strings.Contains(string(name), "/") && !strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}

func hugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

func invalidWhere(problems []string, path *field.Path, value string) field.ErrorList {
	var out field.ErrorList
	for _, problem := range problems {
		out = append(out, field.Invalid(path, value, problem))
	}
	return out
}
