// Package target reads what people type for an object: NAME, chroma/NAME or vor/NAME.
package target

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
)

// A Target is an object of a kind.
type Target struct {
	Kind schema.GroupVersionKind
	Name string
}

// Parse an argument. A name alone is a Chroma.
func Parse(argument string) (Target, error) {
	kind, name, found := strings.Cut(argument, "/")
	if !found {
		kind, name = "chroma", argument
	}
	if name == "" {
		return Target{}, exit.Errorf(exit.Usage, "%q has no name", argument)
	}
	kind, _, _ = strings.Cut(strings.ToLower(kind), ".")
	switch kind {
	case "chroma", "chromas":
		return Target{Kind: cluster.Chroma(), Name: name}, nil
	case "vor", "valdoperatorrelease", "valdoperatorreleases":
		return Target{Kind: cluster.ValdOperatorRelease(), Name: name}, nil
	}
	return Target{}, exit.Errorf(exit.Usage, "%q is neither a Chroma (NAME) nor a ValdOperatorRelease (vor/NAME)", argument)
}

// Chroma is Parse for commands that know only Chroma.
func Chroma(argument string) (string, error) {
	target, err := Parse(argument)
	if err != nil {
		return "", err
	}
	if target.Kind != cluster.Chroma() {
		return "", exit.Errorf(exit.Usage, "%q is a %s, and this command is for Chroma", argument, target.Kind.Kind)
	}
	return target.Name, nil
}
