package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestPackGivesTheSameBytes(t *testing.T) {
	entries := []entry{{"LICENSE", 0o644, []byte("text")}, {"kubectl-chroma", 0o755, []byte{1, 2, 3}}}
	first, err := pack(entries)
	if err != nil {
		t.Fatal(err)
	}
	second, err := pack(entries)
	if err != nil || !bytes.Equal(first, second) {
		t.Fatalf("two archives of the same content differ: %v", err)
	}
	zipped, err := gzip.NewReader(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for archive := tar.NewReader(zipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got[header.Name] = header.Mode
	}
	if diff := cmp.Diff(map[string]int64{"LICENSE": 0o644, "kubectl-chroma": 0o755}, got); diff != "" {
		t.Errorf("entries and modes: -want, +got:\n%s", diff)
	}
}

func TestKrewNamesEveryPlatform(t *testing.T) {
	sums := map[platform]string{}
	for _, p := range platforms() {
		sums[p] = "sum-" + p.system + p.machine
	}
	manifest := struct {
		Spec struct {
			Version   string
			Platforms []struct{ URI, SHA256, Bin string }
		}
	}{}
	if err := yaml.Unmarshal([]byte(krew("v0.1.0", "https://example.org/d", sums)), &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest.Spec.Platforms) != 6 || manifest.Spec.Version != "v0.1.0" {
		t.Fatalf("want six platforms of v0.1.0, got %+v", manifest.Spec)
	}
	for _, p := range manifest.Spec.Platforms {
		if p.SHA256 == "" || !strings.HasPrefix(p.URI, "https://example.org/d/v0.1.0/kubectl-chroma_") || strings.Contains(p.URI, "windows") != strings.HasSuffix(p.Bin, ".exe") {
			t.Errorf("platform %+v", p)
		}
	}
}

func TestRunWantsAVersion(t *testing.T) {
	if err := run(t.Context(), "", t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), "-version") {
		t.Errorf("want an error about -version, got %v", err)
	}
}
