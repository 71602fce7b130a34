package ledger

import (
	"strconv"
	"strings"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// Annotations of the claim that hold the record. All of them are always there, empty where there is nothing to say: an
// annotation left out stays on a claim whose other manager once wrote it. It is nil for a newer record, whose
// annotations have to be kept as they are.
func (r Record) Annotations() map[string]string {
	if r.Newer() {
		return nil
	}
	return map[string]string{
		v1alpha1.AnnotationDataRecord:           r.number(),
		v1alpha1.AnnotationDataSchema:           strconv.FormatInt(Schema, 10),
		v1alpha1.AnnotationDataVersion:          r.Versions[r.Last].String(),
		v1alpha1.AnnotationDataProduct:          string(r.Last),
		v1alpha1.AnnotationDataVersions:         writeVersions(r.versions()),
		v1alpha1.AnnotationDataAhead:            writeProducts(r.Ahead),
		v1alpha1.AnnotationDataVersionUnknown:   r.Incident,
		v1alpha1.AnnotationDataIncidentsSettled: strings.Join(r.Settled, ","),
		v1alpha1.AnnotationRecoveryImage:        r.RecoveryImage,
	}
}

// WriteStatus writes the record into a status. A newer record is not written: the status has to keep what it held.
func (r Record) WriteStatus(status *v1alpha1.ChromaStatus) {
	if r.Newer() {
		return
	}
	status.DataRecord = r.number()
	status.DataSchema = Schema
	status.DataVersion = r.Versions[r.Last].String()
	status.DataProduct = r.Last
	status.DataVersions = r.versions()
	status.DataAhead = r.Ahead
	status.DataVersionUnknown = r.Unknown
	status.DataVersionUnknownIncident = r.Incident
	status.DataIncidentsSettled = r.Settled
	status.RecoveryImage = r.RecoveryImage
}

// StatusFields are the fields of a status that hold its record: all of them, or none. The recovery image is none of them:
// where the status lacks it, that of the claim counts.
func StatusFields() []string {
	return []string{
		"dataRecord", "dataSchema", "dataVersion", "dataProduct", "dataVersions", "dataAhead",
		"dataVersionUnknown", "dataVersionUnknownIncident", "dataIncidentsSettled",
	}
}

// number of the record.
func (r Record) number() string { return r.ClaimUID + "/" + strconv.FormatInt(r.Serial, 10) }

func (r Record) versions() map[v1alpha1.Product]string {
	if len(r.Versions) == 0 {
		return nil
	}
	versions := make(map[v1alpha1.Product]string, len(r.Versions))
	for product, version := range r.Versions {
		versions[product] = version.String()
	}
	return versions
}
