// Package vald builds the ValdReleases of a ValdOperatorRelease: a pure function of the object, the configuration and
// the nodes that are there.
package vald

import (
	"errors"
	"fmt"
	"maps"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/vald/config"
	"github.com/function-chroma/function-chroma/function/vald/release"
)

// maxNameLength of a ValdRelease: its Helm release puts the name into labels.
const maxNameLength = 63

// A Capability is what the nodes of a cluster can host.
type Capability struct {
	// General and Agent: there are nodes of such a pool.
	General, Agent bool
}

// A Release is one ValdRelease that should exist.
type Release struct {
	// Cluster it is for.
	Cluster valdv1.Cluster
	// Role and Type of the cluster's entry.
	Role, Type string
	// Name of the ValdRelease.
	Name string
	// Manifest of it. The releases of one entry share their spec: it is for reading.
	Manifest map[string]any
}

// Build the ValdReleases: one for each cluster of each active entry, in their order. The template, computed values and the
// overlay are layered in this order. With matching required and no general pool nothing is built.
//
// It is as tolerant as the Vald Operator's build: limits that the API checks are not checked again.
func Build(vor *valdv1.ValdOperatorRelease, with config.Config, template map[string]any, capability Capability) ([]Release, error) {
	clusters, err := validate(vor, with, capability)
	if err != nil {
		return nil, err
	}
	if clusters == 0 {
		return nil, nil
	}
	if kind, ok := template["kind"]; ok && kind != valdv1.KindValdRelease {
		return nil, fmt.Errorf("cannot read the default template: it must be a %s, not a %v", valdv1.KindValdRelease, kind)
	}
	base, err := release.Conform(template)
	if err != nil {
		return nil, fmt.Errorf("cannot read the default template: %w", err)
	}
	overlay, err := parseOverlay(vor.Spec.VectorEngine.Vald.Overlay)
	if err != nil {
		return nil, err
	}

	// What all entries have in common is built and merged once, and what all clusters of an entry have, once for each.
	c := computation{vald: &vor.Spec.VectorEngine.Vald, namespace: vor.GetNamespace(), config: with}
	base = release.Overlay(release.Overlay(nil, base), map[string]any{"spec": c.shared()}) //nolint:goconst // A key of a manifest is written where it stands.
	releases := make([]Release, 0, clusters)
	for _, entry := range vor.Spec.Infrastructure {
		if !entry.Active {
			continue
		}
		merged := release.Overlay(release.Overlay(base, c.entry(entry, capability)), overlay)
		for _, cluster := range entry.Clusters {
			name := ReleaseName(vor.GetNamespace(), cluster.Name)
			releases = append(releases, Release{
				Cluster: cluster, Role: entry.Role, Type: entry.Type, Name: name,
				Manifest: manifest(merged, name, vor.GetNamespace()),
			})
		}
	}
	return releases, nil
}

// ReleaseName is the name of the ValdRelease of a cluster.
func ReleaseName(namespace, cluster string) string { return namespace + "-" + cluster }

// validate counts the clusters to build for. Like the Vald Operator's build it looks at inactive entries too; the texts
// are its texts.
func validate(vor *valdv1.ValdOperatorRelease, with config.Config, capability Capability) (int, error) {
	if len(vor.Spec.Infrastructure) == 0 {
		return 0, errors.New("CR.Spec.Infrastructure is empty")
	}
	for _, entry := range vor.Spec.Infrastructure {
		if len(entry.Clusters) == 0 {
			return 0, fmt.Errorf("CR.Spec.Infrastructure.Clusters is empty for role %s", entry.Role)
		}
		for _, cluster := range entry.Clusters {
			if cluster.Name == "" {
				return 0, fmt.Errorf("CR.Spec.Infrastructure.Clusters.Name is empty for role %s", entry.Role)
			}
		}
	}
	if with.NodePool.RequireMatch && !capability.General {
		return 0, nil
	}
	seen := make(map[string]struct{})
	for _, entry := range vor.Spec.Infrastructure {
		if !entry.Active {
			continue
		}
		for _, cluster := range entry.Clusters {
			if name := ReleaseName(vor.GetNamespace(), cluster.Name); len(name) > maxNameLength {
				return 0, fmt.Errorf("failed to make name for cluster %s: the name %s is too long, must be %d characters or less", cluster.Name, name, maxNameLength)
			}
			if _, twice := seen[cluster.Name]; twice {
				return 0, fmt.Errorf("two active clusters are named %s: each cluster gives a ValdRelease of its name", cluster.Name)
			}
			seen[cluster.Name] = struct{}{}
		}
	}
	return len(seen), nil
}

// overlayPath is where a person finds the overlay.
const overlayPath = "spec.vectorEngine.vald.overlay"

// parseOverlay reads the overlay. {}, null and absence are the same.
func parseOverlay(raw *apiextensionsv1.JSON) (map[string]any, error) {
	if raw == nil || len(raw.Raw) == 0 {
		return map[string]any{}, nil
	}
	var value any
	if err := json.Unmarshal(raw.Raw, &value); err != nil {
		return nil, fmt.Errorf("failed to parse overlay: %s: %w", overlayPath, err)
	}
	overlay, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, fmt.Errorf("failed to parse overlay: %s must be an object with the members of a ValdRelease, like spec", overlayPath)
	}
	conformed, err := release.Conform(overlay)
	if err != nil {
		return nil, fmt.Errorf("failed to merge overlay: %s.%w", overlayPath, err)
	}
	return conformed, nil
}

// manifest of one cluster: its own root and metadata over the shared rest.
func manifest(merged map[string]any, name, namespace string) map[string]any {
	metadata := make(map[string]any, 4)
	if shared, ok := merged["metadata"].(map[string]any); ok {
		maps.Copy(metadata, shared)
	}
	metadata["name"] = name
	metadata["namespace"] = namespace
	out := map[string]any{
		"apiVersion": valdv1.GroupVersion().String(),
		"kind":       valdv1.KindValdRelease, //nolint:goconst // A key of a manifest is written where it stands.
		"metadata":   metadata,
	}
	if spec, ok := merged["spec"]; ok {
		out["spec"] = spec
	}
	return out
}
