// Package config reads the configuration document of the Vald Operator: the same document, unchanged, configures this
// function.
//
// It takes values and returns values: the environment and the template's file are read by the caller.
package config

// A Config of the build. New has the documented defaults.
type Config struct {
	VRS              VRS
	NodePool         NodePool
	PersistentVolume PersistentVolume
	Networking       Networking

	// WithoutMeaning are the keys of the document that are accepted and mean nothing here, sorted.
	WithoutMeaning []string
}

// VRS is what goes into the generated ValdReleases.
type VRS struct {
	// DefaultPath of the template's file. It counts only when the file exists.
	DefaultPath string
	// LogLevel of components that have none.
	LogLevel string
	// LogFormat is raw or json.
	LogFormat string
	// Logger is glg or zap.
	Logger string
	// ManagedGenerationLabel is the key of the label with the generation.
	ManagedGenerationLabel string

	Agent   VRSAgent
	Gateway VRSGateway
	Indexer VRSIndexer
}

// VRSAgent is what goes into agent.
type VRSAgent struct {
	MaxSurge, MaxUnavailable string
	// EnableInMemoryMode of an agent without a volume.
	EnableInMemoryMode bool
}

// VRSGateway is what goes into gateway.lb.
type VRSGateway struct {
	// HPATargetCPUUtilization in percent.
	HPATargetCPUUtilization int64
	IngressServicePort      string
	IngressPathType         string
}

// VRSIndexer is what goes into manager.index.indexer.
type VRSIndexer struct {
	AutoIndexDurationLimit, AutoSaveIndexDurationLimit string
}

// NodePool is how pools and nodes are matched.
type NodePool struct {
	// RequireMatch: generate only where nodes of a general pool exist.
	RequireMatch bool
	// LabelPrefix goes before the keys of labels, with a slash. Empty: none.
	LabelPrefix string
	// AgentPodsPerNode is the number of agents on one machine. 0: no division, and no agents.
	AgentPodsPerNode int64
}

// Key of a label with the prefix.
func (n NodePool) Key(name string) string {
	if n.LabelPrefix == "" {
		return name
	}
	return n.LabelPrefix + "/" + name
}

// PersistentVolume is how volumes are sized, and what they are when the object does not say it.
type PersistentVolume struct {
	DefaultStorageClass, DefaultAccessMode string
	// BufferRatio of the volume's size to the memory that an agent requests.
	BufferRatio float64
	// MinSizeBytes of a volume.
	MinSizeBytes int64
}

// Networking of the gateway and the discoverer.
type Networking struct {
	// EnableIngress: an ingress that the object asks for is generated.
	EnableIngress bool
	// GatewayIngressAnnotations of the ingress.
	GatewayIngressAnnotations map[string]string
	// GatewayServiceType when the object does not say it.
	GatewayServiceType string
	// DiscovererDaemonSetMaxSurge and DiscovererDaemonSetMaxUnavailable of its rolling update.
	DiscovererDaemonSetMaxSurge, DiscovererDaemonSetMaxUnavailable string
}

// New has the defaults: those of the documentation's table, and those built into the Vald Operator for the keys that the
// table does not list.
func New() Config {
	return Config{
		VRS: VRS{
			DefaultPath: "/opt/valdoperatorrelease/config/vrs.yaml",
			LogLevel:    "warn", LogFormat: "raw", Logger: "glg",
			ManagedGenerationLabel: "managed-generation",
			Agent:                  VRSAgent{MaxSurge: "1", MaxUnavailable: "1", EnableInMemoryMode: true},
			Gateway:                VRSGateway{HPATargetCPUUtilization: 80, IngressServicePort: "grpc", IngressPathType: "Prefix"},
			Indexer:                VRSIndexer{AutoIndexDurationLimit: "1h", AutoSaveIndexDurationLimit: "-1h"},
		},
		NodePool:         NodePool{AgentPodsPerNode: 2},
		PersistentVolume: PersistentVolume{DefaultStorageClass: "standard", DefaultAccessMode: "ReadWriteOnce", BufferRatio: 1.5, MinSizeBytes: 1 << 30},
		Networking: Networking{
			EnableIngress: true, GatewayServiceType: "NodePort",
			DiscovererDaemonSetMaxSurge: "30%", DiscovererDaemonSetMaxUnavailable: "0%",
		},
	}
}
