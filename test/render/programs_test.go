package render

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	pkgv1 "github.com/crossplane/crossplane/apis/v2/pkg/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// Environment variables with the paths of the programs. `make render-test` builds them and sets these.
const (
	cliVariable      = "CROSSPLANE_CLI"
	coreVariable     = "CROSSPLANE_CORE"
	functionVariable = "FUNCTION"
)

// Environment variables with the folders of the definitions that `crossplane resource validate` needs: Crossplane's own,
// and those of provider-kubernetes.
const (
	coreDefinitionsVariable     = "CROSSPLANE_CRDS"
	providerDefinitionsVariable = "PROVIDER_KUBERNETES_CRDS"
)

// Annotations that make `crossplane composition render` call a function that runs already.
const (
	runtimeAnnotation = "render.crossplane.io/runtime"
	targetAnnotation  = "render.crossplane.io/runtime-development-target"
)

// functionName in the Compositions.
const functionName = "function-chroma"

// programs that render.
type programs struct {
	cli, core string
	// functions is the file that tells the CLI where the function listens.
	functions string
	// cache of definitions, extensions that are validated against beside the XRD.
	cache, extensions string
}

// start the function and find Crossplane.
func start(t *testing.T) programs {
	t.Helper()

	out := programs{
		cli:       setting(t, cliVariable),
		core:      setting(t, coreVariable),
		functions: filepath.Join(t.TempDir(), "functions.yaml"),
		cache:     t.TempDir(),
	}

	// Where the CLI keeps what it downloads from the image of Crossplane, which it then does not download.
	image := filepath.Join(out.cache, "xpkg.crossplane.io/crossplane/crossplane@stable")
	if err := os.CopyFS(image, os.DirFS(setting(t, coreDefinitionsVariable))); err != nil {
		t.Fatal(err)
	}

	out.extensions = setting(t, providerDefinitionsVariable)

	content, err := yaml.Marshal(pkgv1.Function{
		TypeMeta: metav1.TypeMeta{APIVersion: pkgv1.SchemeGroupVersion.String(), Kind: pkgv1.FunctionKind},
		ObjectMeta: metav1.ObjectMeta{Name: functionName, Annotations: map[string]string{
			runtimeAnnotation: "Development",
			targetAnnotation:  startFunction(t, setting(t, functionVariable)),
		}},
	})
	if err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(out.functions, content, 0o600); err != nil {
		t.Fatal(err)
	}

	return out
}

// setting of the environment, which `make render-test` makes.
func setting(t *testing.T, variable string) string {
	t.Helper()

	value := os.Getenv(variable)
	if value == "" {
		t.Skipf("%s is not set: run make render-test", variable)
	}

	return value
}

// startFunction as a process of its own, on a free port, and return its address.
func startFunction(t *testing.T, path string) string {
	t.Helper()

	cmd := exec.CommandContext(t.Context(), path, "--insecure", "--address=127.0.0.1:0", "--metrics-address=", "--checks=Disabled")
	// Its environment has defaults of the function, which must be the built-in ones here.
	cmd.Env = []string{}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }

	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}

	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	address, rest := make(chan string, 1), &bytes.Buffer{}
	read := make(chan struct{})

	go func() {
		defer close(read)
		defer close(address)

		for lines := bufio.NewScanner(log); lines.Scan(); {
			rest.Write(append(lines.Bytes(), '\n'))

			var line struct {
				Message string `json:"msg"`
				Address string `json:"address"`
			}
			if err := json.Unmarshal(lines.Bytes(), &line); err == nil && line.Message == "Serving" {
				address <- line.Address
			}
		}
	}()

	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-read

		if err := cmd.Wait(); err != nil && !errors.Is(err, t.Context().Err()) {
			t.Errorf("the function did not stop when it was told to: %v", err)
		}

		if t.Failed() {
			t.Logf("the function's log:\n%s", rest)
		}
	})

	got, ok := <-address
	if !ok {
		t.Fatal("the function ended before it listened")
	}

	return got
}

// render a composite resource the way a user does, and return what is printed.
func (p programs) render(t *testing.T, composite, composition string, flags ...string) []byte {
	t.Helper()

	args := append([]string{"composition", "render", composite, composition, p.functions, "--crossplane-binary=" + p.core}, flags...)

	out, problems, err := p.crossplane(t, nil, args...)
	if err != nil {
		t.Fatalf("cannot render %s: %v\n%s", composite, err, problems)
	}

	return ordered(out)
}

// ordered has Crossplane's own results on what is not ready sorted: it goes through a map for them.
func ordered(rendered []byte) []byte {
	separator := []byte("---\n")
	documents := bytes.Split(rendered, separator)

	var places []int

	var results [][]byte

	for i, document := range documents {
		if bytes.Contains(document, []byte("\nkind: Result\n")) && bytes.Contains(document, []byte("is not yet ready\n")) {
			places, results = append(places, i), append(results, document)
		}
	}

	slices.SortFunc(results, bytes.Compare)

	for i, place := range places {
		documents[place] = results[i]
	}

	return bytes.Join(documents, separator)
}

// validate what was rendered against its XRD and the definitions of provider-kubernetes.
func (p programs) validate(t *testing.T, definition string, rendered []byte) {
	t.Helper()

	out, problems, err := p.crossplane(t, rendered,
		"resource", "validate", "--cache-dir="+p.cache, definition+","+p.extensions, "-")
	if err != nil {
		t.Errorf("what was rendered is not valid: %v\n%s\n%s", err, out, problems)
	}
}

// crossplane runs the CLI.
func (p programs) crossplane(t *testing.T, in []byte, args ...string) (out, problems []byte, err error) {
	t.Helper()

	stderr := &bytes.Buffer{}
	cmd := exec.CommandContext(t.Context(), p.cli, args...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), stderr

	out, err = cmd.Output()

	return out, stderr.Bytes(), err
}
