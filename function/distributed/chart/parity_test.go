package chart_test

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/distributed/chart/v52ce844"
	"github.com/function-chroma/function-chroma/function/distributed/chart/v93652ec"
	"github.com/function-chroma/function-chroma/test/chartparity/comparison"
)

func known() []chart.Version {
	return []chart.Version{v93652ec.Version().WithRenderings(), v52ce844.Version().WithRenderings()}
}

// shared is the folder with the objects recorded from the real chart.
func shared(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("CHROMA_SHARED")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(folder, "chart")); err != nil {
		t.Skip("the objects recorded from the real chart are not here; set CHROMA_SHARED to their folder")
	}
	return folder
}

// TestRecorded holds all objects against those that Helm rendered from the real chart.
func TestRecorded(t *testing.T) {
	folder := shared(t)
	for _, version := range known() {
		cases, err := filepath.Glob(filepath.Join(folder, "chart", version.Commit, "cases", "*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(cases) == 0 {
			t.Errorf("no cases of version %s", version.Commit)
		}
		for _, path := range cases {
			t.Run(version.Commit+"/"+filepath.Base(path), func(t *testing.T) {
				compare(t, version, filepath.Join(path, "xr.yaml"), filepath.Join(path, "expected.yaml"))
			})
		}
	}
}

func compare(t *testing.T, version chart.Version, xr, expected string) {
	t.Helper()
	values := derive(t, version, readChroma(t, xr))
	// With the credentials known, the checksums are among what is stripped.
	values.Checksums = chart.Checksums{Postgres: "1", S3: "2"}
	got, err := comparison.Built(version.Objects(values))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(expected)
	if err != nil {
		t.Fatal(err)
	}
	want, err := comparison.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := comparison.Difference(want, got); diff != "" {
		t.Errorf("\nthe objects are those of the real chart\n%s", diff)
	}
}

func readChroma(t *testing.T, path string) v1alpha1.Chroma {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var chroma v1alpha1.Chroma
	if err := yaml.UnmarshalStrict(text, &chroma); err != nil {
		t.Fatal(err)
	}
	return chroma
}

func derive(t *testing.T, version chart.Version, chroma v1alpha1.Chroma) chart.Values {
	t.Helper()
	values, err := chart.Derive(chroma.Name, chroma.Namespace, *chroma.Spec.Distributed, version, known())
	if err != nil {
		t.Fatal(err)
	}
	return values
}
