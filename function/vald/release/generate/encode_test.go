package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheEmbeddedSchemaIsTheDefinitionsSchema(t *testing.T) {
	folder := os.Getenv("CHROMA_SHARED")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "..", "shared")
	}
	crd, err := os.ReadFile(filepath.Join(folder, "vald", "valdrelease-crd.yaml"))
	if err != nil {
		t.Skipf("the CustomResourceDefinition of ValdRelease is not here: %v", err)
	}
	want, err := encode(crd)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("schema.json is not what this command writes: -want, +got:\n%s", diff)
	}
}

func TestEncodeWritesEqualNodesOnce(t *testing.T) {
	crd := `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              a: {type: object, properties: {x: {type: integer, minimum: 0}}}
              b: {type: object, properties: {x: {type: integer, minimum: 0}}}
              c: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}
              d: {type: string, enum: [e, f], description: left out}
`
	want := `[
{"type":"integer","minimum":0},
{"type":"object","properties":{"x":0}},
{"type":"object","free":true},
{"type":"array","items":2},
{"type":"string","enum":["e","f"]},
{"type":"object","properties":{"a":1,"b":1,"c":3,"d":4}}
]
`
	got, err := encode([]byte(crd))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("encode(...): -want, +got:\n%s", diff)
	}
}
