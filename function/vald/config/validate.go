package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// over lays the environment over a Config.
func (e Environment) over(config *Config) error {
	for _, variable := range []struct{ name, value string }{
		{"DEFAULT_VRS_PATH", e.DefaultVRSPath},
		{"NODEPOOL_LABEL_PREFIX", e.NodePoolLabelPrefix},
	} {
		if isReference(variable.value) {
			return fmt.Errorf("cannot read the environment variable %s: %q is not expanded, write the value itself", variable.name, variable.value)
		}
	}
	setUnlessEmpty(&config.VRS.DefaultPath, &e.DefaultVRSPath)
	setUnlessEmpty(&config.NodePool.LabelPrefix, &e.NodePoolLabelPrefix)
	if e.RequireNodePoolMatch != "" {
		require, err := strconv.ParseBool(e.RequireNodePoolMatch)
		if err != nil {
			return fmt.Errorf("cannot read the environment variable REQUIRE_NODEPOOL_MATCH: %q is neither true nor false", e.RequireNodePoolMatch)
		}
		config.NodePool.RequireMatch = require
	}
	return nil
}

// validate what the ValdRelease API, or a label, would refuse later.
func (c Config) validate() error {
	for _, choice := range []struct {
		path, value string
		allowed     []string
	}{
		{"operator.vrs.log_level", c.VRS.LogLevel, []string{"debug", "info", "warn", "error", "fatal"}},
		{"operator.vrs.log_format", c.VRS.LogFormat, []string{"raw", "json"}},
		{"operator.vrs.logger", c.VRS.Logger, []string{"glg", "zap"}},
		{"operator.vrs.gateway.ingress_path_type", c.VRS.Gateway.IngressPathType, []string{"Prefix", "Exact", "ImplementationSpecific"}},
		{"operator.networking.gateway_service_type", c.Networking.GatewayServiceType, []string{"NodePort", "ClusterIP", "LoadBalancer"}},
	} {
		if !slices.Contains(choice.allowed, choice.value) {
			return fmt.Errorf("cannot read the configuration: %s must be one of %s, not %q", choice.path, strings.Join(choice.allowed, ", "), choice.value)
		}
	}
	if c.NodePool.AgentPodsPerNode < 0 {
		return errors.New("cannot read the configuration: operator.node_pool.agent_pods_per_node must not be negative")
	}
	if c.PersistentVolume.BufferRatio < 0 {
		return errors.New("cannot read the configuration: operator.persistent_volume.buffer_ratio must not be negative")
	}
	if c.PersistentVolume.MinSizeBytes < 0 {
		return errors.New("cannot read the configuration: operator.persistent_volume.min_size_bytes must not be negative")
	}
	if c.NodePool.LabelPrefix != "" {
		if problems := validation.IsDNS1123Subdomain(c.NodePool.LabelPrefix); len(problems) > 0 {
			return fmt.Errorf("cannot read the configuration: operator.node_pool.label_prefix %q: %s", c.NodePool.LabelPrefix, strings.Join(problems, ", "))
		}
	}
	if problems := validation.IsQualifiedName(c.VRS.ManagedGenerationLabel); len(problems) > 0 {
		return fmt.Errorf("cannot read the configuration: operator.vrs.managed_generation_label %q: %s", c.VRS.ManagedGenerationLabel, strings.Join(problems, ", "))
	}
	return nil
}

// ownProcess are the keys of the operator section that concern the operator's own process.
func ownProcess() []string { return []string{"controller", "name", "namespace"} }

// withoutMeaning lists what concerns the process of the Vald Operator, which does not run here.
func withoutMeaning(values map[string]any) []string {
	var out []string
	for key := range values {
		if key != "operator" {
			out = append(out, key)
		}
	}
	operator, _ := values["operator"].(map[string]any)
	for _, key := range ownProcess() {
		if _, ok := operator[key]; ok {
			out = append(out, "operator."+key)
		}
	}
	slices.Sort(out)
	return out
}

// refuseReferences to the environment or to files. The Vald Operator replaces them in every string, keys of annotations
// included. Here they would name the environment and the files of a process that many teams share.
func refuseReferences(values map[string]any) error {
	operator, ok := values["operator"].(map[string]any)
	if !ok {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(operator)) {
		if slices.Contains(ownProcess(), key) {
			continue
		}
		if path, reference, found := findReference("operator."+key, operator[key]); found {
			return fmt.Errorf("cannot read the configuration: %s: %q is not expanded here, write the value itself", path, reference)
		}
	}
	return nil
}

func findReference(path string, value any) (where, reference string, found bool) {
	switch v := value.(type) {
	case string:
		return path, v, isReference(v)
	case []any:
		for i, item := range v {
			if where, reference, found = findReference(path+"["+strconv.Itoa(i)+"]", item); found {
				return where, reference, found
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if isReference(key) {
				return path, key, true
			}
			if where, reference, found = findReference(path+"."+key, v[key]); found {
				return where, reference, found
			}
		}
	}
	return "", "", false
}

// isReference is true for _NAME_, file://path, and whatever $NAME or ${NAME} would change.
func isReference(value string) bool {
	const underscore = "_"
	return len(value) > 2 && strings.HasPrefix(value, underscore) && strings.HasSuffix(value, underscore) ||
		strings.HasPrefix(value, "file://") ||
		os.Expand(value, func(string) string { return "" }) != value
}
