package render_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/command"
	"github.com/function-chroma/function-chroma/plugin/exit"
)

// run the plugin. Its output and its errors are told apart by a line, as a golden file has them.
func run(t *testing.T, stdin string, args ...string) (output, errors string, code exit.Code) {
	t.Helper()
	streams, in, out, errOut := genericiooptions.NewTestIOStreams()
	in.WriteString(stdin)
	code = command.Execute(t.Context(), streams, func(string) string { return "" }, args)
	return out.String(), errOut.String(), code
}

// golden compares with a file, or writes it when UPDATE is set.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: UPDATE=1 writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: -want, +got (UPDATE=1 writes it):\n%s", path, diff)
	}
}

func TestEveryExampleRendersAsItsGoldenFiles(t *testing.T) {
	examples, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, example := range examples {
		name := strings.TrimSuffix(filepath.Base(example), ".yaml")
		t.Run(name, func(t *testing.T) {
			objects, errors, code := run(t, "", "render", "-f", example)
			if strings.Contains(errors, "cannot compose vald.vdaas.org/v1") {
				t.Skip("the function does not dispatch ValdOperatorRelease yet")
			}
			if code != exit.Fine {
				t.Errorf("exit code: want %d, got %d: %s", exit.Fine, code, errors)
			}
			golden(t, name+".objects.yaml", objects)
			trace, _, _ := run(t, "", "render", "--trace", "-f", example)
			golden(t, name+".trace.txt", trace)
			again, _, _ := run(t, "", "render", "-f", example)
			if !bytes.Equal([]byte(objects), []byte(again)) {
				t.Errorf("two runs differ:\n%s", cmp.Diff(objects, again))
			}
		})
	}
}

const chromaHead = "apiVersion: chroma.chromadotnet.org/v1alpha1\nkind: Chroma\nmetadata: {name: demo}\n"

func TestRenderTellsWhatIsWrong(t *testing.T) {
	cases := map[string]struct {
		reason string
		stdin  string
		args   []string
		code   exit.Code
		want   []string
	}{
		"NoFile": {
			reason: "Without a file there is nothing to do, and that is a usage error.",
			args:   []string{"render"},
			code:   exit.Usage,
			want:   []string{"-f", "--help"},
		},
		"MissingFile": {
			reason: "The error names the file that is not there.",
			args:   []string{"render", "-f", "testdata/nothing.yaml"},
			code:   exit.Error,
			want:   []string{"testdata/nothing.yaml"},
		},
		"Address": {
			reason: "Nothing is connected to.",
			args:   []string{"render", "-f", "https://example.org/chroma.yaml"},
			code:   exit.Error,
			want:   []string{"https://example.org/chroma.yaml", "download"},
		},
		"BrokenYAML": {
			reason: "The error names the input and the line.",
			stdin:  "apiVersion: v1\nkind: [\n",
			args:   []string{"render", "-f", "-"},
			code:   exit.Error,
			want:   []string{"standard input", "line 2"},
		},
		"OtherKind": {
			reason: "A file without one of our kinds has nothing to render.",
			stdin:  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
			args:   []string{"render", "-f", "-"},
			code:   exit.Usage,
			want:   []string{"Chroma", "ValdOperatorRelease"},
		},
		"UnknownField": {
			reason: "A field that the API server would drop is an error, as for kubectl.",
			stdin:  chromaHead + "spec: {storage: {size: 1Gi, clas: fast}}\n",
			args:   []string{"render", "-f", "-"},
			code:   exit.Refused,
			want:   []string{"standard input: Chroma default/demo", "spec.storage.clas"},
		},
		"RuleOfTheAPI": {
			reason: "What the API server would refuse is refused with its own words: file, object, field and the way out.",
			stdin:  chromaHead + "spec: {image: 'docker.io/chromadb/chroma:latest', storage: {size: 1Gi}}\n",
			args:   []string{"render", "-f", "-"},
			code:   exit.Refused,
			want:   []string{"standard input: Chroma default/demo", "spec.image", "1.5.9"},
		},
		"RuleOfTheFunction": {
			reason: "A repository that may not run is refused by the function, and the exit code says so.",
			stdin:  chromaHead + "spec: {image: 'example.org/chroma:1.5.9', storage: {size: 1Gi}}\n",
			args:   []string{"render", "-f", "-", "-o", "name"},
			code:   exit.Refused,
			want:   []string{"Chroma demo", "ImageNotAllowed"},
		},
		"Format": {
			reason: "An unknown format is a usage error that names the known ones.",
			stdin:  chromaHead + "spec: {storage: {size: 1Gi}}\n",
			args:   []string{"render", "-f", "-", "-o", "toml"},
			code:   exit.Usage,
			want:   []string{"yaml, json, name"},
		},
		"CompositionOfOthers": {
			reason: "A Composition that does not call the function has no settings for it.",
			stdin:  chromaHead + "spec: {storage: {size: 1Gi}}\n",
			args:   []string{"render", "-f", "-", "--composition", "testdata/inputs/composition-other.yaml"},
			code:   exit.Error,
			want:   []string{"composition-other.yaml", "function-chroma"},
		},
		"BadInput": {
			reason: "A setting that the function does not know is refused with file, step and path.",
			stdin:  chromaHead + "spec: {storage: {size: 1Gi}}\n",
			args:   []string{"render", "-f", "-", "--composition", "testdata/inputs/composition-bad.yaml"},
			code:   exit.Error,
			want:   []string{"composition-bad.yaml", "step chroma", "imges"},
		},
		"ObservedWithoutRole": {
			reason: "An object without a role was not composed.",
			stdin:  chromaHead + "spec: {storage: {size: 1Gi}}\n",
			args:   []string{"render", "-f", "-", "--observed", "testdata/inputs/claim.yaml"},
			code:   exit.Refused,
			want:   []string{"claim.yaml", "crossplane.io/composition-resource-name", "--required"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errors, code := run(t, tc.stdin, tc.args...)
			if code != tc.code {
				t.Errorf("\n%s\nexit code: want %d, got %d: %s", tc.reason, tc.code, code, errors)
			}
			for _, want := range tc.want {
				if !strings.Contains(errors, want) {
					t.Errorf("\n%s\nwant %q in: %s", tc.reason, want, errors)
				}
			}
		})
	}
}

func TestRenderBeginsWithWhatIsThere(t *testing.T) {
	chroma := chromaHead + "spec: {image: 'docker.io/chromadb/chroma:1.5.8', storage: {size: 10Gi}}\n"
	_, errors, code := run(t, chroma, "render", "-f", "-", "--required", "testdata/inputs/claim.yaml", "-o", "name")
	if code != exit.Refused || !strings.Contains(errors, "Downgrade") {
		t.Errorf("a claim on which 1.5.9 has run refuses 1.5.8: got exit code %d: %s", code, errors)
	}
}

func TestRenderTakesSettingsFromTheComposition(t *testing.T) {
	chroma := chromaHead + "spec: {storage: {size: 10Gi}}\n"
	objects, errors, code := run(t, chroma, "render", "-f", "-", "--composition", "testdata/inputs/composition.yaml")
	if code != exit.Fine || !strings.Contains(objects, "image: docker.io/chromadb/chroma:1.5.8") {
		t.Errorf("the default image of the Composition runs: got exit code %d: %s\n%s", code, errors, objects)
	}
}

func TestRenderKeepsWhatIsComposed(t *testing.T) {
	chroma := chromaHead + "spec: {storage: {size: 10Gi}}\n"
	trace, errors, code := run(t, chroma, "render", "-f", "-", "--trace", "--observed", "testdata/inputs/observed-config.yaml")
	if code != exit.Fine {
		t.Fatalf("exit code %d: %s", code, errors)
	}
	if strings.Contains(trace, "creates  config") {
		t.Errorf("the ConfigMap is composed already, and is created again:\n%s", trace)
	}
}
