package image

import (
	"fmt"
	"strings"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/reason"
)

// A Refusal of an image.
type Refusal struct {
	// Reason is ImageInvalid, ImageNotAllowed, UnknownProduct, ProductMismatch, ImageWithoutVersion or
	// VersionNotSupported.
	Reason reason.Reason
	// Message in full sentences: what is wrong, and what to write instead.
	Message string
}

func refuse(because reason.Reason, format string, arguments ...any) *Refusal {
	return &Refusal{Reason: because, Message: fmt.Sprintf(format, arguments...)}
}

// Product of an image. The repository says it where it is known; elsewhere, as for a mirror, specified (spec.product)
// does. The server itself cannot be asked: it answers the version 1.0.0 whatever it is.
func Product(r Reference, specified v1alpha1.Product) (v1alpha1.Product, *Refusal) {
	known := productOf(r.Repository)
	switch {
	case known == "" && specified == "":
		return "", refuse(reason.UnknownProduct,
			"The repository %s is not known to hold Chroma or VecturaDB. Set spec.product to %s or %s.",
			r.Repository, v1alpha1.ProductChroma, v1alpha1.ProductVecturaDB)
	case known == "" && specified != v1alpha1.ProductChroma && specified != v1alpha1.ProductVecturaDB:
		return "", refuse(reason.UnknownProduct, "The product %q is not known. Set spec.product to %s or %s.",
			specified, v1alpha1.ProductChroma, v1alpha1.ProductVecturaDB)
	case known == "":
		return specified, nil
	case specified != "" && specified != known:
		return "", refuse(reason.ProductMismatch,
			"The repository %s holds %s, and spec.product says %s. Remove spec.product, or change the image.",
			r.Repository, known, specified)
	default:
		return known, nil
	}
}

// productOf a known repository, empty for others.
func productOf(repository string) v1alpha1.Product {
	switch repository {
	case "docker.io/chromadb/chroma", "ghcr.io/chroma-core/chroma":
		return v1alpha1.ProductChroma
	case "ghcr.io/vecturadb/vecturadb":
		return v1alpha1.ProductVecturaDB
	default:
		return ""
	}
}

// ExactVersion of an image by its tag: x.y.z, for VecturaDB also x.y.z-preview.N. Tags that move, development builds,
// halves of a release for one architecture, and images without a tag have none. Chroma before 1.0.0 is refused.
func ExactVersion(r Reference, product v1alpha1.Product) (compatibility.Version, *Refusal) {
	version, err := compatibility.ParseVersion(product, r.Tag)
	if err != nil {
		return compatibility.Version{}, withoutVersion(r, product)
	}
	if product == v1alpha1.ProductChroma && version.Major() == 0 {
		return compatibility.Version{}, refuse(reason.VersionNotSupported,
			"Chroma %s is another server, with other files and another configuration: only Chroma 1.0.0 and later can run here.", version)
	}
	return version, nil
}

// withoutVersion says what is wrong with the tag of an image, as precisely as the tags that Chroma publishes allow.
func withoutVersion(r Reference, product v1alpha1.Product) *Refusal {
	example := "1.5.9"
	if product == v1alpha1.ProductVecturaDB {
		example = "1.0.0-preview.3"
	}
	const use = "Use an exact version like %s, optionally followed by @sha256:<digest>."
	switch {
	case r.Tag == "" && r.Digest != "":
		return refuse(reason.ImageWithoutVersion, "The image %s has a digest and no tag, so its version is not known. "+use, r, example)
	case r.Tag == "":
		return refuse(reason.ImageWithoutVersion, "The image %s has no tag, so its version is not known. "+use, r, example)
	case strings.HasSuffix(r.Tag, "-amd64"), strings.HasSuffix(r.Tag, "-arm64"):
		return refuse(reason.ImageWithoutVersion,
			"The tag %s is the half of a release for one architecture. Leave out the suffix: the whole release has both.", r.Tag)
	case strings.Contains(r.Tag, ".dev"):
		return refuse(reason.ImageWithoutVersion,
			"The tag %s is an unreleased build, named after a version that does not exist yet. "+use, r.Tag, example)
	case strings.HasPrefix(r.Tag, "v"):
		return refuse(reason.ImageWithoutVersion, "The tag %s begins with a v, which the published ones do not. "+use, r.Tag, example)
	default:
		return refuse(reason.ImageWithoutVersion, "The tag %s is not the exact version of a release. "+use, r.Tag, example)
	}
}

// A Release is an image that may run, with what it is.
type Release struct {
	Reference Reference
	Product   v1alpha1.Product
	Version   compatibility.Version
}

// Resolve says what an image that somebody wants is, or why it may not run. The data may still refuse its version.
func Resolve(text string, specified v1alpha1.Product, allowed AllowList) (Release, *Refusal) {
	parsed, err := Parse(text)
	if err != nil {
		return Release{}, refuse(reason.ImageInvalid, "The image %q is no valid reference: %s.", text, err)
	}
	if refusal := allowed.Admit(parsed); refusal != nil {
		return Release{}, refusal
	}
	product, refusal := Product(parsed, specified)
	if refusal != nil {
		return Release{}, refusal
	}
	version, refusal := ExactVersion(parsed, product)
	if refusal != nil {
		return Release{}, refusal
	}
	return Release{Reference: parsed, Product: product, Version: version}, nil
}
