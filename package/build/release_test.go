package main

import (
	"bytes"
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// crossplaneVariable is the environment variable with the path of Crossplane's CLI. `make package-test` sets it.
const crossplaneVariable = "CROSSPLANE_CLI"

// compressedLimit of the runtime image in bytes: what a node downloads.
const compressedLimit = 40 << 20

func TestBuildAndPush(t *testing.T) {
	crossplane := os.Getenv(crossplaneVariable)
	if crossplane == "" {
		t.Skipf("%s is not set to Crossplane's CLI: run make package-test", crossplaneVariable)
	}

	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)

	host := strings.TrimPrefix(server.URL, "http://")

	first := release(t, host+"/function-chroma")
	first.Crossplane, first.Output, first.Architectures = crossplane, t.TempDir(), []string{"amd64", "arm64"}

	if err := first.Build(t.Context()); err != nil {
		t.Fatal(err)
	}

	second := first
	second.Root, second.Output = copyOf(t, root, "go.mod", "go.sum", metaFile, "apis", "function", "package"), t.TempDir()

	if err := second.Build(t.Context()); err != nil {
		t.Fatal(err)
	}

	want, got := yamlIn(t, first.Output), yamlIn(t, second.Output)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("Build(...): -first files, +second files:\n%s", diff)
	}

	for file, content := range want {
		if !bytes.Equal(content, got[file]) {
			t.Errorf("Build(...): %s has other bytes when it is built from a copy of the sources", file)
		}
	}

	if err := first.Push(t.Context()); err != nil {
		t.Fatal(err)
	}

	index, err := remote.Index(first.Function.Tag(first.Version), remote.WithContext(t.Context()))
	if err != nil {
		t.Fatal(err)
	}

	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}

	var platforms []string

	for _, m := range manifest.Manifests {
		platforms = append(platforms, m.Platform.String())

		img, err := index.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}

		layers, err := img.Layers()
		if err != nil {
			t.Fatal(err)
		}

		var size int64

		for _, layer := range layers {
			compressed, err := layer.Size()
			if err != nil {
				t.Fatal(err)
			}

			size += compressed
		}

		t.Logf("%s: %.1f MB compressed", m.Platform, float64(size)/(1<<20))

		if size > compressedLimit {
			t.Errorf("Push(...): the image for %s has %d bytes, want at most %d", m.Platform, size, compressedLimit)
		}
	}

	slices.Sort(platforms)

	if diff := cmp.Diff([]string{"linux/amd64", "linux/arm64"}, platforms); diff != "" {
		t.Errorf("Push(...): -want platforms, +got platforms:\n%s", diff)
	}

	for _, c := range configurations() {
		tag, err := name.NewTag(host+"/"+c.Name+":"+first.Version, name.StrictValidation)
		if err != nil {
			t.Fatal(err)
		}

		if _, err := remote.Image(tag, remote.WithContext(t.Context())); err != nil {
			t.Errorf("Push(...): cannot pull %s: %v", tag, err)
		}
	}
}

// copyOf the given files and folders below a folder.
func copyOf(t *testing.T, from string, names ...string) string {
	t.Helper()

	to := t.TempDir()

	for _, file := range names {
		source, target := filepath.Join(from, file), filepath.Join(to, file)

		info, err := os.Stat(source)
		if err != nil {
			t.Fatal(err)
		}

		if info.IsDir() {
			err = os.CopyFS(target, os.DirFS(source))
		} else {
			var content []byte
			if content, err = os.ReadFile(source); err == nil {
				err = os.WriteFile(target, content, 0o600)
			}
		}

		if err != nil {
			t.Fatal(err)
		}
	}

	return to
}
