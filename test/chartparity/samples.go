package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

// samples to compare: the required fields alone, and every field that the version has.
func samples(version chart.Version) []v1alpha1.Chroma {
	minimal := sample("minimal", "chroma-minimal", v1alpha1.Distributed{
		Version:       version.Commit,
		Postgres:      v1alpha1.Postgres{Host: "postgres.databases", CredentialsSecret: v1alpha1.SecretReference{Name: "postgres"}},
		ObjectStorage: v1alpha1.ObjectStorage{S3: v1alpha1.S3{CredentialsSecret: v1alpha1.SecretReference{Name: "bucket"}}},
	})
	of := func(name string) *v1alpha1.Component {
		component, ok := version.Component(name)
		if !ok {
			return nil
		}
		return everyField(component)
	}
	everything := sample("everything", "chroma-everything", v1alpha1.Distributed{
		Version:       version.Commit,
		ImageRegistry: "registry.example.org/chroma",
		Postgres: v1alpha1.Postgres{
			Host: "192.0.2.9", Port: 5433, Database: "sysdb_prod", SSLMode: "verify-full",
			CredentialsSecret: v1alpha1.SecretReference{Name: "postgres"},
		},
		ObjectStorage: v1alpha1.ObjectStorage{S3: v1alpha1.S3{
			Endpoint: "http://192.0.2.10:9000", Bucket: "chroma-prod", Region: "us-west-2",
			CredentialsSecret: v1alpha1.SecretReference{Name: "bucket"},
		}},
		Frontend: of(chart.Frontend), SysDB: of(chart.SysDB), LogService: of(chart.LogService), QueryService: of(chart.QueryService),
		CompactionService: of(chart.CompactionService), GarbageCollector: of(chart.GarbageCollector),
		WorkQueue: of(chart.WorkQueue), FnConsumer: of(chart.FnConsumer),
	})
	return []v1alpha1.Chroma{minimal, everything}
}

func sample(name, namespace string, spec v1alpha1.Distributed) v1alpha1.Chroma {
	chroma := v1alpha1.Chroma{Spec: v1alpha1.ChromaSpec{Mode: v1alpha1.ModeDistributed, Distributed: &spec}}
	chroma.SetName(name)
	chroma.SetNamespace(namespace)
	return chroma
}

// everyField that the version has for a component.
func everyField(component chart.Component) *v1alpha1.Component {
	list := func(cpu, memory string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
	}
	out := &v1alpha1.Component{Resources: &v1alpha1.Resources{Requests: list("1500m", "3Gi"), Limits: list("3", "6Gi")}}
	if component.Fields.Replicas {
		replicas := int32(3)
		out.Replicas = &replicas
	}
	if component.Fields.NodeSelector {
		out.NodeSelector = map[string]string{"pool": component.Name}
	}
	if component.Fields.Tolerations {
		out.Tolerations = []corev1.Toleration{{Key: "pool", Operator: corev1.TolerationOpEqual, Value: component.Name, Effect: corev1.TaintEffectNoSchedule}}
	}
	if component.Fields.Affinity {
		out.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key: "pool", Operator: corev1.NodeSelectorOpIn, Values: []string{component.Name},
			}}}},
		}}}
	}
	return out
}
