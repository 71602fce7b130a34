package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// generated files, and the root of the module they belong to.
func generated(t *testing.T) (string, map[string][]byte) {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	return root, files
}

func TestGeneratedFilesFollowTheTypes(t *testing.T) {
	root, files := generated(t)
	for path, want := range files {
		t.Run(path, func(t *testing.T) {
			got, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				t.Fatalf("%v: run go generate ./apis/... and commit the result", err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s differs from the types: run go generate ./apis/... and commit the result. -want, +got:\n%s", path, diff)
			}
		})
	}
}

// TestDefinitionsFitTheAnnotation: a client-side kubectl apply keeps the whole object in an annotation, and the API server
// allows 256 KiB of annotations.
func TestDefinitionsFitTheAnnotation(t *testing.T) {
	_, files := generated(t)
	for path, content := range files {
		if filepath.Ext(path) != ".yaml" {
			continue
		}
		compact, err := yaml.YAMLToJSON(content)
		if err != nil {
			t.Fatal(err)
		}
		if limit := 256 * 1024; len(compact) > limit {
			t.Errorf("%s has %d bytes, want at most %d: drop descriptions of Kubernetes' own types", path, len(compact), limit)
		}
	}
}
