// Package compatibility says which version of Chroma or VecturaDB may open data that other versions have opened.
//
// Versions of two products are never compared. Within Chroma a newer version opens the data of an older one; the way
// back is decided by data formats. Between products, and within VecturaDB, only passages that somebody has tried are
// allowed. Every entry of the tables carries the trial it rests on.
package compatibility

//go:generate go run ./generate ../../docs/compatibility.md

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// A Version of a product. The zero Version is none.
type Version struct {
	Product v1alpha1.Product

	number semver.Version
}

// ParseVersion parses an exact version: three numbers without leading zeros, and for VecturaDB also those followed by
// -preview.N. Anything else that a tag can hold (latest, 1.5, 1.5.9-amd64, 1.5.10.dev37) is an error, because it names
// no version, or one that moves.
func ParseVersion(product v1alpha1.Product, text string) (Version, error) {
	if product != v1alpha1.ProductChroma && product != v1alpha1.ProductVecturaDB {
		return Version{}, fmt.Errorf("cannot parse version %q: unknown product %q", text, product)
	}
	// StrictNewVersion refuses leading zeros, missing numbers and numbers beyond 64 bits.
	number, err := semver.StrictNewVersion(text)
	if err != nil {
		return Version{}, fmt.Errorf("cannot parse version %q of %s: %w", text, product, err)
	}
	if number.Metadata() != "" {
		return Version{}, fmt.Errorf("cannot parse version %q of %s: build metadata is not published", text, product)
	}
	if number.Prerelease() != "" && (product != v1alpha1.ProductVecturaDB || !isPreview(number.Prerelease())) {
		return Version{}, fmt.Errorf("cannot parse version %q of %s: -%s is no published pre-release", text, product,
			number.Prerelease())
	}
	return Version{Product: product, number: *number}, nil
}

// isPreview says whether a pre-release is preview.N. N has to fit 64 bits: semver compares larger ones as text.
func isPreview(prerelease string) bool {
	n, found := strings.CutPrefix(prerelease, "preview.")
	if !found {
		return false
	}
	_, err := strconv.ParseUint(n, 10, 64)
	return err == nil
}

// IsZero says whether there is no version.
func (v Version) IsZero() bool { return v.Product == "" }

// Major number of the version.
func (v Version) Major() uint64 { return v.number.Major() }

// String returns the version as it stands in a tag.
func (v Version) String() string {
	if v.IsZero() {
		return ""
	}
	return v.number.String()
}

// Title returns product and version for people, like "Chroma 1.5.9".
func (v Version) Title() string { return Title(v.Product) + " " + v.String() }

// Title returns the name of a product for people.
func Title(product v1alpha1.Product) string {
	switch product {
	case v1alpha1.ProductChroma:
		return "Chroma"
	case v1alpha1.ProductVecturaDB:
		return "VecturaDB"
	default:
		return string(product)
	}
}

// Equal says whether two versions are the same version of the same product.
func (v Version) Equal(o Version) bool { return v.Product == o.Product && v.number.Equal(&o.number) }

// NewerThan says whether v is a newer version of the same product. It is false for two products, both ways.
func (v Version) NewerThan(o Version) bool {
	return v.Product == o.Product && v.number.GreaterThan(&o.number)
}

// OlderThan says whether v is an older version of the same product. It is false for two products, both ways.
func (v Version) OlderThan(o Version) bool { return o.NewerThan(v) }
