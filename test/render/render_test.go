// Package render renders the examples with the real Crossplane, the way a user's pipeline does.
package render

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// updateVariable makes the tests write the golden files. `make render-test UPDATE=1` sets it.
const updateVariable = "UPDATE"

const (
	examples = "../../examples"
	apis     = "../../apis"
	// claim is the example of a claim.
	claim = "claim.yaml"
)

// kindFolders have the definition and the Composition of each kind that a person can render, below apis.
func kindFolders() map[string]string {
	return map[string]string{"Chroma": "chroma", "XChroma": "claims", "ValdOperatorRelease": "vald"}
}

func TestRenderExamples(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(examples, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	if len(paths) == 0 {
		t.Fatalf("there are no examples in %s", examples)
	}

	p := start(t)

	for _, path := range paths {
		if filepath.Base(path) == claim {
			continue // Crossplane makes an XR of a claim, which is an example of its own.
		}

		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			folder := folderOf(t, path)
			composition, definition := filepath.Join(folder, "composition.yaml"), filepath.Join(folder, "definition.yaml")

			got := p.render(t, path, composition, "--xrd="+definition, "--include-function-results")
			compare(t, filepath.Join("golden", filepath.Base(path)), got)

			bare := p.render(t, path, composition, "--include-function-results")
			if diff := cmp.Diff(decisions(t, got), decisions(t, bare)); diff != "" {
				t.Errorf("\nAn XR should render the same without the XRD's defaults, since older CLIs do not fill them in.\nrender(...): -with XRD, +without:\n%s", diff)
			}

			p.validate(t, definition, p.render(t, path, composition, "--xrd="+definition, "--include-full-xr"))
		})
	}
}

// TestRenderPasses renders what later passes observe: each folder of passes has the composite resource as the previous
// pass left it, the composed resources that exist, and the required resources.
func TestRenderPasses(t *testing.T) {
	folders, err := filepath.Glob("passes/*")
	if err != nil {
		t.Fatal(err)
	}

	if len(folders) == 0 {
		t.Fatal("there are no passes")
	}

	p := start(t)

	for _, pass := range folders {
		t.Run(filepath.Base(pass), func(t *testing.T) {
			composite := filepath.Join(pass, "xr.yaml")
			folder := folderOf(t, composite)

			got := p.render(t, composite, filepath.Join(folder, "composition.yaml"),
				"--xrd="+filepath.Join(folder, "definition.yaml"), "--include-function-results",
				"--observed-resources="+filepath.Join(pass, "observed.yaml"),
				"--required-resources="+filepath.Join(pass, "required.yaml"))
			compare(t, filepath.Join("golden", filepath.Base(pass)+".yaml"), got)
		})
	}
}

// folderOf the definition and the Composition of the kind of a composite resource.
func folderOf(t *testing.T, composite string) string {
	t.Helper()

	content, err := os.ReadFile(composite)
	if err != nil {
		t.Fatal(err)
	}

	xr := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(content, xr); err != nil {
		t.Fatal(err)
	}

	folder, ok := kindFolders()[xr.GetKind()]
	if !ok {
		t.Fatalf("%s has the kind %q, which is not known here", composite, xr.GetKind())
	}

	return filepath.Join(apis, folder)
}

// decisions of the function in what was rendered: all of it but what Crossplane itself writes to the XR of a claim, which
// it knows for one from the XRD alone.
func decisions(t *testing.T, rendered []byte) []map[string]any {
	t.Helper()

	var out []map[string]any

	for reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(rendered))); ; {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return out
		}

		if err != nil {
			t.Fatal(err)
		}

		object := map[string]any{}
		if err := yaml.Unmarshal(document, &object); err != nil {
			t.Fatal(err)
		}

		if len(out) == 0 {
			unstructured.RemoveNestedField(object, "spec")
			unstructured.RemoveNestedField(object, "status", "claimConditionTypes")
		}

		out = append(out, object)
	}
}

func compare(t *testing.T, golden string, got []byte) {
	t.Helper()

	if os.Getenv(updateVariable) != "" {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}

		return
	}

	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v\nmake render-test UPDATE=1 writes it", err)
	}

	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("render(...): -want (%s), +got:\n%s", golden, diff)
	}
}
