package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
)

// FromAnnotations reads the record of a claim from its annotations.
//
// A claim with our creation mark and no record is empty, since a record precedes every Pod. Any other claim without a
// record of its own is unknown: one without any annotation, one of the original operator that has no data-version, one
// that carries the record of another claim. What cannot be read makes the version unknown too, beside the versions
// that can.
func FromAnnotations(claimUID string, annotations map[string]string) Record {
	written := text{
		number:        annotations[v1alpha1.AnnotationDataRecord],
		schema:        annotations[v1alpha1.AnnotationDataSchema],
		version:       annotations[v1alpha1.AnnotationDataVersion],
		product:       annotations[v1alpha1.AnnotationDataProduct],
		versions:      annotations[v1alpha1.AnnotationDataVersions],
		ahead:         annotations[v1alpha1.AnnotationDataAhead],
		incident:      annotations[v1alpha1.AnnotationDataVersionUnknown],
		settled:       annotations[v1alpha1.AnnotationDataIncidentsSettled],
		recoveryImage: annotations[v1alpha1.AnnotationRecoveryImage],
	}
	record := written.read(claimUID, annotations[v1alpha1.AnnotationCreatedFor] != "")
	if written.number != "" && written.version != "" && written.versions == "" && !record.Newer() && !record.Unknown {
		// A record with a number was written with the list of its versions. Somebody took it away, and with it what other
		// products have run.
		return written.unreadable(record)
	}
	return record
}

// FromStatus reads the record in the status of a Chroma. It is nil when the status has none.
func FromStatus(status v1alpha1.ChromaStatus) *Record {
	if status.DataRecord == "" {
		return nil
	}
	written := text{
		number:        status.DataRecord,
		version:       status.DataVersion,
		product:       string(status.DataProduct),
		versions:      writeVersions(status.DataVersions),
		ahead:         writeProducts(status.DataAhead),
		incident:      status.DataVersionUnknownIncident,
		settled:       strings.Join(status.DataIncidentsSettled, ","),
		recoveryImage: status.RecoveryImage,
	}
	if status.DataSchema != 0 {
		written.schema = strconv.FormatInt(status.DataSchema, 10)
	}
	if status.DataVersionUnknown && written.incident == "" {
		written.incident = "?" // No code: one is derived.
	}
	claimUID, _, err := parseNumber(status.DataRecord)
	if err != nil {
		claimUID = status.ClaimUID
	}
	record := written.read(claimUID, true)
	return &record
}

// text is a record as it is written.
type text struct {
	number, schema, version, product, versions, ahead, incident, settled, recoveryImage string
}

// read the text as the record of a claim. An empty record is one only where created says that nothing has run yet.
func (t text) read(claimUID string, created bool) Record {
	r := Record{ClaimUID: claimUID, Schema: Schema, RecoveryImage: t.recoveryImage}
	readable := true
	if t.number != "" {
		uid, serial, err := parseNumber(t.number)
		if err == nil && uid != claimUID {
			return t.unreadable(r) // What another claim says is no knowledge of this one.
		}
		r.Serial, readable = serial, err == nil
	}
	schema, err := parseSchema(t.schema)
	if err == nil && schema > Schema {
		r.Schema = schema
	}
	readable = t.readVersions(&r) && readable && err == nil
	if _, ok := r.Versions[r.Last]; !ok {
		r.Last = someProduct(r.Versions)
	}
	r.Settled = readCodes(t.settled)
	for entry := range strings.SplitSeq(t.ahead, ",") {
		if _, known := r.Versions[v1alpha1.Product(entry)]; known {
			r.setAhead(v1alpha1.Product(entry), true)
		}
	}
	if isCode(t.incident) {
		r.Unknown, r.Incident = true, t.incident
	}
	switch {
	case r.Newer():
		return r
	case !readable, t.incident != "" && !r.Unknown:
		return t.unreadable(r)
	case r.Empty() && (!created || r.Serial > 0):
		return t.unreadable(r) // A record that was ever changed names a version or an incident.
	}
	return r
}

// unreadable returns the record as unknown, with an incident that depends on everything that is written.
func (t text) unreadable(r Record) Record {
	r.Unknown = true
	r.Incident = code(digest("record", r.ClaimUID, t.number, t.schema, t.version, t.product, t.versions, t.ahead, t.incident,
		t.settled, t.recoveryImage), r.Serial)
	return r
}

// readVersions reads the highest versions and the last product, and says whether all of it could be read.
func (t text) readVersions(r *Record) bool {
	readable := true
	for entry := range strings.SplitSeq(t.versions, ",") {
		if entry == "" {
			continue
		}
		product, number, _ := strings.Cut(entry, "=")
		version, err := parseVersion(v1alpha1.Product(product), number)
		if err != nil {
			readable = false
			continue
		}
		r.raise(version)
	}
	if t.version == "" && t.product == "" && len(r.Versions) == 0 {
		return readable
	}
	r.Last = v1alpha1.Product(t.product)
	if r.Last == "" {
		r.Last = v1alpha1.ProductChroma // The original operator wrote no product before it knew of a second one.
	}
	if t.version != "" {
		version, err := parseVersion(r.Last, t.version)
		if err != nil {
			return false
		}
		r.raise(version)
	}
	_, known := r.Versions[r.Last]
	return readable && known
}

// someProduct that has a version, for a record that does not say which product ran last, and is unknown for that.
func someProduct(versions map[v1alpha1.Product]compatibility.Version) v1alpha1.Product {
	if len(versions) == 0 {
		return ""
	}
	return slices.Min(slices.Collect(maps.Keys(versions)))
}

// parseVersion parses a version that can have run here. No Chroma before 1.0.0 can.
func parseVersion(product v1alpha1.Product, number string) (compatibility.Version, error) {
	version, err := compatibility.ParseVersion(product, number)
	if err != nil {
		return compatibility.Version{}, err
	}
	if product == v1alpha1.ProductChroma && version.Major() == 0 {
		return compatibility.Version{}, fmt.Errorf("cannot take version %q: no Chroma before 1.0.0 runs here", number)
	}
	return version, nil
}

// parseNumber parses the number of a record: "<uid of the claim>/<serial>".
func parseNumber(number string) (string, int64, error) {
	uid, digits, found := strings.Cut(number, "/")
	serial, err := strconv.ParseInt(digits, 10, 64)
	// A serial is written in one way only, and leaves room to rise.
	const largest = 1 << 62
	if !found || uid == "" || err != nil || serial < 0 || serial > largest || strconv.FormatInt(serial, 10) != digits {
		return "", 0, fmt.Errorf("cannot parse record number %q: it is not <uid>/<serial>", number)
	}
	return uid, serial, nil
}

func parseSchema(schema string) (int64, error) {
	if schema == "" {
		return Schema, nil
	}
	n, err := strconv.ParseInt(schema, 10, 64)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("cannot parse schema %q of a record: it is not a number from 1 on", schema)
	}
	return n, nil
}

// readCodes reads codes separated by commas. What is none is left out: at worst an incident is raised again.
func readCodes(codes string) []string {
	var out []string
	for entry := range strings.SplitSeq(codes, ",") {
		if isCode(entry) {
			out = append(out, entry)
		}
	}
	return out
}

// writeProducts with commas between.
func writeProducts(products []v1alpha1.Product) string {
	entries := make([]string, 0, len(products))
	for _, product := range products {
		entries = append(entries, string(product))
	}
	return strings.Join(entries, ",")
}

// writeVersions writes product=version for each product, sorted, with commas between.
func writeVersions(versions map[v1alpha1.Product]string) string {
	entries := make([]string, 0, len(versions))
	for _, product := range slices.Sorted(maps.Keys(versions)) {
		entries = append(entries, string(product)+"="+versions[product])
	}
	return strings.Join(entries, ",")
}
