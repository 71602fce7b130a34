package validation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/apis/definition"
)

// configCase is one of the values of spec.config in testdata, with which a real Chroma server is started elsewhere.
type configCase struct {
	Name    string         `json:"name"`
	Reason  string         `json:"reason"`
	Config  map[string]any `json:"config"`
	Message string         `json:"message"`
}

func TestConfig(t *testing.T) {
	for _, file := range []string{"config-accepted.yaml", "config-refused.yaml"} {
		raw, err := os.ReadFile(filepath.Join("..", "..", "chroma", "testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		var cases []configCase
		if err := yaml.Unmarshal(raw, &cases); err != nil {
			t.Fatal(err)
		}
		if len(cases) == 0 {
			t.Fatalf("%s has no cases", file)
		}
		v := validator(t, definition.KindChroma)
		for _, tc := range cases {
			t.Run(file+"/"+tc.Name, func(t *testing.T) {
				if refused := file == "config-refused.yaml"; refused != (tc.Message != "") {
					t.Fatalf("a refused case has a message, an accepted one has none; got %q", tc.Message)
				}
				object := chroma(t, "Chroma", "demo", "storage: {size: 1Gi}")
				object["spec"].(map[string]any)["config"] = tc.Config
				checkErrors(t, tc.Reason, v.Validate(object, nil), tc.Message)
			})
		}
	}
}

// TestConfigBounds has what the API refuses although Chroma would start with it.
func TestConfigBounds(t *testing.T) {
	const spec = "storage: {size: 1Gi}\nconfig: "
	checkRules(t, map[string]ruleCase{
		"Exponent": {reason: "A whole number in another form.", spec: spec + "{maxPayloadSizeBytes: 4e7}"},
		"TooExact": {
			reason: "Crossplane hands numbers over as floating point, which has no such number.",
			spec:   spec + "{maxPayloadSizeBytes: 9007199254740993}", want: "at most 9007199254740991",
		},
		"EmptyOrigin": {reason: "No browser sends it.", spec: spec + `{corsAllowOrigins: [""]}`, want: "at least 1 chars"},
		"Tab":         {reason: "A header may hold a tab, but no origin has one.", spec: spec + `{corsAllowOrigins: ["http://a\tb"]}`, want: "control characters"},
		"Many":        {reason: "A list needs an end.", spec: spec + "{corsAllowOrigins: [" + strings.Repeat("a,", 64) + "a]}", want: "must have at most 64 items"},
	})
}

func TestServiceAnnotations(t *testing.T) {
	const spec = "storage: {size: 1Gi}\nservice: {annotations: "
	key := "an annotation key is a name"
	checkRules(t, map[string]ruleCase{
		"Domain":       {reason: "What load balancers read.", spec: spec + "{service.beta.kubernetes.io/aws-load-balancer-type: nlb}}"},
		"Name":         {reason: "A domain is optional.", spec: spec + "{team: search}}"},
		"Short":        {reason: "One character is a name.", spec: spec + "{a/b: c}}"},
		"Uppercase":    {reason: "Kubernetes compares keys in lowercase for this.", spec: spec + "{Example.COM/Name: x}}"},
		"Longest":      {reason: "63 characters.", spec: spec + "{example.com/" + strings.Repeat("a", 63) + ": x}}"},
		"EmptyValue":   {reason: "A value may be empty.", spec: spec + `{example.com/name: ""}}`},
		"TooLong":      {reason: "64 characters.", spec: spec + "{example.com/" + strings.Repeat("a", 64) + ": x}}", want: key},
		"Space":        {reason: "No character of a key.", spec: spec + `{"example.com/my name": x}}`, want: key},
		"Empty":        {reason: "A key has a name.", spec: spec + `{"": x}}`, want: key},
		"NoName":       {reason: "A domain alone is no key.", spec: spec + `{"example.com/": x}}`, want: key},
		"NoDomain":     {reason: "A slash follows a domain.", spec: spec + `{"/name": x}}`, want: key},
		"TwoSlashes":   {reason: "A key has one slash at most.", spec: spec + "{example.com/a/b: x}}", want: key},
		"LastHyphen":   {reason: "A name ends with a letter or digit.", spec: spec + "{example.com/a-: x}}", want: key},
		"WrongDomain":  {reason: "No domain.", spec: spec + "{example..com/a: x}}", want: key},
		"Underscore":   {reason: "A domain has no underscores.", spec: spec + "{my_domain/a: x}}", want: key},
		"Number":       {reason: "Values are strings.", spec: spec + "{example.com/a: 1}}", want: "must be of type string"},
		"Crossplane":   {reason: "Crossplane finds composed objects by it.", spec: spec + "{crossplane.io/composition-resource-name: x}}", want: "Crossplane's own"},
		"LongestValid": {reason: "The domain counts apart from the name.", spec: spec + "{" + strings.Repeat("a", 60) + "." + strings.Repeat("b", 60) + "/" + strings.Repeat("c", 63) + ": x}}"},
	})
}
