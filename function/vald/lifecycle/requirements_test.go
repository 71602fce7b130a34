package lifecycle

import (
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/function/settings"
)

func TestTheTemplateComesFromTheInputTheConfigMapTheFileOrUs(t *testing.T) {
	inline := map[string]any{"spec": map[string]any{"defaults": map[string]any{"time_zone": "inline"}}}
	const file = "spec: {defaults: {time_zone: file}}"
	configMap := settings.ConfigMapKey{Name: "template", Key: "vrs.yaml"}
	cases := map[string]struct {
		reason   string
		settings settings.Vald
		data     string
		// want is the time zone, or part of a message.
		want, message string
	}{
		"Inline":    {"The document in the input.", settings.Vald{DefaultTemplate: inline, DefaultTemplateFile: []byte(file)}, "", "inline", ""},
		"ConfigMap": {"The ConfigMap in the namespace of the object.", settings.Vald{DefaultTemplateFrom: configMap, DefaultTemplateFile: []byte(file)}, "vrs.yaml: 'spec: {defaults: {time_zone: map}}'", "map", ""},
		"File":      {"The file that the configuration names, when it exists.", settings.Vald{DefaultTemplateFile: []byte(file)}, "", "file", ""},
		"Shipped":   {"The one that the Vald Operator ships.", settings.Vald{}, "", "Asia/Tokyo", ""},
		"NoKey":     {"The ConfigMap has another key.", settings.Vald{DefaultTemplateFrom: configMap}, "other: x", "", "failed: cannot read the default template: the ConfigMap template has no key vrs.yaml"},
		"NoMap":     {"There is no such ConfigMap.", settings.Vald{DefaultTemplateFrom: configMap}, "", "", "failed: cannot read the default template: there is no ConfigMap template in the namespace"},
		"Malformed": {"It has no ValdRelease.", settings.Vald{DefaultTemplateFrom: configMap}, "vrs.yaml: '['", "", "failed: cannot read the default template: yaml: "},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCrossplane(object())
			c.settings = tc.settings
			if tc.data != "" {
				c.put("{apiVersion: v1, kind: ConfigMap, metadata: {name: template, namespace: search-prod}, data: {" + tc.data + "}}")
			}
			answer := c.settle(t)
			if tc.message != "" {
				if got := answer.Conditions[1].Message; !strings.Contains(got, tc.message) {
					t.Errorf("\n%s\nwant message %q, got %q", tc.reason, tc.message, got)
				}
				return
			}
			spec, _ := c.objects["ValdRelease/search-prod-green-a"].Object["spec"].(map[string]any)
			if got := spec["defaults"].(map[string]any)["time_zone"]; got != tc.want {
				t.Errorf("\n%s\nwant time zone %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

func TestNodesAreMatchedByLabelsWithThePrefix(t *testing.T) {
	node := func(name, labels string) string {
		return "{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {" + labels + "}}}"
	}
	const general, agent = "example.com/namespace: search-prod, example.com/type: general", "example.com/namespace: search-prod, example.com/type: agent"
	cases := map[string]struct {
		reason string
		nodes  []string
		// want is the pool that the agents select. Empty: nothing is generated.
		want string
	}{
		"Both":           {"Agents go to their own nodes.", []string{general, agent}, "agent"},
		"GeneralOnly":    {"Agents go to the general nodes.", []string{general}, "general"},
		"AgentOnly":      {"The other components have no nodes.", []string{agent}, ""},
		"OtherNamespace": {"The nodes are another namespace's.", []string{"example.com/namespace: other, example.com/type: general"}, ""},
		"NoPrefix":       {"Labels without the prefix do not count.", []string{"namespace: search-prod, type: general"}, ""},
		"OtherType":      {"Other types mean nothing.", []string{"example.com/namespace: search-prod, example.com/type: gpu"}, ""},
		"None":           {"There are no nodes.", nil, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCrossplane(object())
			c.settings.Config = map[string]any{"operator": map[string]any{"node_pool": map[string]any{"require_match": true, "label_prefix": "example.com"}}}
			for i, labels := range tc.nodes {
				c.put(node("n"+string(rune('0'+i)), labels))
			}
			answer := c.settle(t)
			if tc.want == "" {
				if got := answer.Conditions[1].Message; len(answer.Objects) != 0 || !strings.HasSuffix(got, ": no Node has the labels example.com/namespace=search-prod and example.com/type=general") {
					t.Errorf("\n%s\nwant nothing and the labels that were looked for, got %d objects and %q", tc.reason, len(answer.Objects), got)
				}
				return
			}
			if short(answer) != atRest {
				t.Fatalf("\n%s\nwant %s, got %s", tc.reason, atRest, short(answer))
			}
			spec, _ := c.objects["ValdRelease/search-prod-green-a"].Object["spec"].(map[string]any)
			selector := spec["agent"].(map[string]any)["nodeSelector"].(map[string]any)
			if got := selector["example.com/type"]; got != tc.want {
				t.Errorf("\n%s\nwant the agents on %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
