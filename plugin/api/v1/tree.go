package v1

// KindTree is what tree prints.
const KindTree = "Tree"

// Tree is an object that people write and what belongs to it, each below what it belongs to.
type Tree struct {
	Header
	// Of is the kind of the object: Chroma or ValdOperatorRelease.
	Of string `json:"of"`
	// Namespace of the object.
	Namespace string `json:"namespace"`
	// Name of the object.
	Name string `json:"name"`
	// Items in the order of the text: the object itself is the first.
	Items []TreeItem `json:"items"`
	// Notes are what could not be read.
	Notes []string `json:"notes,omitempty"`
}

// TreeItem is one object of a tree.
type TreeItem struct {
	// APIVersion of the object.
	APIVersion string `json:"apiVersion"`
	// Kind of the object.
	Kind string `json:"kind"`
	// Namespace is empty for what is in none.
	Namespace string `json:"namespace,omitempty"`
	// Name of the object.
	Name string `json:"name"`
	// Parent is the kind and the name of what it belongs to, empty for the object itself.
	Parent string `json:"parent,omitempty"`
	// Role by which the function knows a composed object.
	Role string `json:"role,omitempty"`
	// State in a word or two.
	State string `json:"state"`
	// Health is good, waiting, bad, or empty where an object does not say how it is.
	Health string `json:"health,omitempty"`
}

// The healths of an object.
const (
	HealthGood    = "good"
	HealthWaiting = "waiting"
	HealthBad     = "bad"
)
