package images

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

func TestBuild(t *testing.T) {
	folder := t.TempDir()
	for name, mode := range map[string]os.FileMode{"program": 0o755, "data": 0o644} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("data", filepath.Join(folder, "linked")); err != nil {
		t.Fatal(err)
	}
	image, err := Image{
		Layers: []Layer{
			{Files: map[string]string{"usr/share": folder}, Folders: []string{"tmp"}},
			{Texts: map[string]string{"usr/bin/script": "#!"}, Links: map[string]string{"bin": "usr/bin"}},
		},
		Config: v1.Config{Cmd: []string{"run"}, User: nonRoot},
	}.Build()
	if err != nil {
		t.Fatal(err)
	}

	got := map[string]string{}
	archive := tar.NewReader(mutate.Extract(image))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		got[header.FileInfo().Mode().String()+" "+header.Name] = string(content) + header.Linkname
	}
	want := map[string]string{
		"dtrwxrwxrwx tmp":              "",
		"-rwxr-xr-x usr/share/program": "program",
		"-rw-r--r-- usr/share/data":    "data",
		"-rw-r--r-- usr/share/linked":  "data",
		"-rwxr-xr-x usr/bin/script":    "#!",
		"Lrwxrwxrwx bin":               "usr/bin",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nAn image has the files of its layers, and what links lead to\nBuild(): -want, +got:\n%s", diff)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v1.Config{Cmd: []string{"run"}, User: nonRoot}, config.Config); diff != "" {
		t.Errorf("\nAn image runs as it was told\nBuild(): -want, +got:\n%s", diff)
	}
}
