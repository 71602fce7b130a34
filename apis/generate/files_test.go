package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// annotationLimit: a client-side kubectl apply keeps the whole object in an annotation, and the API server allows 256 KiB of
// them.
const annotationLimit = 256 * 1024

func TestGeneratedFiles(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		t.Run(path, func(t *testing.T) {
			got, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				t.Fatalf("%v: run go generate ./apis/... and commit the result", err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s differs from the types: run go generate ./apis/... and commit the result. -want, +got:\n%s", path, diff)
			}
			if filepath.Ext(path) != ".yaml" {
				return
			}
			compact, err := yaml.YAMLToJSON(want)
			if err != nil {
				t.Fatal(err)
			}
			if len(compact) > annotationLimit {
				t.Errorf("%s has %d bytes, want at most %d: drop descriptions of Kubernetes' own types", path, len(compact), annotationLimit)
			}
		})
	}
}
