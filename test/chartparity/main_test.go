package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/test/chartparity/comparison"
)

func TestEditConfig(t *testing.T) {
	values := chart.Values{Namespace: "12345", S3: chart.S3{Bucket: "true"}}
	cases := map[string]struct {
		reason    string
		text      string
		additions []addition
		want      string
		wantError bool
	}{
		"Values": {
			reason: "Hosts, namespaces, buckets, credentials and the collector follow the Chroma, and stay strings whatever they look like.",
			text:   "a: {host: sysdb.chroma, kube_namespace: chroma, bucket: b, credentials: Minio, otel: 'http://otel-collector.chroma.svc.cluster.local:4317'}",
			want:   `a: {host: sysdb.12345, kube_namespace: "12345", bucket: "true", credentials: AWS, otel: 'http://otel-collector.12345.svc.cluster.local:4317'}`,
		},
		"OtherWords": {
			reason: "A word that merely looks like a host is left alone, and numbers keep their digits.",
			text:   "a: {crate: chroma, path: /cache/chroma, max: 18446744073709551615, share: 1.0}",
			want:   "a: {crate: chroma, path: /cache/chroma, max: 18446744073709551615, share: 1.0}",
		},
		"Added": {
			reason:    "What is added goes beside what is there.",
			text:      "a: {b: {c: 1}}",
			additions: []addition{{"a", "b: {host: sysdb.chroma}"}},
			want:      "a: {b: {c: 1, host: sysdb.12345}}",
		},
		"NoSection": {
			reason:    "A section that upstream has renamed is an error, not a section of nobody.",
			text:      "a: {}",
			additions: []addition{{"b", "c: {}"}},
			wantError: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := editConfig([]byte(tc.text), values, tc.additions)
			if (err != nil) != tc.wantError {
				t.Fatalf("\n%s\neditConfig(...): error %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, strings.TrimSpace(got)); diff != "" {
				t.Errorf("\n%s\neditConfig(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRecorded takes what Helm printed for recorded Chromas, so that chart-parity judges by the real thing.
func TestRecorded(t *testing.T) {
	folder := os.Getenv("CHROMA_SHARED")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared")
	}
	cases, err := filepath.Glob(filepath.Join(folder, "chart", "*", "cases", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Skip("the output of Helm for recorded Chromas is not here; set CHROMA_SHARED to its folder")
	}
	for _, path := range cases {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(path)))+"/"+filepath.Base(path), func(t *testing.T) {
			expected, err := comparison.Read(read(t, path, "expected.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			var chroma struct{ Metadata struct{ Name string } }
			if err := yaml.Unmarshal(read(t, path, "xr.yaml"), &chroma); err != nil {
				t.Fatal(err)
			}
			got, err := chartObjects(read(t, path, "helm.yaml"), chroma.Metadata.Name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := comparison.Difference(expected, got); diff != "" {
				t.Errorf("\nHelm's output is what the objects are compared with\nchartObjects(...): %s", diff)
			}
		})
	}
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestSamples: a sample that a version refuses would compare nothing.
func TestSamples(t *testing.T) {
	for _, version := range distributed.Versions() {
		for _, sample := range samples(version) {
			if _, err := chart.Derive(sample.Name, sample.Namespace, *sample.Spec.Distributed, version, distributed.Versions()); err != nil {
				t.Errorf("\nevery version takes its samples\nDerive(%s, %s): %v", version.Commit, sample.Name, err)
			}
		}
	}
}
