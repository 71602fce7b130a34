package lifecycle

import (
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
)

// object with two active entries of two clusters each, and an inactive one: the object of the recorded stories.
func object() *valdv1.ValdOperatorRelease {
	entry := func(role string, active bool, clusters ...string) valdv1.Infrastructure {
		out := valdv1.Infrastructure{
			Role: role, Type: "kind", Active: active,
			NodePools: map[string]valdv1.NodePool{
				"general": {Name: "general", Replicas: 3, MachineResource: valdv1.MachineResource{CPU: "4", Memory: "16Gi"}},
				"agent":   {Name: "agent", Replicas: 6, MachineResource: valdv1.MachineResource{CPU: "8", Memory: "32Gi"}},
			},
		}
		for _, cluster := range clusters {
			out.Clusters = append(out.Clusters, valdv1.Cluster{ID: "id-" + cluster, Name: cluster})
		}
		return out
	}
	return &valdv1.ValdOperatorRelease{
		TypeMeta:   metav1.TypeMeta{APIVersion: "vald.vdaas.org/v1", Kind: "ValdOperatorRelease"},
		ObjectMeta: metav1.ObjectMeta{Name: "my-vor", Namespace: "search-prod", Generation: 1},
		Spec: valdv1.ValdOperatorReleaseSpec{
			Infrastructure: []valdv1.Infrastructure{entry("green", true, "green-a", "green-b"), entry("standby", false, "standby-a"), entry("blue", true, "blue-a", "blue-b")},
			VectorEngine: valdv1.VectorEngine{Name: "my-vald", Vald: valdv1.Vald{
				Agent:      valdv1.Agent{NGT: valdv1.NGT{Dimension: 768, DistanceType: "l2", ObjectType: "float", CreationEdgeSize: 20, SearchEdgeSize: 10}},
				Indexer:    valdv1.Indexer{Manager: true, Concurrency: 2, IndexDuration: "1h", SaveDuration: "1h"},
				Gateway:    valdv1.Gateway{IndexReplica: 3},
				Discoverer: valdv1.Discoverer{Kind: "DaemonSet"},
			}},
		},
	}
}

// shared is the folder with recordings of the Vald Operator: beside the repository, or where CHROMA_SHARED says.
func shared(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("CHROMA_SHARED")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "shared")
	}
	folder = filepath.Join(folder, "vald")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the recordings of the Vald Operator are not here: %v", err)
	}
	return folder
}
