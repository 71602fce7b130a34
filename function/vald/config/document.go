package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	kjson "sigs.k8s.io/json"
)

// Environment has the environment variables that the Vald Operator's documentation names. They count where the document
// is silent.
type Environment struct {
	// DefaultVRSPath is DEFAULT_VRS_PATH.
	DefaultVRSPath string
	// RequireNodePoolMatch is REQUIRE_NODEPOOL_MATCH: true or false.
	RequireNodePoolMatch string
	// NodePoolLabelPrefix is NODEPOOL_LABEL_PREFIX.
	NodePoolLabelPrefix string
}

// document is what can stand in the configuration. Pointers tell a zero that was written from a missing key.
type document struct {
	// What every component of Vald has for its own process.
	Version       any `json:"version"`
	TimeZone      any `json:"time_zone"`
	Logging       any `json:"logging"`
	ServerConfig  any `json:"server_config"`
	Observability any `json:"observability"`

	Operator operatorSection `json:"operator"`
}

type operatorSection struct {
	// What the operator has for its own process.
	Name       any `json:"name"`
	Namespace  any `json:"namespace"`
	Controller any `json:"controller"`

	VRS              vrsSection              `json:"vrs"`
	NodePool         nodePoolSection         `json:"node_pool"`
	PersistentVolume persistentVolumeSection `json:"persistent_volume"`
	Networking       networkingSection       `json:"networking"`
}

type vrsSection struct {
	DefaultVRSPath         *string `json:"default_vrs_path"`
	LogLevel               *string `json:"log_level"`
	LogFormat              *string `json:"log_format"`
	Logger                 *string `json:"logger"`
	ManagedGenerationLabel *string `json:"managed_generation_label"`
	Agent                  struct {
		MaxSurge           *string `json:"max_surge"`
		MaxUnavailable     *string `json:"max_unavailable"`
		EnableInMemoryMode *bool   `json:"enable_in_memory_mode"`
	} `json:"agent"`
	Gateway struct {
		HPATargetCPUUtilization *int64  `json:"hpa_target_cpu_utilization"`
		IngressServicePort      *string `json:"ingress_service_port"`
		IngressPathType         *string `json:"ingress_path_type"`
	} `json:"gateway"`
	Indexer struct {
		AutoIndexDurationLimit     *string `json:"auto_index_duration_limit"`
		AutoSaveIndexDurationLimit *string `json:"auto_save_index_duration_limit"`
	} `json:"indexer"`
}

type nodePoolSection struct {
	RequireMatch     *bool   `json:"require_match"`
	LabelPrefix      *string `json:"label_prefix"`
	AgentPodsPerNode *int64  `json:"agent_pods_per_node"`
}

type persistentVolumeSection struct {
	DefaultStorageClass *string  `json:"default_storage_class"`
	DefaultAccessMode   *string  `json:"default_access_mode"`
	BufferRatio         *float64 `json:"buffer_ratio"`
	MinSizeBytes        *int64   `json:"min_size_bytes"`
}

type networkingSection struct {
	EnableIngress                     *bool             `json:"enable_ingress"`
	GatewayIngressAnnotations         map[string]string `json:"gateway_ingress_annotations"`
	GatewayServiceType                *string           `json:"gateway_service_type"`
	DiscovererDaemonSetMaxSurge       *string           `json:"discoverer_daemonset_max_surge"`
	DiscovererDaemonSetMaxUnavailable *string           `json:"discoverer_daemonset_max_unavailable"`
}

// Parse a document over the environment over the defaults. A nil document is an empty one. Unknown keys, values of the
// wrong type and values that the Vald Operator would replace from its environment or from a file are errors.
func Parse(values map[string]any, environment Environment) (Config, error) {
	if err := refuseReferences(values); err != nil {
		return Config{}, err
	}
	encoded, err := json.Marshal(values)
	if err != nil {
		return Config{}, fmt.Errorf("cannot read the configuration: %w", err)
	}
	var doc document
	strict, err := kjson.UnmarshalStrict(encoded, &doc)
	if err != nil {
		return Config{}, fmt.Errorf("cannot read the configuration: %w", err)
	}
	if len(strict) > 0 {
		// All of them, in an order that does not depend on Go's maps: conditions repeat the message.
		problems := make([]string, 0, len(strict))
		for _, problem := range strict {
			problems = append(problems, problem.Error())
		}
		slices.Sort(problems)
		return Config{}, fmt.Errorf("cannot read the configuration: %s", strings.Join(problems, ", "))
	}

	config := New()
	if err := environment.over(&config); err != nil {
		return Config{}, err
	}
	doc.Operator.over(&config)
	if err := config.validate(); err != nil {
		return Config{}, err
	}
	config.WithoutMeaning = withoutMeaning(values)
	return config, nil
}

// over lays what the document says over a Config.
func (o operatorSection) over(config *Config) {
	vrs, agent, gateway, indexer := &config.VRS, &config.VRS.Agent, &config.VRS.Gateway, &config.VRS.Indexer
	set(&vrs.DefaultPath, o.VRS.DefaultVRSPath)
	set(&vrs.LogLevel, o.VRS.LogLevel)
	setUnlessEmpty(&vrs.LogFormat, o.VRS.LogFormat)
	setUnlessEmpty(&vrs.Logger, o.VRS.Logger)
	setUnlessEmpty(&vrs.ManagedGenerationLabel, o.VRS.ManagedGenerationLabel)
	setUnlessEmpty(&agent.MaxSurge, o.VRS.Agent.MaxSurge)
	setUnlessEmpty(&agent.MaxUnavailable, o.VRS.Agent.MaxUnavailable)
	set(&agent.EnableInMemoryMode, o.VRS.Agent.EnableInMemoryMode)
	if target := o.VRS.Gateway.HPATargetCPUUtilization; target != nil && *target > 0 {
		gateway.HPATargetCPUUtilization = *target
	}
	setUnlessEmpty(&gateway.IngressServicePort, o.VRS.Gateway.IngressServicePort)
	setUnlessEmpty(&gateway.IngressPathType, o.VRS.Gateway.IngressPathType)
	setUnlessEmpty(&indexer.AutoIndexDurationLimit, o.VRS.Indexer.AutoIndexDurationLimit)
	setUnlessEmpty(&indexer.AutoSaveIndexDurationLimit, o.VRS.Indexer.AutoSaveIndexDurationLimit)

	set(&config.NodePool.RequireMatch, o.NodePool.RequireMatch)
	set(&config.NodePool.LabelPrefix, o.NodePool.LabelPrefix)
	set(&config.NodePool.AgentPodsPerNode, o.NodePool.AgentPodsPerNode)

	volume := &config.PersistentVolume
	set(&volume.DefaultStorageClass, o.PersistentVolume.DefaultStorageClass)
	set(&volume.DefaultAccessMode, o.PersistentVolume.DefaultAccessMode)
	set(&volume.BufferRatio, o.PersistentVolume.BufferRatio)
	set(&volume.MinSizeBytes, o.PersistentVolume.MinSizeBytes)

	networking := &config.Networking
	set(&networking.EnableIngress, o.Networking.EnableIngress)
	networking.GatewayIngressAnnotations = o.Networking.GatewayIngressAnnotations
	setUnlessEmpty(&networking.GatewayServiceType, o.Networking.GatewayServiceType)
	set(&networking.DiscovererDaemonSetMaxSurge, o.Networking.DiscovererDaemonSetMaxSurge)
	set(&networking.DiscovererDaemonSetMaxUnavailable, o.Networking.DiscovererDaemonSetMaxUnavailable)
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// setUnlessEmpty is for the keys of which the Vald Operator takes an empty value for a missing one.
func setUnlessEmpty(to, from *string) {
	if from != nil && *from != "" {
		*to = *from
	}
}
