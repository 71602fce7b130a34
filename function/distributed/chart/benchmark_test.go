package chart_test

import (
	"encoding/json"
	"testing"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

// BenchmarkObjects derives the values and builds all objects of a version, as every pass does.
func BenchmarkObjects(b *testing.B) {
	versions := known()
	spec := exampleSpec()
	for _, version := range versions {
		b.Run(version.Commit, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				values, err := chart.Derive("demo", "vectors", spec, version, versions)
				if err != nil {
					b.Fatal(err)
				}
				if objects := version.Objects(values); len(objects) < 61 {
					b.Fatalf("%d objects", len(objects))
				}
			}
		})
	}
}

// BenchmarkEncoded also encodes the objects, which is what leaves the function.
func BenchmarkEncoded(b *testing.B) {
	versions := known()
	spec := exampleSpec()
	b.ReportAllocs()
	for b.Loop() {
		values, err := chart.Derive("demo", "vectors", spec, versions[1], versions)
		if err != nil {
			b.Fatal(err)
		}
		for _, object := range versions[1].Objects(values) {
			if _, err := json.Marshal(object.Manifest); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkVersions reads the versions with their config files, which happens once.
func BenchmarkVersions(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		known()
	}
}

func exampleSpec() v1alpha1.Distributed {
	return v1alpha1.Distributed{
		Version:       "52ce844",
		Postgres:      v1alpha1.Postgres{Host: "postgres", CredentialsSecret: v1alpha1.SecretReference{Name: "pg"}},
		ObjectStorage: v1alpha1.ObjectStorage{S3: v1alpha1.S3{Endpoint: "http://10.0.0.1:9000", CredentialsSecret: v1alpha1.SecretReference{Name: "s3"}}},
	}
}
