package v1beta1

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apivalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// inputSchema is the schema of the Input as the package of the function carries it.
func inputSchema(t *testing.T) *apiextensions.JSONSchemaProps {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "package", "input", "chroma.fn.crossplane.io_inputs.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	crd := &extv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(raw, crd); err != nil {
		t.Fatal(err)
	}
	extv1.SetDefaults_CustomResourceDefinition(crd)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := extv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, internal, nil); err != nil {
		t.Fatal(err)
	}
	internal.Status.StoredVersions = []string{Version}
	if errs := apivalidation.ValidateCustomResourceDefinition(t.Context(), internal); len(errs) > 0 {
		t.Fatalf("an API server would refuse the schema: %v", errs)
	}
	return internal.Spec.Validation.OpenAPIV3Schema
}

func TestSchema(t *testing.T) {
	cases := map[string]struct {
		reason, input string
		// want is a part of the error, unknown the fields that are not in the schema.
		want    string
		unknown string
	}{
		"Empty": {reason: "Everything is optional.", input: "{}"},
		"Everything": {
			reason: "Every field at once.",
			input: `
images: {default: docker.io/chromadb/chroma:1.5.9, allowed: [docker.io/chromadb/chroma, mirror.example.com/*]}
claims: {providerConfigRef: {kind: ClusterProviderConfig, name: default}, accessMode: ReadWriteOncePod}
security: {assignment: Function, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000}
checks: {mode: Enabled, hosts: {allowed: [10.0.0.0/8], denied: ["*.internal"]}}
vald:
  config: {operator: {vrs: {log_level: info}}}
  defaultTemplate: {spec: {agent: {hpa: {enabled: false}}}}
  delivery: Objects
  providerConfigName: vald-{id}`,
		},
		"TemplateFrom":   {reason: "The template can live in a ConfigMap.", input: "vald: {defaultTemplateFrom: {configMap: {name: a, key: b}}}"},
		"TwoTemplates":   {reason: "Which of the two?", input: "vald: {defaultTemplate: {}, defaultTemplateFrom: {configMap: {name: a, key: b}}}", want: "not both"},
		"Platform":       {reason: "OpenShift assigns the numbers.", input: "security: {assignment: Platform}"},
		"PlatformNumber": {reason: "Then they must not be set.", input: "security: {assignment: Platform, fsGroup: 1}", want: "leave out"},
		"Root":           {reason: "The server never runs as root.", input: "security: {runAsUser: 0}", want: "greater than or equal to 1"},
		"AccessMode":     {reason: "Two nodes must not write to one volume.", input: "claims: {accessMode: ReadWriteMany}", want: "Unsupported value"},
		"Kind":           {reason: "provider-kubernetes has two kinds.", input: "claims: {providerConfigRef: {kind: Secret}}", want: "Unsupported value"},
		"CheckMode":      {reason: "Checks are on or off.", input: "checks: {mode: Maybe}", want: "Unsupported value"},
		"Delivery":       {reason: "There are two ways.", input: "vald: {delivery: Mail}", want: "Unsupported value"},
		"NothingAllowed": {reason: "An empty list would allow nothing: leave it out instead.", input: "images: {allowed: []}", want: "at least 1 items"},
		"ConfigType":     {reason: "The configuration is a document.", input: "vald: {config: text}", want: "must be of type object"},
		"Misspelt":       {reason: "A key that nobody reads.", input: "image: {default: a}", unknown: "image"},
	}

	props := inputSchema(t)
	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		t.Fatal(err)
	}
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			input := map[string]any{}
			if err := yaml.Unmarshal([]byte(tc.input), &input); err != nil {
				t.Fatal(err)
			}
			input["apiVersion"], input["kind"] = Group+"/"+Version, Kind

			errs := validation.ValidateCustomResource(nil, input, validator)
			more, _ := rules.Validate(t.Context(), nil, structural, input, nil, celconfig.RuntimeCELCostBudget)
			got := ""
			if errs = append(errs, more...); len(errs) > 0 {
				got = errs.ToAggregate().Error()
			}
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("\n%s\nwant an error with %q, got %q", tc.reason, tc.want, got)
			}
			unknown := pruning.PruneWithOptions(input, structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
			if got := strings.Join(unknown, " "); got != tc.unknown {
				t.Errorf("\n%s\nwant unknown fields %q, got %q", tc.reason, tc.unknown, got)
			}
		})
	}
}
