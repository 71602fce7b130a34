package chart

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// WithRenderings gives the version with the fingerprint of every component: it differs between two releases of this
// function that would give other Pods for the same Chroma. So it covers a Chroma with the required fields alone and one
// with all fields.
func (v Version) WithRenderings() Version {
	renderings := map[string][]string{}
	v.roles = map[string]bool{}
	for _, values := range []Values{v.minimal(), v.complete()} {
		for _, object := range v.Objects(values) {
			v.roles[object.Role] = true
			if object.UserHash != "" && object.Component != "" {
				renderings[object.Component] = append(renderings[object.Component], fingerprint(object.Manifest))
			}
		}
	}
	v.Components = slices.Clone(v.Components)
	for i := range v.Components {
		v.Components[i].Rendering = fingerprint(renderings[v.Components[i].Name])
	}
	return v
}

// HasRole says whether the version has an object of a role.
func (v Version) HasRole(role string) bool { return v.roles[role] }

// minimal values have what is required alone.
func (v Version) minimal() Values {
	spec := v1alpha1.Distributed{
		Version:       v.Commit,
		Postgres:      v1alpha1.Postgres{Host: "postgres", CredentialsSecret: v1alpha1.SecretReference{Name: "postgres"}},
		ObjectStorage: v1alpha1.ObjectStorage{S3: v1alpha1.S3{CredentialsSecret: v1alpha1.SecretReference{Name: "bucket"}}},
	}
	values, _ := Derive("chroma", "chroma", spec, v, nil) // Such a spec is never refused.
	return values
}

// complete values have every field that the version has.
func (v Version) complete() Values {
	spec := v1alpha1.Distributed{
		Version: v.Commit, ImageRegistry: "mirror.example.com/chroma",
		Postgres: v1alpha1.Postgres{
			Host: "db.example.com", Port: 6432, Database: "other", SSLMode: "verify-full",
			CredentialsSecret: v1alpha1.SecretReference{Name: "postgres"},
		},
		ObjectStorage: v1alpha1.ObjectStorage{S3: v1alpha1.S3{
			Endpoint: "http://10.0.0.1:9000", Bucket: "other", Region: "other",
			CredentialsSecret: v1alpha1.SecretReference{Name: "bucket"},
		}},
		Frontend: &v1alpha1.Component{}, SysDB: &v1alpha1.Component{}, LogService: &v1alpha1.Component{}, QueryService: &v1alpha1.Component{},
		CompactionService: &v1alpha1.Component{}, GarbageCollector: &v1alpha1.Component{}, WorkQueue: &v1alpha1.Component{}, FnConsumer: &v1alpha1.Component{},
	}
	specified := Specified(spec)
	for _, component := range v.Components {
		specify(specified[component.Name], component.Fields)
	}
	values, _ := Derive("chroma", "other", spec, v, nil) // Nor is one with the version's own fields.
	values.Checksums = Checksums{Postgres: "1", S3: "2"}
	return values
}

// specify all fields of a component.
func specify(component *v1alpha1.Component, fields Fields) {
	amount := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("32Gi")}
	component.Resources = &v1alpha1.Resources{Limits: amount, Requests: amount}
	if fields.Replicas {
		component.Replicas = new(int32(5))
	}
	if fields.NodeSelector {
		component.NodeSelector = map[string]string{"pool": "chroma"}
	}
	if fields.Tolerations {
		component.Tolerations = []corev1.Toleration{{Key: "pool", Operator: corev1.TolerationOpEqual, Value: "chroma", Effect: corev1.TaintEffectNoSchedule}}
	}
	if fields.Affinity {
		component.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "pool", Operator: corev1.NodeSelectorOpExists}}}},
		}}}
	}
}
