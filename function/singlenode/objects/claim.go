package objects

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/settings"
)

// AnnotationLookAgain on an Object has the resource version of a claim that differed from the manifest.
const AnnotationLookAgain = chroma.Group + "/look-again"

// An Owner of the claim under the policy Delete: Kubernetes collects the claim with it, whoever is running or not.
type Owner struct {
	APIVersion, Kind, Name string
	UID                    types.UID
}

// Claim is what the manifest of the claim says.
type Claim struct {
	// Name of the Chroma, and its namespace.
	Name, Namespace string
	// UID of the claim, once it was seen: then neither a create nor an update of the provider can make a new, empty one
	// in its place.
	UID types.UID
	// Mark that we created the claim, which says that it was empty. See chroma.AnnotationCreatedFor.
	Mark string
	// Owner under the policy Delete.
	Owner *Owner

	Size         resource.Quantity
	StorageClass *string
	AccessModes  []corev1.PersistentVolumeAccessMode
}

// ClaimObject holds the claim through provider-kubernetes. Crossplane would delete a claim that it composed directly with
// the XR, or with a pass that leaves it out.
func ClaimObject(claim Claim, ref settings.ProviderConfig) (map[string]any, error) {
	manifest := applycorev1.PersistentVolumeClaim(chroma.ClaimName(claim.Name), claim.Namespace).
		WithLabels(ClaimLabels(claim.Name)).
		WithSpec(applycorev1.PersistentVolumeClaimSpec().
			WithAccessModes(claim.AccessModes...).
			WithResources(applycorev1.VolumeResourceRequirements().
				WithRequests(corev1.ResourceList{corev1.ResourceStorage: claim.Size})))
	if claim.StorageClass != nil {
		manifest.Spec.WithStorageClassName(*claim.StorageClass)
	}
	if claim.UID != "" {
		manifest.WithUID(claim.UID)
	}
	if claim.Mark != "" {
		manifest.WithAnnotations(map[string]string{chroma.AnnotationCreatedFor: claim.Mark})
	}
	if owner := claim.Owner; owner != nil {
		manifest.WithOwnerReferences(applymetav1.OwnerReference().
			WithAPIVersion(owner.APIVersion).WithKind(owner.Kind).WithName(owner.Name).WithUID(owner.UID))
	}
	return object(chroma.ClaimObjectName(claim.Name), claim.Namespace, Labels(claim.Name), manifest, ref)
}

// LedgerObject writes the record of what has run on the data to the claim. It is an Object of its own, since a manifest
// that the API refuses, a shrunk size for instance, also holds back its annotations.
func LedgerObject(name, namespace string, uid types.UID, record map[string]string, ref settings.ProviderConfig) (map[string]any, error) {
	manifest := applycorev1.PersistentVolumeClaim(chroma.ClaimName(name), namespace).
		WithUID(uid).
		WithAnnotations(record)
	return object(chroma.LedgerObjectName(name), namespace, Labels(name), manifest, ref)
}
