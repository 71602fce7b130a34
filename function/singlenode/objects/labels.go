// Package objects builds the objects of a single-node Chroma as apply configurations: only the fields that are set.
package objects

import (
	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// Labels of every object of a Chroma.
func Labels(name string) map[string]string {
	return map[string]string{
		chroma.LabelChroma:             name,
		"app.kubernetes.io/name":       "chroma",
		"app.kubernetes.io/instance":   name,
		"app.kubernetes.io/component":  "server",
		"app.kubernetes.io/managed-by": "function-chroma",
	}
}

// ClaimLabels are those of the claim. The original operator finds its claims by the value of managed-by, and people who
// hand over a claim set it: it stays.
func ClaimLabels(name string) map[string]string {
	labels := Labels(name)
	labels[chroma.LabelManagedBy] = chroma.ManagedByOperator
	return labels
}

// Selector of the Pods behind the Service.
func Selector(name string) map[string]string {
	return map[string]string{chroma.LabelChroma: name, "app.kubernetes.io/component": "server"}
}

// Adoptable tells whether a claim carries the labels of a claim retained by (or handed over to) a Chroma of this name.
func Adoptable(name string, labels map[string]string) bool {
	return labels[chroma.LabelChroma] == name && labels[chroma.LabelManagedBy] == chroma.ManagedByOperator
}

func anyMap(values map[string]string) map[string]any {
	out := make(map[string]any, len(values))
	for key, value := range values {
		out[key] = value
	}
	return out
}
