package v1alpha1

// Annotations a person sets on a Chroma (or its claim) to allow what is refused by default.
const (
	// AnnotationAllowDowngrade "true" allows an older image within one data format.
	AnnotationAllowDowngrade = Group + "/allow-downgrade"
	// AnnotationAllowFormatDowngrade "<version>" additionally allows to go back to that version across a border of the
	// data format.
	AnnotationAllowFormatDowngrade = Group + "/allow-format-downgrade"
	// AnnotationAllowProductChange "true" allows the way back from VecturaDB to Chroma.
	AnnotationAllowProductChange = Group + "/allow-product-change"
	// AnnotationDeclaredDataVersion "<x.y.z>/<code>" ends one incident.
	AnnotationDeclaredDataVersion = Group + "/declared-data-version"
	// AnnotationAcceptClaim "<uid>" takes the claim that is there now, "new/<lost uid>" begins anew.
	AnnotationAcceptClaim = Group + "/accept-claim"
	// AcceptNewClaimPrefix begins the value of AnnotationAcceptClaim that asks for a new, empty claim.
	AcceptNewClaimPrefix = "new/"
	// AnnotationTrue is the only value that counts where a switch is meant.
	AnnotationTrue = "true"
)

// Annotations of the claim: what has run on the data. Only the ledger Object writes them.
const (
	AnnotationDataVersion        = Group + "/data-version"
	AnnotationDataProduct        = Group + "/data-product"
	AnnotationDataVersionUnknown = Group + "/data-version-unknown"
	AnnotationDataRecord         = Group + "/data-record"
	AnnotationDataVersions       = Group + "/data-versions"
	AnnotationDataSchema         = Group + "/data-schema"
	// AnnotationDataAhead has the products whose version was recorded ahead of a Pod that was not seen ready yet.
	AnnotationDataAhead     = Group + "/data-ahead"
	AnnotationRecoveryImage = Group + "/recovery-image"
	// AnnotationDataIncidentsSettled has the incidents that declarations have ended.
	AnnotationDataIncidentsSettled = Group + "/data-incidents-settled"
	// AnnotationCreatedFor is our creation mark: the claim was made by us, hence empty, for the XR of that UID.
	AnnotationCreatedFor = Group + "/created-for"
)

// Annotations of the Pod.
const (
	// AnnotationAdmittedImage is the image that the API admitted, when a webhook rewrote ours.
	AnnotationAdmittedImage = Group + "/admitted-image"
	// AnnotationWantedImage is the image we asked for.
	AnnotationWantedImage = Group + "/wanted-image"
	// AnnotationWantedProduct is the product of the image we asked for: for a mirror the repository does not say it.
	AnnotationWantedProduct = Group + "/wanted-product"
	// AnnotationUserHash is the hash of what the user set. Another hash replaces the Pod.
	AnnotationUserHash = Group + "/user-hash"
)

// Labels.
const (
	// LabelChroma names the Chroma an object belongs to.
	LabelChroma = Group + "/chroma"
	// LabelManagedBy and ManagedByOperator stand on claims: those of the original operator carry them.
	LabelManagedBy    = "app.kubernetes.io/managed-by"
	ManagedByOperator = "chroma-operator"
)

// Roles of composed objects: crossplane.io/composition-resource-name. They are an interface and stay.
const (
	RoleClaim   = "claim"
	RoleLedger  = "ledger"
	RoleConfig  = "config"
	RoleService = "service"
	RolePod     = "pod"
)

// Names of the objects of a single-node Chroma.

// ClaimName of the claim with the data, the only one that is ever used.
func ClaimName(chroma string) string { return chroma + "-1" }

// PodName of the server. It never changes, so that the API server itself admits one Pod at a time.
func PodName(chroma string) string { return chroma + "-1" }

// ConfigName of the ConfigMap.
func ConfigName(chroma string) string { return chroma + "-config" }

// ServiceName for clients.
func ServiceName(chroma string) string { return chroma + "-rw" }

// ClaimObjectName of the Object that holds the claim.
func ClaimObjectName(chroma string) string { return chroma + "-claim" }

// LedgerObjectName of the Object that writes the ledger to the claim.
func LedgerObjectName(chroma string) string { return chroma + "-ledger" }

// Endpoint of a single-node Chroma for clients.
func Endpoint(chroma, namespace string) string {
	return "http://" + ServiceName(chroma) + "." + namespace + ".svc:8000"
}
