package status

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// copied tells whether Crossplane has copied to the composite what a person wrote in the claim. Before that, all that the
// composite says is about an earlier spec. Without a claim there is nothing to copy.
func copied(v *live.View) bool {
	if v.XR == nil || v.XR == v.Object {
		return true
	}
	claim, _ := v.Object.Object["spec"].(map[string]any)
	composite, _ := v.XR.Object["spec"].(map[string]any)
	for _, spec := range []map[string]any{claim, composite} {
		for field := range spec {
			if !crossplanes(field) && !equality.Semantic.DeepEqual(claim[field], composite[field]) {
				return false
			}
		}
	}
	annotations := v.XR.GetAnnotations()
	for key, value := range v.Object.GetAnnotations() {
		if strings.HasPrefix(key, chroma.Group+"/") && annotations[key] != value {
			return false
		}
	}
	return true
}

// crossplanes own fields of a claim or of a composite.
func crossplanes(field string) bool {
	switch field {
	case "claimRef", "resourceRef", "resourceRefs", "compositionRef", "compositionSelector", "compositionRevisionRef", "compositionRevisionSelector",
		"compositionUpdatePolicy", "compositeDeletePolicy", "environmentConfigRefs", "publishConnectionDetailsTo", "writeConnectionSecretToRef":
		return true
	}
	return false
}
