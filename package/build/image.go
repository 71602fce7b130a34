package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

const (
	// program in the runtime image.
	program = "function"
	// nonRoot is the user of images without an /etc/passwd, by convention. Crossplane runs functions as another
	// non-root user, unless a DeploymentRuntimeConfig says otherwise.
	nonRoot = "65532:65532"
)

// compile the function for Linux, statically, the same bytes from the same sources in whichever folder.
func (r Release) compile(ctx context.Context, architecture, path string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", path, "./function")
	cmd.Dir = r.Root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+architecture)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr

	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cannot compile the function for %s: %w", architecture, err)
	}

	return nil
}

// image with nothing in it but the program. It has no times, so that it stays the same.
func image(binary []byte, architecture string) (v1.Image, error) {
	files := &bytes.Buffer{}
	archive := tar.NewWriter(files)

	if err := archive.WriteHeader(&tar.Header{Name: program, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(binary)), Format: tar.FormatUSTAR}); err != nil {
		return nil, fmt.Errorf("cannot archive the function: %w", err)
	}

	if _, err := archive.Write(binary); err != nil {
		return nil, fmt.Errorf("cannot archive the function: %w", err)
	}

	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("cannot archive the function: %w", err)
	}

	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files.Bytes())), nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot make a layer: %w", err)
	}

	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return nil, fmt.Errorf("cannot add a layer: %w", err)
	}

	config, err := img.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("cannot read the image's configuration: %w", err)
	}

	config.OS, config.Architecture = "linux", architecture
	config.Config = v1.Config{
		Entrypoint:   []string{"/" + program},
		User:         nonRoot,
		ExposedPorts: map[string]struct{}{"9443/tcp": {}, "8080/tcp": {}},
	}

	img, err = mutate.ConfigFile(img, config)
	if err != nil {
		return nil, fmt.Errorf("cannot configure the image: %w", err)
	}

	return img, nil
}

// runtimeImage of the function as a tarball.
func (r Release) runtimeImage(ctx context.Context, architecture, folder string) (string, error) {
	path := filepath.Join(folder, program)
	if err := r.compile(ctx, architecture, path); err != nil {
		return "", err
	}

	binary, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("cannot read the function: %w", err)
	}

	img, err := image(binary, architecture)
	if err != nil {
		return "", err
	}

	archive := filepath.Join(folder, "runtime.tar")
	if err := tarball.WriteToFile(archive, r.Function.Tag(r.Version), img); err != nil {
		return "", fmt.Errorf("cannot write the runtime image: %w", err)
	}

	return archive, nil
}
