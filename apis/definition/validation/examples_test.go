package validation

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/apis/definition"
)

// TestExamples holds every example of ours against the definition that serves it.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	validators := map[definition.Kind]*Validator{}
	for _, kind := range definition.Kinds() {
		validators[kind] = validator(t, kind)
	}

	seen := 0
	for _, file := range files {
		for _, object := range documents(t, file) {
			kind := definition.Kind(object["kind"].(string))
			if filepath.Base(file) == "claim.yaml" {
				kind = definition.KindChromaClaim
			}
			v, ours := validators[kind]
			if !ours {
				continue
			}
			seen++
			t.Run(filepath.Base(file), func(t *testing.T) {
				checkErrors(t, "An example must be accepted.", v.Validate(object, nil), "")
				unknown, err := v.UnknownFields(object)
				if err != nil {
					t.Fatal(err)
				}
				if len(unknown) > 0 {
					t.Errorf("the API server would drop fields of the example: %v", unknown)
				}
			})
		}
	}
	if seen < 5 {
		t.Errorf("want the examples of Chroma at least, found %d", seen)
	}
}

// TestDocumentedExample holds the first example that the users of the original operator know against ours.
func TestDocumentedExample(t *testing.T) {
	shared := os.Getenv("CHROMA_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared")
	}
	files, err := filepath.Glob(filepath.Join(shared, "seeds", "000*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 {
		t.Skip("the original operator's documentation is not beside the repository")
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(raw), "apiVersion: chroma.chromadotnet.org/v1alpha1")
	if !found {
		t.Fatal("the documentation has no example")
	}
	document, _, _ := strings.Cut(after, "\n\n")
	want := map[string]any{}
	if err := yaml.Unmarshal([]byte("apiVersion: chroma.chromadotnet.org/v1alpha1"+document), &want); err != nil {
		t.Fatal(err)
	}
	checkErrors(t, "Users bring their manifests unchanged.", validator(t, definition.KindChroma).Validate(namespaced(want), nil), "")

	got := documents(t, filepath.Join("..", "..", "..", "examples", "single-node.yaml"))
	if diff := cmp.Diff([]map[string]any{namespaced(want)}, got); diff != "" {
		t.Errorf("examples/single-node.yaml: -documented, +ours:\n%s", diff)
	}
}

// namespaced puts an object into the namespace that kubectl would.
func namespaced(object map[string]any) map[string]any {
	object["metadata"].(map[string]any)["namespace"] = "default"
	return object
}

// documents of a YAML file.
func documents(t *testing.T, file string) []map[string]any {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	objects := []map[string]any{}
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(raw), 4096)
	for {
		object := map[string]any{}
		if err := decoder.Decode(&object); errors.Is(err, io.EOF) {
			return objects
		} else if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(object) > 0 {
			objects = append(objects, object)
		}
	}
}
