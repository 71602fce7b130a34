// Package image reads image references: which repository, whether it may run here, which product, which version.
package image

import (
	_ "crypto/sha256" // Links the algorithm without which package reference refuses every digest.
	"fmt"
	"strings"

	"github.com/distribution/reference"
)

// A Reference to an image.
type Reference struct {
	// Repository with its registry, normalised: chromadb/chroma and index.docker.io/chromadb/chroma are both
	// docker.io/chromadb/chroma.
	Repository string
	// Tag, empty without one.
	Tag string
	// Digest like sha256:<64 hex>, empty without one.
	Digest string
}

// Parse an image reference as container runtimes do. It fails on what no runtime would pull, and on digests that are not
// sha256, which is what registries serve.
func Parse(text string) (Reference, error) {
	named, err := reference.ParseNormalizedNamed(text)
	if err != nil {
		return Reference{}, fmt.Errorf("cannot parse image %q: %w", text, err)
	}
	parsed := Reference{Repository: named.Name()}
	if tagged, ok := named.(reference.Tagged); ok {
		parsed.Tag = tagged.Tag()
	}
	if digested, ok := named.(reference.Digested); ok {
		parsed.Digest = digested.Digest().String()
	}
	if parsed.Digest != "" && !strings.HasPrefix(parsed.Digest, "sha256:") {
		return Reference{}, fmt.Errorf("cannot parse image %q: its digest is not sha256", text)
	}
	return parsed, nil
}

// String returns the reference with its normalised repository.
func (r Reference) String() string {
	text := r.Repository
	if r.Tag != "" {
		text += ":" + r.Tag
	}
	if r.Digest != "" {
		text += "@" + r.Digest
	}
	return text
}
