package trial

import (
	"context"
	"errors"
	"fmt"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/image"
	"github.com/function-chroma/function-chroma/test/server"
)

// A Release is a server that takes part in a trial, with its version as the tables know it.
type Release struct {
	Program server.Program
	Version compatibility.Version
}

// Resolve returns the release that a text names: a version of Chroma or a container image. Versions are run from npm
// packages, unless there is a container runtime (docker, podman or nerdctl): then from Chroma's image.
func Resolve(ctx context.Context, text, runtime string) (Release, error) {
	version, err := compatibility.ParseVersion(v1alpha1.ProductChroma, text)
	if err == nil && runtime == "" {
		program, err := server.Install(ctx, text)
		return Release{Program: program, Version: version}, err
	}
	if err == nil {
		return Release{Program: server.Container(runtime, "docker.io/chromadb/chroma:"+text), Version: version}, nil
	}
	if runtime == "" {
		return Release{}, fmt.Errorf("cannot run %q without a container runtime: only versions of Chroma have npm packages", text)
	}
	reference, err := image.Parse(text)
	if err != nil {
		return Release{}, err
	}
	product, refusal := image.Product(reference, "")
	if refusal == nil {
		version, refusal = image.ExactVersion(reference, product)
	}
	if refusal != nil {
		return Release{}, errors.New(refusal.Message)
	}
	return Release{Program: server.Container(runtime, reference.String()), Version: version}, nil
}
