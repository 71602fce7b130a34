package client

import "encoding/json"

// A Collection of records. Requests have Name, Configuration and Metadata; answers have the configuration as Stored.
type Collection struct {
	ID            string          `json:"id,omitempty"`
	Name          string          `json:"name"`
	Configuration json.RawMessage `json:"configuration,omitempty"`
	Stored        json.RawMessage `json:"configuration_json,omitempty"`
	Metadata      map[string]any  `json:"metadata,omitempty"`
	Dimension     *int            `json:"dimension,omitempty"`
}

// Records are columns of the same length. A column that a request leaves out has no values.
type Records struct {
	IDs        []string         `json:"ids"`
	Embeddings [][]float32      `json:"embeddings,omitempty"`
	Documents  []*string        `json:"documents,omitempty"`
	Metadatas  []map[string]any `json:"metadatas,omitempty"`
}

// A Selection of records: those that fit all that is set.
type Selection struct {
	IDs           []string       `json:"ids,omitempty"`
	Where         map[string]any `json:"where,omitempty"`
	WhereDocument map[string]any `json:"where_document,omitempty"`
	Include       []string       `json:"include,omitempty"`
	Limit         int            `json:"limit,omitempty"`
	Offset        int            `json:"offset,omitempty"`
}

// A Query asks for the records nearest to each of its embeddings, among those that fit the filters.
type Query struct {
	Embeddings    [][]float32    `json:"query_embeddings"`
	Results       int            `json:"n_results"`
	Where         map[string]any `json:"where,omitempty"`
	WhereDocument map[string]any `json:"where_document,omitempty"`
	Include       []string       `json:"include,omitempty"`
}

// Neighbours has a row for each embedding of a query, the nearest record first.
type Neighbours struct {
	IDs       [][]string   `json:"ids"`
	Distances [][]*float32 `json:"distances"`
}
