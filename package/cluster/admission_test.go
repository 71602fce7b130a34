package cluster

import (
	"strings"
	"testing"
	"time"

	celgo "github.com/google/cel-go/cel"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// expression of the policy: a variable, a condition, a validation or its message.
type expression struct{ name, text string }

func (e *expression) GetName() string            { return e.name }
func (e *expression) GetExpression() string      { return e.text }
func (e *expression) ReturnTypes() []*celgo.Type { return []*celgo.Type{celgo.AnyType} }

// policy that guards claims, evaluated by the API server's own code.
type policy struct {
	matcher               matchconditions.Matcher
	validations, messages cel.ConditionEvaluator
}

// compiled policy of an installation.
func compiled(t *testing.T) policy {
	t.Helper()
	of := &admissionregistrationv1.ValidatingAdmissionPolicy{}
	convert(t, manifests(t)["ValidatingAdmissionPolicy chroma-retain"], of)
	template, err := cel.NewCompositionEnv(cel.VariablesTypeName, environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		t.Fatal(err)
	}
	compiler, options := cel.NewCompositedCompilerFromTemplate(template), cel.OptionalVariableDeclarations{}
	for _, variable := range of.Spec.Variables {
		if result := compiler.CompileAndStoreVariable(&expression{variable.Name, variable.Expression}, options, environment.StoredExpressions); result.Error != nil {
			t.Fatalf("variable %s: %v", variable.Name, result.Error)
		}
	}
	condition := func(expressions ...cel.ExpressionAccessor) cel.ConditionEvaluator {
		out := compiler.CompileCondition(expressions, options, environment.StoredExpressions)
		for _, err := range out.CompilationErrors() {
			t.Fatal(err)
		}
		return out
	}
	var conditions, validations, messages []cel.ExpressionAccessor
	for i := range of.Spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&of.Spec.MatchConditions[i]))
	}
	for _, validation := range of.Spec.Validations {
		validations = append(validations, &expression{text: validation.Expression})
		messages = append(messages, &expression{text: validation.MessageExpression})
	}
	return policy{
		matcher:     matchconditions.NewMatcher(condition(conditions...), of.Spec.FailurePolicy, "policy", "validate", of.Name),
		validations: condition(validations...), messages: condition(messages...),
	}
}

// refusal of the deletion of a Chroma by somebody, empty when it is admitted.
func (p policy) refusal(t *testing.T, of *unstructured.Unstructured, by string, namespace *corev1.Namespace) string {
	t.Helper()
	kind := chroma.GroupVersionKind()
	resource := kind.GroupVersion().WithResource("chromas")
	attributes := admission.NewAttributesRecord(nil, of, kind, of.GetNamespace(), of.GetName(), resource, "", admission.Delete, &metav1.DeleteOptions{}, false, &user.DefaultInfo{Name: by})
	versioned := &admission.VersionedAttributes{Attributes: attributes, VersionedOldObject: of, VersionedKind: kind}
	matched := p.matcher.Match(t.Context(), versioned, nil, nil)
	if matched.Error != nil {
		t.Fatal(matched.Error)
	}
	if !matched.Matches {
		return ""
	}
	request := cel.CreateAdmissionRequest(attributes, metav1.GroupVersionResource(resource), metav1.GroupVersionKind(kind))
	evaluated := func(of cel.ConditionEvaluator) []cel.EvaluationResult {
		results, _, err := of.ForInput(t.Context(), versioned, request, cel.OptionalVariableBindings{}, cel.CreateNamespaceObject(namespace), celconfig.RuntimeCELCostBudget)
		if err != nil {
			t.Fatal(err)
		}
		for _, result := range results {
			if result.Error != nil {
				t.Fatal(result.Error)
			}
		}
		return results
	}
	messages := evaluated(p.messages)
	for i, result := range evaluated(p.validations) {
		if result.EvalResult.Value() != true {
			message, _ := messages[i].EvalResult.Value().(string)
			return message
		}
	}
	return ""
}

// TestAChromaThatSaysRetainIsNotDeletedWhileItsClaimWouldGo asks the policy as the API server does.
func TestAChromaThatSaysRetainIsNotDeletedWhileItsClaimWouldGo(t *testing.T) {
	const person, crossplane = "jane", "system:serviceaccount:crossplane-system:crossplane"
	stays := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "vectors"}}
	now := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	goes := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "vectors", DeletionTimestamp: &now}}
	cases := map[string]struct {
		reason           string
		wanted, inEffect chroma.PVCDeletionPolicy
		by               string
		namespace        *corev1.Namespace
		refused          bool
	}{
		"SwitchedToRetain":   {"The claim would still go: the switch has not been carried out.", chroma.PVCRetain, chroma.PVCDelete, person, stays, true},
		"DefaultIsRetain":    {"A spec that says nothing says Retain.", "", chroma.PVCDelete, person, stays, true},
		"Retain":             {"The claim stays.", chroma.PVCRetain, chroma.PVCRetain, person, stays, false},
		"Delete":             {"The claim goes as the spec says.", chroma.PVCDelete, chroma.PVCDelete, person, stays, false},
		"SwitchedToDelete":   {"The claim would stay, which loses nothing.", chroma.PVCDelete, chroma.PVCRetain, person, stays, false},
		"NothingWasMade":     {"Without a status there is no claim yet.", chroma.PVCRetain, "", person, stays, false},
		"TheNamespaceGoes":   {"The claim goes with the Namespace, which one Chroma must not hold for ever.", chroma.PVCRetain, chroma.PVCDelete, person, goes, false},
		"Crossplane":         {"It finishes a deletion that was let through.", chroma.PVCRetain, chroma.PVCDelete, crossplane, stays, false},
		"AnotherOfTheirName": {"An account of the same name elsewhere is not Crossplane.", chroma.PVCRetain, chroma.PVCDelete, "system:serviceaccount:vectors:crossplane", stays, true},
	}
	guard := compiled(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			of := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
			of.SetGroupVersionKind(chroma.GroupVersionKind())
			of.SetNamespace(stays.Name)
			of.SetName("demo")
			if tc.wanted != "" {
				of.Object["spec"] = map[string]any{"pvcDeletionPolicy": string(tc.wanted)}
			}
			if tc.inEffect != "" {
				of.Object["status"] = map[string]any{"pvcDeletionPolicy": string(tc.inEffect), "pvc": "demo-1"}
			}
			got := guard.refusal(t, of, tc.by, tc.namespace)
			if (got != "") != tc.refused {
				t.Errorf("\n%s\nwant refused: %v, got %q", tc.reason, tc.refused, got)
			}
			for _, way := range []string{"the claim demo-1 would still be deleted", "status.pvcDeletionPolicy is Retain", "kubectl patch pv"} {
				if tc.refused && !strings.Contains(got, way) {
					t.Errorf("\n%s\nthe refusal does not say %q: %s", tc.reason, way, got)
				}
			}
		})
	}
}
