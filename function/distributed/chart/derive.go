package chart

import (
	"encoding/json"
	"fmt"
	"strings"

	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// Derive the values of a Chroma for a version. The known versions are named where a field is refused.
//
// The error is a *Refusal where the spec is at fault.
func Derive(name, namespace string, spec v1alpha1.Distributed, version Version, known []Version) (Values, error) {
	values := Values{
		Name:      name,
		Namespace: namespace,
		Registry:  strings.TrimSuffix(orDefault(spec.ImageRegistry, DefaultRegistry), "/"),
		Postgres: Postgres{
			Host:     spec.Postgres.Host,
			Port:     orDefault(spec.Postgres.Port, DefaultPostgresPort),
			Database: orDefault(spec.Postgres.Database, DefaultDatabase),
			SSLMode:  orDefault(spec.Postgres.SSLMode, DefaultSSLMode),
			Secret:   spec.Postgres.CredentialsSecret.Name,
		},
		S3: S3{
			Endpoint: spec.ObjectStorage.S3.Endpoint,
			Bucket:   orDefault(spec.ObjectStorage.S3.Bucket, DefaultBucket),
			Region:   orDefault(spec.ObjectStorage.S3.Region, DefaultRegion),
			Secret:   spec.ObjectStorage.S3.CredentialsSecret.Name,
		},
		Components: make(map[string]ComponentValues, len(version.Components)),
	}
	if err := validate(values); err != nil {
		return Values{}, err
	}
	wanted := Specified(spec)
	for _, component := range version.Components {
		derived, err := deriveComponent(component, wanted[component.Name], version, known)
		if err != nil {
			return Values{}, err
		}
		values.Components[component.Name] = derived
	}
	return values, nil
}

// The defaults of spec.distributed, for a Chroma that did not pass through the API.
const (
	DefaultRegistry     = "docker.io/chromadb"
	DefaultPostgresPort = int32(5432)
	DefaultDatabase     = "sysdb"
	DefaultSSLMode      = "disable"
	DefaultBucket       = "chroma-storage"
	DefaultRegion       = "us-east-1"
)

// Names of the components in spec.distributed and status.components.
const (
	Frontend          = "frontend"
	SysDB             = "sysdb"
	LogService        = "logService"
	QueryService      = "queryService"
	CompactionService = "compactionService"
	GarbageCollector  = "garbageCollector"
	WorkQueue         = "workQueue"
	FnConsumer        = "fnConsumer"
)

// Specified components of a spec by name. Those left out are nil.
func Specified(spec v1alpha1.Distributed) map[string]*v1alpha1.Component {
	return map[string]*v1alpha1.Component{
		Frontend:          spec.Frontend,
		SysDB:             spec.SysDB,
		LogService:        spec.LogService,
		QueryService:      spec.QueryService,
		CompactionService: spec.CompactionService,
		GarbageCollector:  spec.GarbageCollector,
		WorkQueue:         spec.WorkQueue,
		FnConsumer:        spec.FnConsumer,
	}
}

func deriveComponent(component Component, wanted *v1alpha1.Component, version Version, known []Version) (ComponentValues, error) {
	values := ComponentValues{Specified: wanted, Replicas: component.Replicas, Limits: component.Limits, Requests: component.Requests}
	if wanted == nil {
		return values, nil
	}
	if err := refuseUnknownFields(component, *wanted, version, known); err != nil {
		return ComponentValues{}, err
	}
	if wanted.Replicas != nil {
		values.Replicas = *wanted.Replicas
	}
	if err := mergeResources(&values, component.Name, wanted.Resources); err != nil {
		return ComponentValues{}, err
	}
	values.NodeSelector = wanted.NodeSelector
	for _, toleration := range wanted.Tolerations {
		converted, err := convert[applycorev1.TolerationApplyConfiguration](toleration)
		if err != nil {
			return ComponentValues{}, fmt.Errorf("cannot convert a toleration of %s: %w", component.Name, err)
		}
		values.Tolerations = append(values.Tolerations, converted)
	}
	if wanted.Affinity != nil {
		converted, err := convert[applycorev1.AffinityApplyConfiguration](wanted.Affinity)
		if err != nil {
			return ComponentValues{}, fmt.Errorf("cannot convert the affinity of %s: %w", component.Name, err)
		}
		values.Affinity = converted
	}
	return values, nil
}

// convert a typed value into its apply configuration, which has the same JSON.
func convert[Configuration any](typed any) (*Configuration, error) {
	raw, err := json.Marshal(typed)
	if err != nil {
		return nil, fmt.Errorf("cannot encode it: %w", err)
	}
	configuration := new(Configuration)
	if err := json.Unmarshal(raw, configuration); err != nil {
		return nil, fmt.Errorf("cannot decode it: %w", err)
	}
	return configuration, nil
}

func orDefault[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}
