package images

import (
	"context"
	_ "embed"
	"fmt"
	"os/exec"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/function-chroma/function-chroma/test/server"
)

// nonRoot is the user of images whose program needs no rights.
const nonRoot = "65532:65532"

// Program is an image of one static program.
func Program(binary string, change func(*v1.Config)) Image {
	config := v1.Config{Entrypoint: []string{"/" + filepath.Base(binary)}, User: nonRoot}
	if change != nil {
		change(&config)
	}
	return Image{
		Layers: []Layer{{Files: map[string]string{filepath.Base(binary): binary}, Folders: []string{"tmp"}}},
		Config: config,
	}
}

// Crossplane as its own image has it: the program, and the definitions that it installs.
func Crossplane(binary, cluster string) Image {
	return Image{
		Layers: []Layer{{
			Files: map[string]string{
				"usr/local/bin/crossplane":         binary,
				"crds":                             filepath.Join(cluster, "crds"),
				"webhookconfigurations/usage.yaml": filepath.Join(cluster, "webhookconfigurations", "usage.yaml"),
			},
			Folders: []string{"tmp"},
		}},
		Config: v1.Config{Entrypoint: []string{"/usr/local/bin/crossplane"}, User: nonRoot},
	}
}

//go:embed chroma/chroma.js
var chromaScript string

// chromaBinding is where the image has the native server.
const chromaBinding = "app/binding"

// Chroma is an image that behaves like Chroma's own: the same entrypoint, arguments and configuration file, as root by
// default, with the real server of that release out of its npm package.
func Chroma(ctx context.Context, version string) (Image, error) {
	files, err := server.Fetch(ctx, version)
	if err != nil {
		return Image{}, err
	}
	base := Layer{
		Files: map[string]string{"usr/lib/x86_64-linux-gnu": files.Libraries},
		// Debian has its programs and libraries below /usr.
		Links: map[string]string{
			"lib": "usr/lib", "lib64": "usr/lib64", "bin": "usr/bin",
			"usr/lib64/ld-linux-x86-64.so.2": "../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
		},
		Folders: []string{"tmp", "data"},
	}
	for path, name := range map[string]string{"usr/bin/node": "node", "usr/bin/dumb-init": "dumb-init"} {
		if base.Files[path], err = exec.LookPath(name); err != nil {
			return Image{}, fmt.Errorf("cannot make an image of Chroma: %w", err)
		}
	}
	return Image{
		Layers: []Layer{base, {
			Files: map[string]string{chromaBinding: files.Binding},
			Texts: map[string]string{"usr/local/bin/chroma": chromaScript, "config.yaml": "persist_path: \"/data\"\n"},
		}},
		Config: v1.Config{
			Entrypoint: []string{"dumb-init", "--", "chroma"},
			Cmd:        []string{"run", "/config.yaml"},
			Env:        []string{"PATH=/usr/local/bin:/usr/bin:/bin"},
		},
	}, nil
}
