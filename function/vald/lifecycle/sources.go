package lifecycle

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/vald"
	"github.com/function-chroma/function-chroma/function/vald/config"
)

// template over which everything is layered. It is false when the ConfigMap that has it was not answered yet.
func (w world) template() (map[string]any, bool, error) {
	if w.settings.DefaultTemplate != nil {
		return w.settings.DefaultTemplate, true, nil
	}
	if from := w.settings.DefaultTemplateFrom; from.Name != "" {
		found := w.required[askTemplate]
		if !found.Answered {
			return nil, false, nil
		}
		if found.Absent() {
			return nil, false, fmt.Errorf("cannot read the default template: there is no ConfigMap %s in the namespace", from.Name)
		}
		text, ok, _ := unstructured.NestedString(found.Object().Object, "data", from.Key)
		if !ok {
			return nil, false, fmt.Errorf("cannot read the default template: the ConfigMap %s has no key %s", from.Name, from.Key)
		}
		template, err := config.ParseTemplate([]byte(text))
		return template, true, err
	}
	if w.settings.DefaultTemplateFile != nil {
		template, err := config.ParseTemplate(w.settings.DefaultTemplateFile)
		return template, true, err
	}
	return config.ShippedTemplate(), true, nil
}

// capability of the nodes. It is false when they were asked for and not answered yet.
func (w world) capability() (vald.Capability, bool) {
	if !w.config.NodePool.RequireMatch {
		return vald.Capability{}, true
	}
	found := w.required[askNodes]
	var out vald.Capability
	for _, node := range found.Objects {
		switch node.GetLabels()[w.config.NodePool.Key(valdv1.LabelType)] {
		case valdv1.PoolGeneral:
			out.General = true
		case valdv1.PoolAgent:
			out.Agent = true
		}
	}
	return out, found.Answered
}

// missingNodes says which labels were looked for.
func (w world) missingNodes() string {
	key := w.config.NodePool.Key
	return fmt.Sprintf("no Node has the labels %s=%s and %s=%s", key(valdv1.LabelNamespace), w.vor.GetNamespace(), key(valdv1.LabelType), valdv1.PoolGeneral)
}
