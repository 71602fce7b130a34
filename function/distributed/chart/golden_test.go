package chart_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden writes out all objects of the cases in testdata, as they leave the function. Config files stand beside
// them, and their checksums are held by the objects.
func TestGolden(t *testing.T) {
	for _, version := range known() {
		folder := filepath.Join("testdata", version.Commit)
		t.Run(version.Commit, func(t *testing.T) {
			values := derive(t, version, readChroma(t, filepath.Join(folder, "chroma.yaml")))
			values.Checksums = chart.Checksums{
				Postgres: chart.CredentialsChecksum("uid", "chroma", "s3cret"),
				S3:       chart.CredentialsChecksum("uid", "AKIA", "key"),
			}
			var objects bytes.Buffer
			for _, object := range version.Objects(values) {
				if object.Kind == chart.KindConfigMap {
					continue
				}
				text, err := yaml.Marshal(object.Manifest)
				if err != nil {
					t.Fatal(err)
				}
				objects.WriteString("--- # " + object.Role + "\n")
				objects.Write(text)
			}
			golden(t, filepath.Join(folder, "objects.yaml"), objects.String())
			for file, name := range map[string]string{"frontend.yaml": chart.Frontend, "worker.yaml": chart.QueryService} {
				component, _ := version.Component(name)
				golden(t, filepath.Join(folder, file), component.Config.Content.Text(values))
			}
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("\n%s: -want, +got:\n%s", path, diff)
	}
}
