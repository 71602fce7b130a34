package vald

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/function-chroma/function-chroma/apis/definition"
	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/vald/config"
)

// TestTheExamplesGiveTheirReleases with the defaults of the API.
func TestTheExamplesGiveTheirReleases(t *testing.T) {
	defaults, err := definition.NewDefaults()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"vald-single.yaml":     {"vald-cluster-a"},
		"vald-one-pool.yaml":   {"vald-kind"},
		"vald-clusters.yaml":   {"vald-tokyo", "vald-osaka", "vald-taiwan"},
		"vald-blue-green.yaml": {"vald-blue", "vald-green"},
		"vald-overlay.yaml":    {"vald-tuned"},
	}
	got := map[string][]string{}
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "vald-*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
			var content map[string]any
			if err := decoder.Decode(&content); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			defaults.Default(content)
			var vor valdv1.ValdOperatorRelease
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &vor); err != nil {
				t.Fatal(err)
			}
			releases, err := Build(&vor, config.New(), config.ShippedTemplate(), Capability{})
			if err != nil {
				t.Fatalf("%s: Build(...): %v", file, err)
			}
			for _, release := range releases {
				got[filepath.Base(file)] = append(got[filepath.Base(file)], release.Name)
				if err := conforms(release.Manifest); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("releases of the examples: -want, +got:\n%s", diff)
	}
}
