package lifecycle

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/function-chroma/function-chroma/function/vald"
)

// The Object of provider-kubernetes, in a namespace.
const (
	objectAPIVersion = "kubernetes.m.crossplane.io/v1alpha1"
	objectKind       = "Object"
)

// wrapped in an Object, that writes the manifest to another cluster. Its policies are the provider's default: what is no
// longer built is deleted over there too.
//
// The configuration is one of the object's own namespace, since the ids that name it are written by the namespace's
// users: a cluster-wide one would let every namespace write to every cluster.
func wrapped(manifest map[string]any, name, namespace, providerConfig string) map[string]any {
	return map[string]any{
		"apiVersion": objectAPIVersion,
		"kind":       objectKind,
		"metadata":   map[string]any{"name": name, "namespace": namespace},
		"spec": map[string]any{
			"forProvider":       map[string]any{"manifest": manifest},
			"providerConfigRef": map[string]any{"kind": "ProviderConfig", "name": providerConfig},
		},
	}
}

// providerConfigName of a cluster: its id, or a template in which {id}, {name}, {role} and {type} stand for those of the
// cluster.
func providerConfigName(template string, built vald.Release) (string, error) {
	name := built.Cluster.ID
	if template != "" {
		name = strings.NewReplacer(
			"{id}", built.Cluster.ID, "{name}", built.Cluster.Name, "{role}", built.Role, "{type}", built.Type,
		).Replace(template)
	}
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
		return "", fmt.Errorf("cannot deliver to cluster %s: %q is not a legal name of a ProviderConfig: %s", built.Cluster.Name, name, strings.Join(problems, ", "))
	}
	return name, nil
}
