// Package cluster carries what a package of Crossplane cannot: rights, the admission policy that guards claims, and how
// Crossplane runs the function. `kubectl chroma install` prints it, and the cluster test applies it.
package cluster

import (
	"embed"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

//go:embed *.yaml
var files embed.FS

// Names that the manifests are written with.
const (
	defaultNamespace          = "crossplane-system"
	defaultFunctionRepository = "ghcr.io/function-chroma/function-chroma"
	defaultProviderRepository = "xpkg.crossplane.io/crossplane-contrib/provider-kubernetes"
)

// Parameters of an installation. What is empty is as usual.
type Parameters struct {
	// Namespace that Crossplane runs in.
	Namespace string
	// FunctionRepository and ProviderRepository are where the packages are pulled from, without a tag.
	FunctionRepository, ProviderRepository string
}

// Manifests by what must be there before they can be applied.
type Manifests struct {
	// Before any package is installed.
	Before []byte
	// After provider-kubernetes is healthy: what it defines.
	After []byte
}

// Render the manifests of an installation.
func Render(with Parameters) (Manifests, error) {
	if with.Namespace != "" {
		if problems := validation.IsDNS1123Label(with.Namespace); len(problems) > 0 {
			return Manifests{}, fmt.Errorf("cannot install into namespace %q: %s", with.Namespace, strings.Join(problems, ", "))
		}
	}
	names := strings.NewReplacer(
		defaultNamespace, orElse(with.Namespace, defaultNamespace),
		defaultFunctionRepository, orElse(with.FunctionRepository, defaultFunctionRepository),
		defaultProviderRepository, orElse(with.ProviderRepository, defaultProviderRepository),
	)
	before := &strings.Builder{}
	for _, file := range []string{"memberlist", "clusterrole", "provider", "admission", "runtime", "networkpolicy"} {
		text, err := files.ReadFile(file + ".yaml")
		if err != nil {
			return Manifests{}, fmt.Errorf("cannot read the manifests: %w", err)
		}
		before.Write(text)
	}
	after, err := files.ReadFile("providerconfig.yaml")
	if err != nil {
		return Manifests{}, fmt.Errorf("cannot read the manifests: %w", err)
	}
	return Manifests{Before: []byte(names.Replace(before.String())), After: []byte(names.Replace(string(after)))}, nil
}

func orElse(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
