//go:build e2e && linux

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/test/e2e/cluster"
)

// makeVolumes for claims on the node: folders, since no provisioner runs there. On a developer's own cluster the default
// class provides them.
func (s *scene) makeVolumes(count int) {
	s.Helper()
	if s.node == nil {
		return
	}
	for i := range count {
		name := s.unique + "-" + strconv.Itoa(i)
		folder := filepath.Join(s.node.Folder(), "volumes", name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			s.Fatalf("cannot make a volume: %v", err)
		}
		volume := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "PersistentVolume", "metadata": map[string]any{"name": name},
			"spec": map[string]any{
				"capacity": map[string]any{"storage": "10Gi"}, "accessModes": []any{"ReadWriteOnce"},
				"storageClassName": "local", "persistentVolumeReclaimPolicy": "Retain",
				// hostPath volumes are not given the Pod's group.
				"local": map[string]any{"path": folder},
				"nodeAffinity": map[string]any{"required": map[string]any{"nodeSelectorTerms": []any{map[string]any{
					"matchExpressions": []any{map[string]any{"key": "kubernetes.io/hostname", "operator": "In", "values": []any{cluster.NodeName}}},
				}}}},
			},
		}}
		if _, err := s.client.Resource(kindVolume.resource).Create(s.Context(), volume, metav1.CreateOptions{}); err != nil {
			s.Fatalf("cannot make a volume: %v", err)
		}
		s.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			if err := s.client.Resource(kindVolume.resource).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
				s.Errorf("cannot delete a volume: %v", err)
			}
		})
	}
}
