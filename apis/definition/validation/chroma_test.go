package validation

import (
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/apis/definition"
)

// ruleCase is one object against the rules of a Chroma.
type ruleCase struct {
	reason string
	// name of the Chroma: demo where it does not matter.
	name string
	// spec as a person writes it. old is the spec before an update, empty for a creation.
	spec, old string
	// want is a part of what the API server says, empty for an object it accepts.
	want string
}

// chroma with this name and spec.
func chroma(t *testing.T, kind, name, spec string) map[string]any {
	t.Helper()
	object := map[string]any{
		"apiVersion": "chroma.chromadotnet.org/v1alpha1",
		"kind":       kind,
		"metadata":   map[string]any{"name": name},
	}
	if kind == "Chroma" {
		object["metadata"] = map[string]any{"name": name, "namespace": "default"}
	}
	content := map[string]any{}
	if err := yaml.Unmarshal([]byte(spec), &content); err != nil {
		t.Fatalf("cannot parse the spec of the case: %v", err)
	}
	object["spec"] = content
	return object
}

// validators of the kinds, each compiled once for all tests, which takes seconds with the race detector.
var validators = func() map[definition.Kind]func() (*Validator, error) {
	made := map[definition.Kind]func() (*Validator, error){}
	for _, kind := range definition.Kinds() {
		made[kind] = sync.OnceValues(func() (*Validator, error) { return New(kind) })
	}
	return made
}()

// validator of a kind.
func validator(t *testing.T, kind definition.Kind) *Validator {
	t.Helper()
	v, err := validators[kind]()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkRules runs the cases against both forms of a Chroma, which have the same rules.
func checkRules(t *testing.T, cases map[string]ruleCase) {
	t.Helper()
	for _, kind := range []definition.Kind{definition.KindChroma, definition.KindChromaClaim} {
		v := validator(t, kind)
		for name, tc := range cases {
			t.Run(string(kind)+"/"+name, func(t *testing.T) {
				objectName := tc.name
				if objectName == "" {
					objectName = "demo"
				}
				object := chroma(t, "Chroma", objectName, tc.spec)
				var old map[string]any
				if tc.old != "" {
					old = chroma(t, "Chroma", objectName, tc.old)
				}
				checkErrors(t, tc.reason, v.Validate(object, old), tc.want)
			})
		}
	}
}

// checkErrors compares what the API server says with a part of what it should say.
func checkErrors(t *testing.T, reason string, errs field.ErrorList, want string) {
	t.Helper()
	got := make([]string, 0, len(errs))
	for _, err := range errs {
		got = append(got, err.Error())
	}
	all := strings.Join(got, "\n")
	switch {
	case want == "" && len(errs) > 0:
		t.Errorf("\n%s\nValidate(...): want accepted, got:\n%s", reason, all)
	case want != "" && !strings.Contains(all, want):
		t.Errorf("\n%s\nValidate(...): want an error with %q, got:\n%s", reason, want, all)
	}
}

func TestName(t *testing.T) {
	const spec = "storage: {size: 1Gi}"
	sixty := "a" + strings.Repeat("b", 58) + "c"

	checkRules(t, map[string]ruleCase{
		"Short":       {reason: "One letter is a DNS label.", name: "a", spec: spec},
		"Digits":      {reason: "A label may contain digits and hyphens.", name: "demo-2", spec: spec},
		"Sixty":       {reason: "With -rw behind it, 60 characters are a label of 63.", name: sixty, spec: spec},
		"SixtyOne":    {reason: "The name of the Service would be too long.", name: sixty + "d", spec: spec, want: "at most 60 characters"},
		"Dots":        {reason: "A Service's name has no dots.", name: "demo.example", spec: spec, want: "without dots"},
		"Uppercase":   {reason: "Kubernetes has lowercase names.", name: "Demo", spec: spec, want: "lowercase"},
		"FirstHyphen": {reason: "A label begins with a letter or digit.", name: "-demo", spec: spec, want: "beginning and ending"},
		"LastHyphen":  {reason: "The Service would be valid, but the name is no label.", name: "demo-", spec: spec, want: "beginning and ending"},
		"FirstDigit":  {reason: "The API refuses a Service whose name begins with a digit.", name: "2demo", spec: spec, want: "must begin with a letter"},
		"FirstDigitDistributed": {
			reason: "The objects of a distributed Chroma have names of their own.",
			name:   "2demo", spec: distributed(""),
		},
	})
}

func TestXChromaName(t *testing.T) {
	v := validator(t, definition.KindXChroma)
	cases := map[string]struct{ reason, name, want string }{
		"Generated": {
			reason: "Crossplane cuts the claim's name to 58 characters and adds five.",
			name:   strings.Repeat("a", 58) + "x7k2p",
		},
		"TooLong": {
			reason: "Crossplane bounds the names of all XRs, since they are label values.",
			name:   strings.Repeat("a", 64), want: "63",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := chroma(t, "XChroma", tc.name, `
storage: {size: 1Gi}
claimRef: {apiVersion: chroma.chromadotnet.org/v1alpha1, kind: Chroma, namespace: default, name: a}`)
			checkErrors(t, tc.reason, v.Validate(object, nil), tc.want)
		})
	}
}

func TestMode(t *testing.T) {
	const single = "storage: {size: 1Gi}"
	checkRules(t, map[string]ruleCase{
		"Default":    {reason: "single-node is the default.", spec: single},
		"SingleNode": {reason: "The default can be written down.", spec: "mode: single-node\n" + single},
		"Null":       {reason: "The API server takes null for absent.", spec: "mode: null\n" + single},
		"Distributed": {
			reason: "The other mode.", spec: distributed(""),
		},
		"Unknown": {
			reason: "There are two modes.", spec: "mode: cluster\n" + single, want: `supported values: "single-node", "distributed"`,
		},
		"Changed": {
			reason: "The data of the two modes are not the same.",
			old:    single, spec: distributed("") + single, want: "mode cannot change",
		},
		"Removed": {
			reason: "Leaving the mode out means single-node.",
			old:    distributed("") + single, spec: single, want: "mode cannot change",
		},
		"WrittenDown": {
			reason: "Writing down the default changes nothing.",
			old:    single, spec: "mode: single-node\n" + single,
		},
		"DistributedInSingleNode": {
			reason: "It would have no effect.",
			spec:   strings.Replace(distributed(""), "mode: distributed", "", 1) + single, want: "only for mode distributed",
		},
		"WithoutDistributed": {
			reason: "There is nothing to run without it.", spec: "mode: distributed", want: "mode distributed needs distributed",
		},
		"Empty": {
			reason: "A Chroma with nothing in it has no size.", spec: "{}", want: "needs storage.size",
		},
	})
}

func TestProduct(t *testing.T) {
	const spec = "image: mirror.example.com/chroma:1.5.9\nstorage: {size: 1Gi}\n"
	checkRules(t, map[string]ruleCase{
		"Chroma":    {reason: "A mirror of Chroma.", spec: spec + "product: chroma"},
		"VecturaDB": {reason: "A mirror of VecturaDB.", spec: spec + "product: vecturadb"},
		"Empty":     {reason: "Empty means that the repository is known.", spec: spec + `product: ""`},
		"Unknown":   {reason: "There are two products.", spec: spec + "product: qdrant", want: `supported values: "", "chroma", "vecturadb"`},
		"Uppercase": {reason: "Values are compared exactly.", spec: spec + "product: Chroma", want: "supported values"},
	})
}

func TestEnumerations(t *testing.T) {
	const spec = "storage: {size: 1Gi}\n"
	checkRules(t, map[string]ruleCase{
		"PullPolicy":      {reason: "A policy of Kubernetes.", spec: spec + "imagePullPolicy: Always"},
		"PullPolicyWrong": {reason: "No policy of Kubernetes.", spec: spec + "imagePullPolicy: Sometimes", want: "supported values"},
		"Retain":          {reason: "The default.", spec: spec + "pvcDeletionPolicy: Retain"},
		"Delete":          {reason: "The other policy.", spec: spec + "pvcDeletionPolicy: Delete"},
		"Recycle":         {reason: "No policy of ours.", spec: spec + "pvcDeletionPolicy: Recycle", want: "supported values"},
		"LoadBalancer":    {reason: "A type of Service.", spec: spec + "service: {type: LoadBalancer}"},
		"ExternalName": {
			reason: "Such a Service leads elsewhere.", spec: spec + "service: {type: ExternalName}", want: "supported values",
		},
	})
}
