package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// plugin is the manifest that Krew reads (krew.googlecontainertools.github.com/v1alpha2), with all its fields.
type plugin struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Version          string `json:"version"`
		Homepage         string `json:"homepage"`
		ShortDescription string `json:"shortDescription"`
		Description      string `json:"description"`
		Caveats          string `json:"caveats"`
		Platforms        []struct {
			Selector metav1.LabelSelector        `json:"selector"`
			URI      string                      `json:"uri"`
			SHA256   string                      `json:"sha256"`
			Bin      string                      `json:"bin"`
			Files    []struct{ From, To string } `json:"files"`
		} `json:"platforms"`
	} `json:"spec"`
}

func TestKrewReadsTheManifest(t *testing.T) {
	sums := map[platform]string{}
	for _, p := range platforms() {
		sums[p] = fmt.Sprintf("%x", sha256.Sum256([]byte(p.archive())))
	}
	manifest := plugin{}
	if err := yaml.UnmarshalStrict([]byte(krew("v0.1.0", "https://example.org/d", sums)), &manifest); err != nil {
		t.Fatalf("Krew refuses fields that it does not know: %v", err)
	}
	spec := manifest.Spec
	if manifest.APIVersion != "krew.googlecontainertools.github.com/v1alpha2" || manifest.Kind != "Plugin" || manifest.Metadata.Name != "chroma" {
		t.Errorf("it is no plugin chroma: %+v", manifest)
	}
	// Krew's naming guide has descriptions of a line, without the words that every plugin has.
	const line = 50
	if spec.Version != "v0.1.0" || spec.Homepage == "" || spec.Description == "" || len(spec.ShortDescription) > line || strings.Contains(spec.ShortDescription, "kubectl") {
		t.Errorf("version or descriptions: %+v", spec)
	}
	if len(spec.Platforms) != len(platforms()) {
		t.Fatalf("want %d platforms, got %+v", len(platforms()), spec.Platforms)
	}
	sum := regexp.MustCompile(`^[a-f0-9]{64}$`)
	for i, p := range spec.Platforms {
		want := platforms()[i]
		if p.Selector.MatchLabels["os"] != want.system || p.Selector.MatchLabels["arch"] != want.machine {
			t.Errorf("selector of %v: %v", want, p.Selector)
		}
		if !sum.MatchString(p.SHA256) || p.SHA256 != sums[want] || p.URI != "https://example.org/d/v0.1.0/"+want.archive() || p.Bin != want.binary() {
			t.Errorf("platform %v: %+v", want, p)
		}
	}
}

func TestRunWantsAVersion(t *testing.T) {
	if err := run(t.Context(), "", t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), "-version") {
		t.Errorf("want an error about -version, got %v", err)
	}
}
