package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func schemaProperties() map[string]extv1.JSONSchemaProps {
	item := &extv1.JSONSchemaProps{Properties: map[string]extv1.JSONSchemaProps{"inner": {Type: "string"}}}
	yes := true
	return map[string]extv1.JSONSchemaProps{"status": {Properties: map[string]extv1.JSONSchemaProps{
		"known": {Items: &extv1.JSONSchemaPropsOrArray{Schema: item}},
		"list":  {Items: &extv1.JSONSchemaPropsOrArray{Schema: item}},
		"free":  {XPreserveUnknownFields: &yes},
		"map":   {AdditionalProperties: &extv1.JSONSchemaPropsOrBool{Allows: true, Schema: &extv1.JSONSchemaProps{Type: "string"}}},
	}}}
}

func TestUndeclared(t *testing.T) {
	cases := map[string]struct {
		reason string
		status map[string]any
		want   string
	}{
		"Declared":     {reason: "All is declared.", status: map[string]any{"known": []any{map[string]any{"inner": "x"}}, "map": map[string]any{"any": "x"}}},
		"InAnItem":     {reason: "Items of lists are looked at.", status: map[string]any{"list": []any{map[string]any{"other": "x"}}}, want: ".status.list[0].other"},
		"InFreeFields": {reason: "What is preserved may have anything.", status: map[string]any{"free": map[string]any{"any": map[string]any{"thing": true}}}},
		"First":        {reason: "The first one in order of names is told.", status: map[string]any{"y": "1", "x": "1"}, want: ".status.x"},
	}
	status := schemaProperties()["status"]
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, undeclared(".status", tc.status, &status)); diff != "" {
				t.Errorf("\n%s\nundeclared(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
