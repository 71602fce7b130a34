package vald

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
)

// example is the example of the Vald Operator's documentation, with the defaults of the API.
func example() *valdv1.ValdOperatorRelease {
	return &valdv1.ValdOperatorRelease{
		TypeMeta:   metav1.TypeMeta{APIVersion: "vald.vdaas.org/v1", Kind: "ValdOperatorRelease"},
		ObjectMeta: metav1.ObjectMeta{Name: "my-vor", Namespace: "vald", Generation: 1},
		Spec: valdv1.ValdOperatorReleaseSpec{
			Infrastructure: []valdv1.Infrastructure{{
				Role: "green", Type: "kind", Active: true,
				Clusters: []valdv1.Cluster{{ID: "abc-123", Name: "cluster-a"}},
				NodePools: map[string]valdv1.NodePool{
					"general": {Name: "general-pool", Replicas: 3, MachineResource: valdv1.MachineResource{CPU: "4", Memory: "16Gi", Storage: "100Gi"}},
					"agent":   {Name: "agent-pool", Replicas: 6, MachineResource: valdv1.MachineResource{CPU: "8", Memory: "32Gi"}},
				},
			}},
			VectorEngine: valdv1.VectorEngine{
				Name: "my-vald",
				Vald: valdv1.Vald{
					Defaults: valdv1.Defaults{LogLevel: "warn"},
					Agent: valdv1.Agent{
						NGT:              valdv1.NGT{Dimension: 768, DistanceType: "l2", ObjectType: "float", CreationEdgeSize: 20, SearchEdgeSize: 10},
						PersistentVolume: &valdv1.PersistentVolume{Enabled: true, StorageClass: "standard", AccessMode: "ReadWriteOnce"},
					},
					Indexer: valdv1.Indexer{
						Manager: true, Concurrency: 2, IndexDuration: "1h", SaveDuration: "1h", IndexSchedule: "@every 1m", SaveSchedule: "0 */3 * * *",
					},
					Gateway:    valdv1.Gateway{IndexReplica: 3, ServiceType: "LoadBalancer", Ingress: &valdv1.Ingress{Enabled: true, Host: "vald.example.com"}},
					Discoverer: valdv1.Discoverer{Kind: "DaemonSet"},
				},
			},
		},
	}
}
