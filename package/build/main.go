// Build makes the packages of a release without a container runtime: the Function with its runtime image for each
// architecture, and the Configurations. The same sources and Go toolchain give the same bytes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/google/go-containerregistry/pkg/name"
)

// A Release is what the packages are made from and for.
type Release struct {
	// Root of the module.
	Root string
	// Output folder of the packages.
	Output string
	// Crossplane's CLI, the program that builds and pushes packages.
	Crossplane string
	// Version of the release, like v0.1.0.
	Version string
	// Function is where the package of the function is pulled from, without a tag.
	Function name.Repository
	// Architectures of the runtime image.
	Architectures []string
}

// FunctionName is the name that Crossplane gives the function when it installs it as a dependency: the path in the
// registry as a DNS label (ToDNSLabel in crossplane-runtime, which would bring in all of cosign).
func (r Release) FunctionName() string {
	return strings.NewReplacer("/", "-", ".", "-", "_", "").Replace(r.Function.RepositoryStr())
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	root := flag.String("root", ".", "folder of the module")
	output := flag.String("output", "dist", "folder for the packages")
	crossplane := flag.String("crossplane", "crossplane", "Crossplane's CLI")
	version := flag.String("version", "", "version of the release, like v0.1.0")
	registry := flag.String("registry", "", "where the packages are pulled from, like registry.example.org/team")
	push := flag.Bool("push", false, "push the packages in the output folder instead of building them")
	native := flag.Bool("native", false, "build for this machine's architecture only")
	flag.Parse()

	repository, err := name.NewRepository(*registry+"/function-chroma", name.StrictValidation)
	if err != nil {
		return fmt.Errorf("cannot name the package of the function: %w", err)
	}

	absolute, err := filepath.Abs(*output)
	if err != nil {
		return fmt.Errorf("cannot find the output folder: %w", err)
	}

	release := Release{
		Root: *root, Output: absolute, Crossplane: *crossplane, Version: *version, Function: repository,
		Architectures: []string{"amd64", "arm64"},
	}
	if *native {
		release.Architectures = []string{runtime.GOARCH}
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	if *push {
		return release.Push(ctx)
	}

	return release.Build(ctx)
}
