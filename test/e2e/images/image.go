// Package images makes container images out of files, without a container runtime.
package images

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// An Image is built from layers, one above the other.
type Image struct {
	Layers []Layer
	Config v1.Config
}

// A Layer is files by their path in the image.
type Layer struct {
	// Files and folders of this machine.
	Files map[string]string
	// Texts are files by their content. They can be executed.
	Texts map[string]string
	// Folders that anybody may write to.
	Folders []string
	// Links by their path, to where they lead.
	Links map[string]string
}

// Build the image. Its layers are not compressed: they travel no further than this machine.
func (i Image) Build() (v1.Image, error) {
	out := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	out = mutate.ConfigMediaType(out, types.OCIConfigJSON)
	for _, layer := range i.Layers {
		content, err := layer.archive()
		if err != nil {
			return nil, err
		}
		if out, err = mutate.AppendLayers(out, static.NewLayer(content, types.OCIUncompressedLayer)); err != nil {
			return nil, fmt.Errorf("cannot add a layer: %w", err)
		}
	}
	file, err := out.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("cannot read the image's configuration: %w", err)
	}
	file.OS, file.Architecture, file.Config = "linux", "amd64", i.Config
	return mutate.ConfigFile(out, file)
}

func (l Layer) archive() ([]byte, error) {
	content := &bytes.Buffer{}
	archive := tar.NewWriter(content)
	for _, folder := range l.Folders {
		if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: folder + "/", Mode: 0o1777}); err != nil {
			return nil, fmt.Errorf("cannot archive folder %s: %w", folder, err)
		}
	}
	for path, target := range l.Links {
		if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: path, Linkname: target, Mode: 0o777}); err != nil {
			return nil, fmt.Errorf("cannot archive link %s: %w", path, err)
		}
	}
	for path, text := range l.Texts {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: path, Mode: 0o755, Size: int64(len(text))}
		if err := archive.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("cannot archive file %s: %w", path, err)
		}
		if _, err := io.WriteString(archive, text); err != nil {
			return nil, fmt.Errorf("cannot archive file %s: %w", path, err)
		}
	}
	for path, source := range l.Files {
		if err := add(archive, path, source); err != nil {
			return nil, fmt.Errorf("cannot archive %s: %w", source, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("cannot end an archive: %w", err)
	}
	return content.Bytes(), nil
}

// add a file, or a folder with all that is in it. Links of this machine are followed.
func add(archive *tar.Writer, path, source string) error {
	source, err := filepath.EvalSymlinks(source)
	if err != nil {
		return err
	}
	return filepath.WalkDir(source, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		inside := path + strings.TrimPrefix(file, source)
		mode := int64(0o644)
		if info.Mode()&0o111 != 0 {
			mode = 0o755
		}
		if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: inside, Mode: mode, Size: info.Size()}); err != nil {
			return err
		}
		content, err := os.Open(file)
		if err != nil {
			return err
		}
		defer content.Close()
		_, err = io.Copy(archive, content)
		return err
	})
}

// Push an image under a reference.
func Push(ctx context.Context, image v1.Image, reference string, transport http.RoundTripper) error {
	to, err := name.ParseReference(reference, name.StrictValidation, name.Insecure)
	if err != nil {
		return fmt.Errorf("cannot name an image %q: %w", reference, err)
	}
	if err := remote.Write(to, image, remote.WithContext(ctx), remote.WithTransport(transport)); err != nil {
		return fmt.Errorf("cannot push %s: %w", reference, err)
	}
	return nil
}

// Size of an image in a registry: what a node downloads.
func Size(ctx context.Context, reference string, transport http.RoundTripper) (int64, error) {
	from, err := name.ParseReference(reference, name.Insecure)
	if err != nil {
		return 0, fmt.Errorf("cannot name an image %q: %w", reference, err)
	}
	image, err := remote.Image(from, remote.WithContext(ctx), remote.WithTransport(transport))
	if err != nil {
		return 0, fmt.Errorf("cannot find %s: %w", reference, err)
	}
	manifest, err := image.Manifest()
	if err != nil {
		return 0, fmt.Errorf("cannot read the manifest of %s: %w", reference, err)
	}
	size := manifest.Config.Size
	for _, layer := range manifest.Layers {
		size += layer.Size
	}
	return size, nil
}

// Save an image as a tarball, as `docker save` does.
func Save(image v1.Image, path string) error {
	tag, err := name.NewTag("e2e.local/image:1")
	if err != nil {
		return fmt.Errorf("cannot name an image: %w", err)
	}
	if err := tarball.WriteToFile(path, tag, image); err != nil {
		return fmt.Errorf("cannot save an image: %w", err)
	}
	return nil
}
