package v1

// Labels of a generated ValdRelease.
const (
	// LabelManagedBy and ManagedBy say who generated it.
	LabelManagedBy = "app.kubernetes.io/managed-by"
	ManagedBy      = Group

	// LabelManagedResource and KindValdRelease mark what the Vald Operator, or this function, generated. A ValdRelease
	// that carries it and has no controller may be adopted.
	LabelManagedResource = Group + "/managed-resource"

	// LabelManagedGeneration is the default key of the generation at the last change of the user's spec.
	LabelManagedGeneration = "managed-generation"
)

// Keys of the labels of nodes and ValdReleases. A configured prefix, "<prefix>/", goes before them.
const (
	LabelNamespace = "namespace"
	LabelType      = "type"
	LabelRole      = "role"
)

// Pool types: the keys of nodePools, and the values of LabelType on nodes.
const (
	// PoolGeneral hosts the gateway, the discoverer and the index manager, and the agents without PoolAgent.
	PoolGeneral = "general"
	// PoolAgent hosts the agents.
	PoolAgent = "agent"
)
