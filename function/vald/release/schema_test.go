package release

import (
	"strings"
	"testing"
)

func TestTheEmbeddedSchemaDecodes(t *testing.T) {
	root, err := decode(schemaJSON)
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range []string{"agent", "defaults", "discoverer", "gateway", "manager"} {
		if root.properties[member] == nil {
			t.Errorf("the schema of spec has no %s", member)
		}
	}
}

func TestABrokenSchemaIsRefused(t *testing.T) {
	cases := map[string]struct{ reason, file, want string }{
		"NotJSON":       {"It must be JSON.", "[", "cannot decode the schema"},
		"Empty":         {"It must have a root.", "[]", "it is empty"},
		"LaterProperty": {"A node comes after those that it names.", `[{"type":"object","properties":{"a":1}},{"type":"string"}]`, "node 0 names node 1"},
		"ItemsOfItself": {"A node comes after those that it names.", `[{"type":"array","items":0}]`, "node 0 names node 0"},
		"Pattern":       {"A pattern must compile.", `[{"type":"string","pattern":"("}]`, "error parsing regexp"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := decode([]byte(tc.file))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\ndecode(...): want %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}
