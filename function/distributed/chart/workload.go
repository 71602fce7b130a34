package chart

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

const (
	labelApp = "app"
	// LabelMemberType is the label by which the sysdb finds the members of a MemberList.
	LabelMemberType = "member-type"

	configKey       = "config.yaml"
	configMountPath = "/config/"
	cacheMountPath  = "/cache/"
)

// workload of a component.
func (v Version) workload(component Component, values Values, config configFile) Object {
	object := Object{
		Role: RoleOf(string(component.Kind), component.Workload), Tier: component.Tier,
		APIVersion: apiApps, Kind: string(component.Kind), Name: component.Workload, Component: component.Name,
	}
	wanted := values.Components[component.Name]
	selector := applymetav1.LabelSelector().WithMatchLabels(map[string]string{labelApp: component.Workload})
	template := v.podTemplate(component, values, wanted, config)
	object.UserHash = v.userHash(component, values, wanted)
	annotations := map[string]string{v1alpha1.AnnotationUserHash: object.UserHash}
	if component.Rendering != "" {
		annotations[AnnotationRendering] = component.Rendering
	}
	if component.Kind == Deployment {
		object.Manifest = applyappsv1.Deployment(component.Workload, values.Namespace).
			WithLabels(component.Labels).WithLabels(labels(values)).WithAnnotations(annotations).
			WithSpec(applyappsv1.DeploymentSpec().WithReplicas(wanted.Replicas).WithSelector(selector).WithTemplate(template))
		return object
	}
	spec := applyappsv1.StatefulSetSpec().WithReplicas(wanted.Replicas).WithSelector(selector).WithTemplate(template)
	if component.ServiceName != "" {
		spec.WithServiceName(component.ServiceName)
	}
	if component.UpdateStrategy != "" {
		spec.WithUpdateStrategy(applyappsv1.StatefulSetUpdateStrategy().WithType(appsv1.StatefulSetUpdateStrategyType(component.UpdateStrategy)))
	}
	object.Manifest = applyappsv1.StatefulSet(component.Workload, values.Namespace).
		WithLabels(component.Labels).WithLabels(labels(values)).WithAnnotations(annotations).
		WithSpec(spec)
	return object
}

// userHash of what the user decides about the Pods of a component. The chart's defaults and this function's additions
// are no part of it.
func (v Version) userHash(component Component, values Values, wanted ComponentValues) string {
	var specified *v1alpha1.Component
	if wanted.Specified != nil {
		copied := *wanted.Specified
		copied.Replicas = nil // Scaling replaces no Pod.
		specified = &copied
	}
	return v.hash(values, component.Environment(values), specified)
}

// hash of what the user decides about Pods with an environment.
func (v Version) hash(values Values, environment []*applycorev1.EnvVarApplyConfiguration, specified *v1alpha1.Component) string {
	decided := struct {
		Commit, Namespace, Registry string
		Postgres                    *Postgres           `json:",omitempty"`
		PostgresChecksum            string              `json:",omitempty"`
		S3                          *S3                 `json:",omitempty"`
		S3Checksum                  string              `json:",omitempty"`
		Component                   *v1alpha1.Component `json:",omitempty"`
	}{Commit: v.Commit, Namespace: values.Namespace, Registry: values.Registry, Component: specified}
	if readsSecret(environment, values.Postgres.Secret, postgresUsernameKey) {
		decided.Postgres, decided.PostgresChecksum = &values.Postgres, values.Checksums.Postgres
	}
	// Who reads the bucket's credentials also has the bucket in its config file or flags.
	if readsSecret(environment, values.S3.Secret, s3AccessKeyIDKey) {
		decided.S3, decided.S3Checksum = &values.S3, values.Checksums.S3
	}
	return fingerprint(decided)
}

// fingerprint of plain data, which always encodes.
func fingerprint(data any) string {
	raw, _ := json.Marshal(data) //nolint:errchkjson // What it is called with has strings, numbers and booleans alone.
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

func (v Version) podTemplate(component Component, values Values, wanted ComponentValues, config configFile) *applycorev1.PodTemplateSpecApplyConfiguration {
	environment := component.Environment(values)
	container := applycorev1.Container().
		WithName(component.Workload).
		WithImage(v.image(values.Registry, component.Image)).
		WithImagePullPolicy(corev1.PullIfNotPresent).
		WithEnv(environment...).
		WithPorts(component.Ports...).
		WithReadinessProbe(component.Readiness).
		WithResources(applycorev1.ResourceRequirements().WithLimits(wanted.Limits).WithRequests(wanted.Requests))
	if component.Command != nil {
		container.WithCommand(component.Command(values)...)
	}
	podLabels := map[string]string{labelApp: component.Workload}
	spec := applycorev1.PodSpec().
		WithServiceAccountName(component.ServiceAccount).
		WithNodeSelector(wanted.NodeSelector).
		WithTolerations(wanted.Tolerations...)
	if wanted.Affinity != nil {
		spec.WithAffinity(wanted.Affinity)
	}
	if component.MemberType != "" {
		podLabels[LabelMemberType] = component.MemberType
		spec.WithTopologySpreadConstraints(applycorev1.TopologySpreadConstraint().
			WithMaxSkew(1).
			WithTopologyKey(corev1.LabelHostname).
			WithWhenUnsatisfiable(corev1.ScheduleAnyway).
			WithLabelSelector(applymetav1.LabelSelector().WithMatchLabels(map[string]string{LabelMemberType: component.MemberType})))
	}
	mountConfig(spec, container, component)
	mountCache(spec, container, component)
	template := applycorev1.PodTemplateSpec().WithLabels(podLabels).WithSpec(spec.WithContainers(container))
	addTo(template, environment, values, config.checksum)
	return template
}

func mountConfig(spec *applycorev1.PodSpecApplyConfiguration, container *applycorev1.ContainerApplyConfiguration, component Component) {
	if component.Config == nil {
		return
	}
	name := component.Config.Name
	container.WithVolumeMounts(applycorev1.VolumeMount().WithName(name).WithMountPath(configMountPath))
	spec.WithVolumes(applycorev1.Volume().WithName(name).WithConfigMap(applycorev1.ConfigMapVolumeSource().WithName(name)))
}

func mountCache(spec *applycorev1.PodSpecApplyConfiguration, container *applycorev1.ContainerApplyConfiguration, component Component) {
	if component.Cache == "" {
		return
	}
	name := component.Workload + "-cache"
	container.WithVolumeMounts(applycorev1.VolumeMount().WithName(name).WithMountPath(cacheMountPath))
	spec.WithVolumes(applycorev1.Volume().WithName(name).WithHostPath(applycorev1.HostPathVolumeSource().
		WithPath(component.Cache).WithType(corev1.HostPathDirectoryOrCreate)))
}
