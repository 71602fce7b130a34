package objects

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/settings"
)

// The Pod.
const (
	// Container that runs the server.
	Container = "chroma"
	// GracePeriodSeconds is what a server gets to finish open requests. Chroma 1.0.21 and later finish them on SIGTERM,
	// however slow the client: a full grace period is a normal case.
	GracePeriodSeconds = 30

	volumeData   = "data"
	volumeConfig = "config"
	volumeTmp    = "tmp"

	// heartbeat answers 200 from the first connection on that a server accepts. Before it is ready a 1.x server refuses
	// connections. It proves that the process listens, not that it can write.
	heartbeat = "/api/v2/heartbeat"
)

// Pod that runs the image on the claim.
func Pod(of *chroma.Chroma, image string, product chroma.Product, security settings.Security) *applycorev1.PodApplyConfiguration {
	name := of.GetName()
	spec := applycorev1.PodSpec().
		WithRestartPolicy(corev1.RestartPolicyAlways).
		WithTerminationGracePeriodSeconds(GracePeriodSeconds).
		// A Service called "chroma" in the namespace would set CHROMA_PORT=tcp://…, which the server takes for its
		// port and dies of.
		WithEnableServiceLinks(false).
		WithAutomountServiceAccountToken(false).
		WithSecurityContext(podSecurity(security)).
		WithContainers(container(of, image)).
		WithVolumes(
			applycorev1.Volume().WithName(volumeData).WithPersistentVolumeClaim(
				applycorev1.PersistentVolumeClaimVolumeSource().WithClaimName(chroma.ClaimName(name))),
			applycorev1.Volume().WithName(volumeConfig).WithConfigMap(
				applycorev1.ConfigMapVolumeSource().WithName(chroma.ConfigName(name))),
			// Without a writable /tmp a server on existing data starts and answers heartbeats, and fails writes from about a
			// thousand records on, when it indexes them.
			applycorev1.Volume().WithName(volumeTmp).WithEmptyDir(applycorev1.EmptyDirVolumeSource()),
		)
	if len(of.Spec.NodeSelector) > 0 {
		spec.WithNodeSelector(of.Spec.NodeSelector)
	}
	for i := range of.Spec.Tolerations {
		spec.WithTolerations(toleration(&of.Spec.Tolerations[i]))
	}
	if of.Spec.PriorityClassName != "" {
		spec.WithPriorityClassName(of.Spec.PriorityClassName)
	}
	return applycorev1.Pod(chroma.PodName(name), of.GetNamespace()).
		WithLabels(Labels(name)).
		WithAnnotations(map[string]string{
			chroma.AnnotationUserHash:      UserHash(&of.Spec, image),
			chroma.AnnotationWantedImage:   image,
			chroma.AnnotationWantedProduct: string(product),
		}).
		WithSpec(spec)
}

func container(of *chroma.Chroma, image string) *applycorev1.ContainerApplyConfiguration {
	out := applycorev1.Container().
		WithName(Container).
		WithImage(image).
		WithImagePullPolicy(of.Spec.ImagePullPolicy).
		WithArgs("run", ConfigPath).
		WithPorts(applycorev1.ContainerPort().WithName(portName).WithProtocol(corev1.ProtocolTCP).WithContainerPort(Port)).
		WithSecurityContext(applycorev1.SecurityContext().
			WithAllowPrivilegeEscalation(false).
			WithReadOnlyRootFilesystem(true).
			WithCapabilities(applycorev1.Capabilities().WithDrop("ALL"))).
		WithVolumeMounts(
			applycorev1.VolumeMount().WithName(volumeData).WithMountPath(DataPath),
			applycorev1.VolumeMount().WithName(volumeConfig).WithMountPath(ConfigPath).WithSubPath(ConfigKey).WithReadOnly(true),
			applycorev1.VolumeMount().WithName(volumeTmp).WithMountPath("/tmp"),
		).
		// Migrations run before the port opens, and on a large volume they take their time: ten minutes. A second between two
		// probes is a second without a server at most.
		WithStartupProbe(probe(1, 600)).
		WithReadinessProbe(probe(5, 3)).
		WithLivenessProbe(probe(10, 6))
	if resources := of.Spec.Resources; resources != nil {
		requirements := applycorev1.ResourceRequirements()
		if len(resources.Requests) > 0 {
			requirements.WithRequests(resources.Requests)
		}
		if len(resources.Limits) > 0 {
			requirements.WithLimits(resources.Limits)
		}
		out.WithResources(requirements)
	}
	return out
}

func probe(period, failures int32) *applycorev1.ProbeApplyConfiguration {
	return applycorev1.Probe().
		WithHTTPGet(applycorev1.HTTPGetAction().WithPath(heartbeat).WithPort(intstr.FromString(portName))).
		WithPeriodSeconds(period).
		WithTimeoutSeconds(5).
		WithFailureThreshold(failures)
}

func podSecurity(security settings.Security) *applycorev1.PodSecurityContextApplyConfiguration {
	out := applycorev1.PodSecurityContext().
		WithRunAsNonRoot(true).
		WithSeccompProfile(applycorev1.SeccompProfile().WithType(corev1.SeccompProfileTypeRuntimeDefault))
	if security.RunAsUser != nil {
		out.WithRunAsUser(*security.RunAsUser)
	}
	if security.RunAsGroup != nil {
		out.WithRunAsGroup(*security.RunAsGroup)
	}
	if security.FSGroup != nil {
		// Chroma writes as the group of the volume. Changing the owner of every file at each start would take minutes
		// on a large index.
		out.WithFSGroup(*security.FSGroup).WithFSGroupChangePolicy(corev1.FSGroupChangeOnRootMismatch)
	}
	return out
}

func toleration(t *corev1.Toleration) *applycorev1.TolerationApplyConfiguration {
	out := applycorev1.Toleration()
	if t.Key != "" {
		out.WithKey(t.Key)
	}
	if t.Operator != "" {
		out.WithOperator(t.Operator)
	}
	if t.Value != "" {
		out.WithValue(t.Value)
	}
	if t.Effect != "" {
		out.WithEffect(t.Effect)
	}
	if t.TolerationSeconds != nil {
		out.WithTolerationSeconds(*t.TolerationSeconds)
	}
	return out
}
