package definition

import (
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
)

func TestCustomResourceDefinition(t *testing.T) {
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			crd, err := CustomResourceDefinition(kind)
			if err != nil {
				t.Fatal(err)
			}
			extv1.SetDefaults_CustomResourceDefinition(crd)
			crd.OwnerReferences = nil // the XRD has no UID here
			internal := &apiextensions.CustomResourceDefinition{}
			if err := extv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, internal, nil); err != nil {
				t.Fatal(err)
			}
			internal.Status.StoredVersions = []string{crd.Spec.Versions[0].Name}
			if errs := validation.ValidateCustomResourceDefinition(t.Context(), internal); len(errs) > 0 {
				t.Errorf("ValidateCustomResourceDefinition(%s): %v", kind, errs)
			}
		})
	}
}
