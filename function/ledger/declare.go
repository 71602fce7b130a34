package ledger

import (
	"fmt"
	"strings"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
)

// A Declaration is what became of an annotation that declares the version of the data.
type Declaration struct {
	// Record after the declaration: another one only if it ended an incident.
	Record Record
	// Ended says whether it ended the open incident.
	Ended bool
	// Spent says that no incident is open: the annotation does nothing any more and can be removed.
	Spent bool
	// Message says why it did nothing. Empty when it ended the incident, or there is none.
	Message string
}

// Declare the highest version that has run on the data: [<product>:]<version>/<code>.
//
// The code makes a declaration end one incident and no later one. Without a product, x.y.z-preview.N is of VecturaDB and
// x.y.z of Chroma; when VecturaDB ran last, x.y.z alone could be either, and is refused. A version below what is known
// is refused too: the record never falls.
func (r Record) Declare(value string) Declaration {
	refuse := func(format string, arguments ...any) Declaration {
		return Declaration{Record: r, Message: fmt.Sprintf("The declaration %q does nothing: ", value) + fmt.Sprintf(format, arguments...)}
	}
	if value == "" || r.Newer() {
		return Declaration{Record: r}
	}
	if !r.Unknown {
		d := refuse("the version of the data is known, so the annotation can be removed.")
		d.Spent = true
		return d
	}
	declared, incident, found := strings.Cut(value, "/")
	if !found {
		return refuse("it has to be <version>/%s.", r.Incident)
	}
	if incident != r.Incident {
		return refuse("it names the incident %q, and the open one is %s.", incident, r.Incident)
	}
	product, number, err := r.declaredProduct(declared)
	if err != nil {
		return refuse("%s.", err)
	}
	version, err := parseVersion(product, number)
	if err != nil {
		return refuse("%q is no exact version of %s that can have run here.", number, compatibility.Title(product))
	}
	if highest, ok := r.Versions[product]; ok && version.OlderThan(highest) {
		return refuse("%s is known to have run on the data, which is newer than %s.", highest.Title(), version)
	}
	return Declaration{Ended: true, Record: r.change(func(next *Record) {
		next.raise(version)
		next.setAhead(product, false)
		next.Last = product
		next.Unknown, next.Incident = false, ""
		next.Settled = append(next.Settled, r.Incident)
	})}
}

// declaredProduct splits a declared version into product and number.
func (r Record) declaredProduct(declared string) (v1alpha1.Product, string, error) {
	name, number, found := strings.Cut(declared, ":")
	product := v1alpha1.Product(name)
	switch {
	case found && (product == v1alpha1.ProductChroma || product == v1alpha1.ProductVecturaDB):
		return product, number, nil
	case found:
		return "", "", fmt.Errorf("%q is no product: it is %s or %s", name, v1alpha1.ProductChroma, v1alpha1.ProductVecturaDB)
	case strings.Contains(declared, "-preview."):
		return v1alpha1.ProductVecturaDB, declared, nil
	case r.Last == v1alpha1.ProductVecturaDB:
		return "", "", fmt.Errorf("VecturaDB ran last on the data, so say which product is meant: %s:%s/%s or %s:%s/%s",
			v1alpha1.ProductChroma, declared, r.Incident, v1alpha1.ProductVecturaDB, declared, r.Incident)
	default:
		return v1alpha1.ProductChroma, declared, nil
	}
}
