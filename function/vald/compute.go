//nolint:goconst // The keys of a manifest are written where they stand: it reads like one.
package vald

import (
	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/vald/config"
)

// indexPath is where an agent with a volume keeps its index.
const indexPath = "/var/ngt/index"

// A computation of what stands between the template and the overlay.
type computation struct {
	vald      *valdv1.Vald
	namespace string
	config    config.Config
}

// shared is the part of spec that all entries have in common.
func (c computation) shared() map[string]any {
	general := c.placement(valdv1.PoolGeneral)
	return map[string]any{
		"defaults":   map[string]any{"logging": c.logging("")},
		"agent":      c.agent(),
		"gateway":    map[string]any{"lb": c.gateway(general)},
		"discoverer": c.discoverer(general),
		"manager":    map[string]any{"index": c.indexManager(general)},
	}
}

// entry is what an entry adds: labels, sizes, and where its agents go.
func (c computation) entry(entry valdv1.Infrastructure, capability Capability) map[string]any {
	volume := c.vald.Agent.PersistentVolume
	size := SizeOf(entry, volume, c.config)

	agent := map[string]any{
		"minReplicas": size.Agents,
		"maxReplicas": size.Agents,
		"resources": map[string]any{
			"requests": map[string]any{"cpu": size.CPURequest, "memory": size.Memory},
			"limits":   map[string]any{"cpu": size.CPULimit},
		},
	}
	c.placement(c.agentPool(entry, capability)).on(agent)
	if size.Volume != "" {
		agent["persistentVolume"] = map[string]any{"size": size.Volume}
	}
	key := c.config.NodePool.Key
	return map[string]any{
		"metadata": map[string]any{"labels": map[string]any{
			valdv1.LabelManagedBy:       valdv1.ManagedBy,
			valdv1.LabelManagedResource: valdv1.KindValdRelease,
			key(valdv1.LabelType):       entry.Type,
			key(valdv1.LabelRole):       entry.Role,
		}},
		"spec": map[string]any{
			"agent": agent,
			"gateway": map[string]any{"lb": map[string]any{
				"minReplicas": max(size.Agents/2, 1),
				"maxReplicas": max(size.Agents*2, 1),
			}},
		},
	}
}

// agentPool that hosts the agents. With matching the nodes decide, else the entry: agents without a pool of their own
// share the general one.
func (c computation) agentPool(entry valdv1.Infrastructure, capability Capability) string {
	if c.config.NodePool.RequireMatch {
		if capability.Agent {
			return valdv1.PoolAgent
		}
		return valdv1.PoolGeneral
	}
	if _, ok := entry.NodePools[valdv1.PoolAgent]; ok {
		return valdv1.PoolAgent
	}
	return valdv1.PoolGeneral
}

func (c computation) logging(own valdv1.LogLevel) map[string]any {
	level := c.config.VRS.LogLevel
	if c.vald.Defaults.LogLevel != "" {
		level = string(c.vald.Defaults.LogLevel)
	}
	if own != "" {
		level = string(own)
	}
	return map[string]any{"level": level, "format": c.config.VRS.LogFormat, "logger": c.config.VRS.Logger}
}

func (c computation) agent() map[string]any {
	ngt := map[string]any{
		"dimension":             c.vald.Agent.NGT.Dimension,
		"distance_type":         c.vald.Agent.NGT.DistanceType,
		"object_type":           c.vald.Agent.NGT.ObjectType,
		"search_edge_size":      c.vald.Agent.NGT.SearchEdgeSize,
		"creation_edge_size":    c.vald.Agent.NGT.CreationEdgeSize,
		"enable_in_memory_mode": c.config.VRS.Agent.EnableInMemoryMode,
	}
	agent := map[string]any{
		"kind":                      "StatefulSet",
		"logging":                   c.logging(c.vald.Agent.LogLevel),
		"ngt":                       ngt,
		"rollingUpdate":             rollingUpdate(c.config.VRS.Agent.MaxSurge, c.config.VRS.Agent.MaxUnavailable),
		"topologySpreadConstraints": spread("agent"),
	}
	// Without a volume nothing is said about one: that of a template stays.
	if volume := c.vald.Agent.PersistentVolume; volume != nil && volume.Enabled {
		ngt["enable_copy_on_write"] = true
		ngt["enable_in_memory_mode"] = false
		ngt["index_path"] = indexPath
		agent["persistentVolume"] = map[string]any{
			"enabled":      true,
			"storageClass": orElse(volume.StorageClass, c.config.PersistentVolume.DefaultStorageClass),
			"accessMode":   orElse(volume.AccessMode, c.config.PersistentVolume.DefaultAccessMode),
		}
	}
	return agent
}

func (c computation) gateway(general placement) map[string]any {
	networking := c.config.Networking
	ingress := map[string]any{
		"defaultBackend": map[string]any{"enabled": false},
		"pathType":       c.config.VRS.Gateway.IngressPathType,
		"servicePort":    c.config.VRS.Gateway.IngressServicePort,
	}
	if len(networking.GatewayIngressAnnotations) > 0 {
		annotations := make(map[string]any, len(networking.GatewayIngressAnnotations))
		for key, value := range networking.GatewayIngressAnnotations {
			annotations[key] = value
		}
		ingress["annotations"] = annotations
	}
	// An ingress that is not wanted, or not allowed, is not switched off either: that of a template stays.
	if wanted := c.vald.Gateway.Ingress; wanted != nil && wanted.Enabled && networking.EnableIngress {
		ingress["enabled"] = true
		ingress["host"] = wanted.Host
	}
	serviceType := orElse(c.vald.Gateway.ServiceType, networking.GatewayServiceType)
	if serviceType != "ClusterIP" && serviceType != "LoadBalancer" {
		serviceType = "NodePort"
	}
	gateway := map[string]any{
		"logging":                   c.logging(c.vald.Gateway.LogLevel),
		"hpa":                       map[string]any{"targetCPUUtilizationPercentage": c.config.VRS.Gateway.HPATargetCPUUtilization},
		"gateway_config":            map[string]any{"index_replica": c.vald.Gateway.IndexReplica},
		"serviceType":               serviceType,
		"ingress":                   ingress,
		"resources":                 resources("200m", "150Mi", "2", "700Mi"),
		"topologySpreadConstraints": spread("gateway-lb"),
	}
	general.on(gateway)
	return gateway
}

func (c computation) discoverer(general placement) map[string]any {
	discoverer := map[string]any{
		"kind":                      c.vald.Discoverer.Kind,
		"logging":                   c.logging(c.vald.Discoverer.LogLevel),
		"clusterRole":               map[string]any{"name": c.namespace},
		"clusterRoleBinding":        map[string]any{"name": c.namespace},
		"serviceType":               "ClusterIP",
		"resources":                 resources("200m", "65Mi", "600m", "200Mi"),
		"topologySpreadConstraints": spread("discoverer"),
	}
	// Each node asks its own discoverer.
	if c.vald.Discoverer.Kind == "DaemonSet" {
		discoverer["serviceType"] = "NodePort"
		discoverer["externalTrafficPolicy"] = "Local"
		discoverer["rollingUpdate"] = rollingUpdate(c.config.Networking.DiscovererDaemonSetMaxSurge, c.config.Networking.DiscovererDaemonSetMaxUnavailable)
	}
	general.on(discoverer)
	return discoverer
}

func (c computation) indexManager(general placement) map[string]any {
	indexer := c.vald.Indexer
	manager := map[string]any{
		"enabled": indexer.Manager,
		"logging": c.logging(indexer.LogLevel),
	}
	general.on(manager)
	if indexer.Manager {
		manager["indexer"] = map[string]any{
			"auto_index_check_duration":      indexer.IndexDuration,
			"auto_save_index_wait_duration":  indexer.SaveDuration,
			"concurrency":                    indexer.Concurrency,
			"auto_index_duration_limit":      c.config.VRS.Indexer.AutoIndexDurationLimit,
			"auto_save_index_duration_limit": c.config.VRS.Indexer.AutoSaveIndexDurationLimit,
		}
		manager["resources"] = resources("200m", "80Mi", "1", "500Mi")
		manager["topologySpreadConstraints"] = spread("manager-index")
		return manager
	}
	creator := map[string]any{
		"enabled": true, "schedule": indexer.IndexSchedule, "suspend": indexer.IndexSuspend, "concurrency": indexer.Concurrency,
	}
	general.on(creator)
	saver := map[string]any{"enabled": true, "schedule": indexer.SaveSchedule, "suspend": indexer.SaveSuspend}
	general.on(saver)
	manager["creator"], manager["saver"] = creator, saver
	return manager
}

// A placement puts a component on the nodes of a pool.
type placement struct {
	nodeSelector map[string]any
	tolerations  []any
}

func (c computation) placement(pool string) placement {
	namespaceKey, typeKey := c.config.NodePool.Key(valdv1.LabelNamespace), c.config.NodePool.Key(valdv1.LabelType)
	return placement{
		nodeSelector: map[string]any{namespaceKey: c.namespace, typeKey: pool},
		tolerations: []any{
			map[string]any{"key": namespaceKey, "operator": "Equal", "value": c.namespace, "effect": "NoSchedule"},
			map[string]any{"key": typeKey, "operator": "Equal", "value": pool},
		},
	}
}

// on a component. The values are shared between components: nothing changes them.
func (p placement) on(component map[string]any) {
	component["nodeSelector"] = p.nodeSelector
	component["tolerations"] = p.tolerations
}

// spread the Pods of a component over the nodes.
func spread(component string) []any {
	return []any{map[string]any{
		"maxSkew":           int64(1),
		"topologyKey":       "kubernetes.io/hostname",
		"whenUnsatisfiable": "DoNotSchedule",
		"labelSelector":     map[string]any{"matchLabels": map[string]any{"app.kubernetes.io/component": component}},
	}}
}

func rollingUpdate(maxSurge, maxUnavailable string) map[string]any {
	return map[string]any{"maxSurge": maxSurge, "maxUnavailable": maxUnavailable}
}

func resources(cpuRequest, memoryRequest, cpuLimit, memoryLimit string) map[string]any {
	return map[string]any{
		"requests": map[string]any{"cpu": cpuRequest, "memory": memoryRequest},
		"limits":   map[string]any{"cpu": cpuLimit, "memory": memoryLimit},
	}
}

func orElse(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
