package vald

import (
	"fmt"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/vald/config"
)

// TestBuildOfAHundredClustersAllocatesAtMost150TimesEach holds the limit of allocations, which does not depend on the
// machine: the shared part of a ValdRelease must be built once, not for each cluster.
func TestBuildOfAHundredClustersAllocatesAtMost150TimesEach(t *testing.T) {
	for name, vor := range hundredClusters() {
		t.Run(name, func(t *testing.T) {
			with, template := config.New(), config.ShippedTemplate()
			allocations := testing.AllocsPerRun(10, func() {
				if releases, err := Build(vor, with, template, Capability{}); err != nil || len(releases) != 100 {
					t.Fatalf("Build(...): %d releases, %v", len(releases), err)
				}
			})
			if each := allocations / 100; each > 150 {
				t.Errorf("Build(...): %v allocations for each cluster, want at most 150", each)
			}
		})
	}
}

// BenchmarkBuild100Clusters builds for 100 clusters. The goal is at most 50 µs for each.
func BenchmarkBuild100Clusters(b *testing.B) {
	for name, vor := range hundredClusters() {
		b.Run(name, func(b *testing.B) {
			with, template := config.New(), config.ShippedTemplate()
			b.ReportAllocs()
			for b.Loop() {
				if releases, err := Build(vor, with, template, Capability{}); err != nil || len(releases) != 100 {
					b.Fatalf("Build(...): %d releases, %v", len(releases), err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/100, "µs/cluster")
		})
	}
}

// hundredClusters in one entry and in one entry for each, without and with an overlay.
func hundredClusters() map[string]*valdv1.ValdOperatorRelease {
	overlay := &apiextensionsv1.JSON{Raw: []byte(`{"metadata":{"labels":{"team":"search"}},"spec":{
		"defaults":{"time_zone":"UTC","image":{"registry":"ghcr.io"}},
		"agent":{"hpa":{"enabled":true},"resources":{"requests":{"cpu":"0.5"},"limits":{"memory":"2048Mi"}},
			"tolerations":[{"key":"dedicated","operator":"Exists"}],"nodeSelector":{"disk":"ssd"},"ngt":{"bulk_insert_chunk_size":100}},
		"gateway":{"lb":{"env":[{"name":"A","value":"1"}]}},"discoverer":{"clusterRole":{"enabled":false}}}}`)}
	out := map[string]*valdv1.ValdOperatorRelease{}
	for name, entries := range map[string]int{"one entry": 1, "100 entries": 100} {
		vor := example()
		entry := vor.Spec.Infrastructure[0]
		vor.Spec.Infrastructure = nil
		for i := range entries {
			entry.Clusters = nil
			for j := range 100 / entries {
				entry.Clusters = append(entry.Clusters, valdv1.Cluster{ID: "id", Name: fmt.Sprintf("cluster-%d-%d", i, j)})
			}
			vor.Spec.Infrastructure = append(vor.Spec.Infrastructure, entry)
		}
		out[name] = vor
		layered := *vor
		layered.Spec.VectorEngine.Vald.Overlay = overlay
		out[name+" with overlay"] = &layered
	}
	return out
}
