package definition

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

func TestDefault(t *testing.T) {
	cases := map[string]struct {
		reason       string
		object, want string
	}{
		"SingleNode": {
			reason: "What the documents show gets the defaults of the spec, and none of what is absent as a whole.",
			object: `
apiVersion: chroma.chromadotnet.org/v1alpha1
kind: Chroma
spec: {storage: {size: 10Gi}}`,
			want: `
apiVersion: chroma.chromadotnet.org/v1alpha1
kind: Chroma
spec: {mode: single-node, imagePullPolicy: IfNotPresent, pvcDeletionPolicy: Retain, storage: {size: 10Gi}}`,
		},
		"Kept": {
			reason: "What a person set stays, and null counts as absent.",
			object: `
apiVersion: chroma.chromadotnet.org/v1alpha1
kind: Chroma
spec: {mode: null, imagePullPolicy: Always, pvcDeletionPolicy: Delete, service: {}}`,
			want: `
apiVersion: chroma.chromadotnet.org/v1alpha1
kind: Chroma
spec: {mode: single-node, imagePullPolicy: Always, pvcDeletionPolicy: Delete, service: {type: ClusterIP}}`,
		},
		"Distributed": {
			reason: "Defaults further down.",
			object: `
apiVersion: chroma.chromadotnet.org/v1alpha1
kind: Chroma
spec: {mode: distributed, distributed: {postgres: {}, objectStorage: {s3: {}}}}`,
			want: `
apiVersion: chroma.chromadotnet.org/v1alpha1
kind: Chroma
spec:
  mode: distributed
  imagePullPolicy: IfNotPresent
  pvcDeletionPolicy: Retain
  distributed:
    imageRegistry: docker.io/chromadb
    postgres: {port: 5432, database: sysdb, sslMode: disable}
    objectStorage: {s3: {bucket: chroma-storage, region: us-east-1}}`,
		},
		"XChroma": {
			reason: "The XR behind a claim has the same defaults.",
			object: `
apiVersion: chroma.chromadotnet.org/v1alpha1
kind: XChroma
spec: {}`,
			want: `
apiVersion: chroma.chromadotnet.org/v1alpha1
kind: XChroma
spec: {mode: single-node, imagePullPolicy: IfNotPresent, pvcDeletionPolicy: Retain, compositionUpdatePolicy: Automatic}`,
		},
		"Other": {
			reason: "A kind that is not ours stays as it is.",
			object: "{apiVersion: v1, kind: Pod, spec: {}}",
			want:   "{apiVersion: v1, kind: Pod, spec: {}}",
		},
		"NoSpec": {
			reason: "Nothing to default, and nothing that fails.",
			object: "{apiVersion: chroma.chromadotnet.org/v1alpha1, kind: Chroma}",
			want:   "{apiVersion: chroma.chromadotnet.org/v1alpha1, kind: Chroma}",
		},
		"WrongType": {
			reason: "A spec that is no object is for the validation to refuse.",
			object: "{apiVersion: chroma.chromadotnet.org/v1alpha1, kind: Chroma, spec: [1]}",
			want:   "{apiVersion: chroma.chromadotnet.org/v1alpha1, kind: Chroma, spec: [1]}",
		},
	}
	defaults, err := NewDefaults()
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := parse(t, tc.object)
			defaults.Default(got)
			raw, err := yaml.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parse(t, tc.want), parse(t, string(raw))); diff != "" {
				t.Errorf("\n%s\nDefault(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDefaultAsTheAPIServer compares with the API server's own defaulting, on objects that have random parts of the schema.
func TestDefaultAsTheAPIServer(t *testing.T) {
	defaults, err := NewDefaults()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			crd, err := CustomResourceDefinition(kind)
			if err != nil {
				t.Fatal(err)
			}
			if kind == KindChromaClaim {
				t.Skip("a function never sees a claim")
			}
			version := crd.Spec.Versions[0]
			structural := newStructural(t, version.Schema.OpenAPIV3Schema)

			rapid.Check(t, func(r *rapid.T) {
				object, _ := draw(r, version.Schema.OpenAPIV3Schema, 0).(map[string]any)
				object["apiVersion"] = crd.Spec.Group + "/" + version.Name
				object["kind"] = crd.Spec.Names.Kind
				want := runtime.DeepCopyJSON(object)
				defaulting.Default(want, structural)

				defaults.Default(object)
				if diff := cmp.Diff(want, object); diff != "" {
					r.Errorf("Default(...): -want, +got:\n%s", diff)
				}
			})
		})
	}
}

// draw an object of a schema: each property is there, null or absent by chance.
func draw(r *rapid.T, node *extv1.JSONSchemaProps, depth int) any {
	switch {
	case node.Type == "object" && len(node.Properties) > 0:
		object := map[string]any{}
		for name, child := range node.Properties {
			chance := rapid.IntRange(0, 9).Draw(r, "presence of "+name)
			switch {
			case chance == 0:
				object[name] = nil
			case chance > 3 || depth == 0:
				object[name] = draw(r, &child, depth+1)
			}
		}
		return object
	case node.Type == "array" && node.Items != nil:
		list := []any{}
		for range rapid.IntRange(0, 2).Draw(r, "items") {
			list = append(list, draw(r, node.Items.Schema, depth+1))
		}
		return list
	case node.Type == "object" && node.AdditionalProperties != nil && node.AdditionalProperties.Schema != nil:
		object := map[string]any{}
		for range rapid.IntRange(0, 2).Draw(r, "values") {
			object[rapid.StringMatching("[a-z]{1,3}").Draw(r, "key")] = draw(r, node.AdditionalProperties.Schema, depth+1)
		}
		return object
	default:
		return "scalar"
	}
}

func newStructural(t *testing.T, props *extv1.JSONSchemaProps) *structuralschema.Structural {
	t.Helper()
	internal := &apiextensions.JSONSchemaProps{}
	if err := extv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, internal, nil); err != nil {
		t.Fatal(err)
	}
	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		t.Fatal(err)
	}
	return structural
}

func parse(t *testing.T, document string) map[string]any {
	t.Helper()
	object := map[string]any{}
	if err := yaml.Unmarshal([]byte(document), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func BenchmarkDefault(b *testing.B) {
	defaults, err := NewDefaults()
	if err != nil {
		b.Fatal(err)
	}
	spec := map[string]any{"storage": map[string]any{"size": "10Gi"}, "service": map[string]any{}}
	object := map[string]any{"apiVersion": "chroma.chromadotnet.org/v1alpha1", "kind": "Chroma", "spec": spec}
	b.ReportAllocs()
	for b.Loop() {
		delete(spec, "mode")
		delete(spec, "imagePullPolicy")
		delete(spec, "pvcDeletionPolicy")
		defaults.Default(object)
	}
}

func BenchmarkNewDefaults(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewDefaults(); err != nil {
			b.Fatal(err)
		}
	}
}
