package main

// A Kind of composite resource and where its files go.
type Kind struct {
	// Package of the Go type, below the root of the module.
	Package string
	// Name of the kind, which is the name of the Go type.
	Name string
	// Folder of the definition and the Composition, below the root of the module.
	Folder string
	// Step of the Composition's pipeline.
	Step string
	// ClaimFolder of the definition and the Composition that serve the same kind as a claim. Empty: none.
	ClaimFolder string
}

// kinds lists the composite resources that the function composes.
func kinds() []Kind {
	return []Kind{
		{
			Package:     "apis/chroma/v1alpha1",
			Name:        "Chroma",
			Folder:      "apis/chroma",
			Step:        "chroma",
			ClaimFolder: "apis/claims",
		},
		{Package: "apis/vald/v1", Name: "ValdOperatorRelease", Folder: "apis/vald", Step: "vald"},
	}
}

// The Input of the composition step.
const (
	inputPackage = "apis/input/v1beta1"
	inputKind    = "Input"
	inputFolder  = "package/input"
)

// sources are the packages of Go types, below the root of the module.
func sources() []string {
	paths := []string{inputPackage}
	for _, kind := range kinds() {
		paths = append(paths, kind.Package)
	}
	return paths
}

// functionName is the name under which the package of the function is installed.
const functionName = "function-chroma"
