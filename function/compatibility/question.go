package compatibility

import (
	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
)

// A Question is whether a version may open data.
type Question struct {
	Data      Data
	Wanted    Version
	Overrides Overrides
}

// Data is what is known of the versions that have opened some data.
type Data struct {
	// Versions is the highest version of every product that may have run on the data. Empty: none has.
	Versions map[v1alpha1.Product]Version
	// Last is the product that opened the data last.
	Last v1alpha1.Product
	// Ahead are the products whose highest version was recorded ahead of a Pod that nobody has seen ready. For the way
	// back such a version counts, since its server may have migrated the data. It opens no passage: a passage was tried
	// from data that the version itself had opened, and this data may still be of an older one.
	Ahead []v1alpha1.Product
	// Unknown says that a version that is not known may have run on the data.
	Unknown bool
	// Incident is the code of that. A declaration of the version has to name it.
	Incident string
}

// highest versions on the data: of the product that ran last first, then of the other ones.
func (d Data) highest() []Version {
	versions := make([]Version, 0, len(d.Versions))
	if last, ok := d.Versions[d.Last]; ok {
		versions = append(versions, last)
	}
	for _, product := range []v1alpha1.Product{v1alpha1.ProductChroma, v1alpha1.ProductVecturaDB} {
		if version, ok := d.Versions[product]; ok && product != d.Last {
			versions = append(versions, version)
		}
	}
	return versions
}

// Overrides are the values of the annotations with which a person allows what is refused by default.
type Overrides struct {
	AllowDowngrade       string
	AllowFormatDowngrade string
	AllowProductChange   string
}

// OverridesOf reads the overrides from the annotations of a Chroma.
func OverridesOf(annotations map[string]string) Overrides {
	return Overrides{
		AllowDowngrade:       annotations[v1alpha1.AnnotationAllowDowngrade],
		AllowFormatDowngrade: annotations[v1alpha1.AnnotationAllowFormatDowngrade],
		AllowProductChange:   annotations[v1alpha1.AnnotationAllowProductChange],
	}
}

// set returns the overrides that have a value, in a fixed order.
func (o Overrides) set() []Annotation {
	var set []Annotation
	for _, annotation := range []Annotation{
		{Key: v1alpha1.AnnotationAllowProductChange, Value: o.AllowProductChange},
		{Key: v1alpha1.AnnotationAllowDowngrade, Value: o.AllowDowngrade},
		{Key: v1alpha1.AnnotationAllowFormatDowngrade, Value: o.AllowFormatDowngrade},
	} {
		if annotation.Value != "" {
			set = append(set, annotation)
		}
	}
	return set
}

// An Annotation of a Chroma.
type Annotation struct {
	Key, Value string
}

// A Verdict answers a Question.
type Verdict struct {
	// Allowed says whether the wanted version may open the data.
	Allowed bool
	// Reason of the verdict, whether allowed or not.
	Reason reason.Reason
	// Message says in full sentences why, what would happen, and which annotations it takes. It names no object: the
	// command for Needed and Unneeded is for whoever knows its name.
	Message string
	// Explanation is what a person should know while the wanted version runs, or before it does: what Chroma cannot
	// do with data of VecturaDB, and what the way back over a border of the data format would mean. Often empty.
	Explanation string
	// Needed are the annotations that are missing, or have another value: kubectl annotate --overwrite key=value.
	// With DataVersionUnknown the value holds a placeholder for the version. Empty where no annotation helps.
	Needed []Annotation
	// Unneeded are annotations that are set and change nothing for the wanted version: kubectl annotate key-.
	// Left empty where no annotation helps, since what is wanted has to change first.
	Unneeded []Annotation
	// Crossings are the steps from every version on the data to the wanted one. Empty for new data.
	Crossings []Crossing
}

// Tried says whether every step to the wanted version was tried with real servers. A version that opens its own data
// again takes no step.
func (v Verdict) Tried() bool {
	for _, crossing := range v.Crossings {
		if !crossing.Tried {
			return false
		}
	}
	return true
}

// A Crossing from a version that has run on the data to the wanted one.
type Crossing struct {
	From, To Version
	// Tried says whether the two were run on the same data, or are the same.
	Tried bool
	// Trial or reading of the sources behind the step, nil without one.
	Trial *Trial
}
