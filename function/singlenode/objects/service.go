package objects

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// portName of the container and the Service.
const portName = "http"

// Service through which clients reach the server.
func Service(name, namespace string, spec *chroma.Service) *applycorev1.ServiceApplyConfiguration {
	kind := corev1.ServiceTypeClusterIP
	service := applycorev1.Service(chroma.ServiceName(name), namespace).WithLabels(Labels(name))
	if spec != nil {
		if spec.Type != "" {
			kind = spec.Type
		}
		if len(spec.Annotations) > 0 {
			service.WithAnnotations(spec.Annotations)
		}
	}
	return service.WithSpec(applycorev1.ServiceSpec().
		WithType(kind).
		WithSelector(Selector(name)).
		WithPorts(applycorev1.ServicePort().
			WithName(portName).
			WithProtocol(corev1.ProtocolTCP).
			WithPort(Port).
			WithTargetPort(intstr.FromString(portName))))
}
