package live

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestOtherVersion(t *testing.T) {
	cases := map[string]struct {
		reason, image, plugin string
		noted                 bool
	}{
		"Same":        {reason: "The same version decides the same.", image: "registry.example.org/function-chroma:v0.1.0", plugin: "v0.1.0"},
		"Other":       {reason: "Another version may decide otherwise.", image: "registry.example.org/function-chroma:v0.1.0", plugin: "v0.2.0", noted: true},
		"Digest":      {reason: "A digest behind the tag does not matter.", image: "registry.example.org/function-chroma:v0.1.0@sha256:abc", plugin: "v0.1.0"},
		"OnlyDigest":  {reason: "A digest alone cannot be compared.", image: "registry.example.org/function-chroma@sha256:abc", plugin: "v0.1.0"},
		"Port":        {reason: "The port of a registry is no tag.", image: "registry.example.org:5000/function-chroma", plugin: "v0.1.0"},
		"Development": {reason: "A development version cannot be compared.", image: "registry.example.org/function-chroma:v0.1.0", plugin: "(devel)"},
		"Pseudo":      {reason: "A version between releases cannot be compared.", image: "registry.example.org/function-chroma:v0.1.0", plugin: "v0.1.1-0.20260101000000-abcdefabcdef"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			function := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"package": tc.image}}}
			if err := otherVersion(function, tc.plugin); (err != nil) != tc.noted {
				t.Errorf("\n%s\notherVersion(%s, %s): %v", tc.reason, tc.image, tc.plugin, err)
			}
		})
	}
}
