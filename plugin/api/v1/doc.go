// Package v1 is what the plugin prints with --output json and yaml: plugin.chroma.chromadotnet.org/v1. Fields are added to
// it, and none is renamed or removed.
package v1

// APIVersion of everything that is printed.
const APIVersion = "plugin.chroma.chromadotnet.org/v1"

// A Header says what a document is.
type Header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// HeaderOf a kind of document.
func HeaderOf(kind string) Header { return Header{APIVersion: APIVersion, Kind: kind} }
