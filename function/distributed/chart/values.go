package chart

import (
	"net/netip"
	"net/url"

	corev1 "k8s.io/api/core/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// Values are what a Chroma decides: the derived values of the chart.
type Values struct {
	// Name and Namespace of the Chroma.
	Name, Namespace string
	// Registry and path of the images.
	Registry string
	// Postgres of the sysdb.
	Postgres Postgres
	// S3 holds the data.
	S3 S3
	// Components by name.
	Components map[string]ComponentValues
	// Checksums of the credentials.
	Checksums Checksums
}

// Postgres of the sysdb.
type Postgres struct {
	Host     string
	Port     int32
	Database string
	SSLMode  string
	// Secret has the credentials.
	Secret string
}

// S3 bucket.
type S3 struct {
	// Endpoint is empty for AWS.
	Endpoint string
	Bucket   string
	Region   string
	// Secret has the credentials.
	Secret string
}

// ForcePathStyle asks for the bucket in the path. Chroma's Rust services do so by the rules of the AWS SDK, which
// means for endpoints that are an IP address, and the sysdb has to look in the same place.
func (s S3) ForcePathStyle() bool {
	endpoint, err := url.Parse(s.Endpoint)
	if err != nil {
		return false
	}
	_, err = netip.ParseAddr(endpoint.Hostname())
	return err == nil
}

// ComponentValues are what a Chroma decides for one component, over the chart's defaults.
type ComponentValues struct {
	// Specified is what stands in the spec. Nil: nothing.
	Specified        *v1alpha1.Component
	Replicas         int32
	Limits, Requests corev1.ResourceList
	NodeSelector     map[string]string
	Tolerations      []*applycorev1.TolerationApplyConfiguration
	Affinity         *applycorev1.AffinityApplyConfiguration
}

// Checksums of the credentials that are used. Empty: not known.
type Checksums struct {
	Postgres, S3 string
}

// Host name of a Service in the namespace of the Chroma, as Chroma's config files write it.
func (v Values) Host(service string) string { return service + "." + v.Namespace }

// Collector is the address of the OpenTelemetry collector. It follows the namespace, so that traces do not cross it.
func (v Values) Collector() string {
	return "otel-collector." + v.Namespace + ".svc.cluster.local:4317"
}
