package render

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
}

// start the function and find Crossplane.
func start(t *testing.T) programs {
	t.Helper()

	out := programs{
		cli:       program(t, cliVariable),
		core:      program(t, coreVariable),
		functions: filepath.Join(t.TempDir(), "functions.yaml"),
	}

	content, err := yaml.Marshal(pkgv1.Function{
		TypeMeta: metav1.TypeMeta{APIVersion: pkgv1.SchemeGroupVersion.String(), Kind: pkgv1.FunctionKind},
		ObjectMeta: metav1.ObjectMeta{Name: functionName, Annotations: map[string]string{
			runtimeAnnotation: "Development",
			targetAnnotation:  startFunction(t, program(t, functionVariable)),
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

func program(t *testing.T, variable string) string {
	t.Helper()

	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("%s is not set to a program: run make render-test", variable)
	}

	return path
}

// startFunction as a process of its own, on a free port, and return its address.
func startFunction(t *testing.T, path string) string {
	t.Helper()

	cmd := exec.CommandContext(t.Context(), path, "--insecure", "--address=127.0.0.1:0", "--metrics-address=")
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

	args := append([]string{
		"composition", "render", composite, composition, p.functions,
		"--crossplane-binary=" + p.core, "--include-function-results",
	}, flags...)
	cmd := exec.CommandContext(t.Context(), p.cli, args...)
	problems := &bytes.Buffer{}
	cmd.Stderr = problems

	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("cannot render %s: %v\n%s", composite, err, problems)
	}

	return out
}
