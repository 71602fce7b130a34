package settings

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	input "github.com/function-chroma/function-chroma/apis/input/v1beta1"
)

// parseVald reads the part of the Input that is about Vald. The operator's configuration document and the template stay
// documents here: package vald knows what they may say.
func parseVald(in *input.Vald, out *Vald) field.ErrorList {
	if in == nil {
		return nil
	}
	path, invalid := field.NewPath("vald"), field.ErrorList{}
	var err *field.Error
	if out.Config, err = document(in.Config, path.Child("config")); err != nil {
		invalid = append(invalid, err)
	}
	if out.DefaultTemplate, err = document(in.DefaultTemplate, path.Child("defaultTemplate")); err != nil {
		invalid = append(invalid, err)
	}
	if from := in.DefaultTemplateFrom; from != nil {
		out.DefaultTemplateFrom = ConfigMapKey{Name: from.ConfigMap.Name, Key: from.ConfigMap.Key}
		if from.ConfigMap.Name == "" {
			invalid = append(invalid, field.Required(path.Child("defaultTemplateFrom", "configMap", "name"), "name the ConfigMap with the template"))
		}
		if from.ConfigMap.Key == "" {
			invalid = append(invalid, field.Required(path.Child("defaultTemplateFrom", "configMap", "key"), "name the key with the template"))
		}
		if in.DefaultTemplate != nil {
			invalid = append(invalid, field.Forbidden(path.Child("defaultTemplateFrom"), "set it or defaultTemplate, not both"))
		}
	}
	switch in.Delivery {
	case input.DeliveryObjects:
		out.DeliverObjects = true
	case input.DeliveryLocal, "":
	default:
		invalid = append(invalid, field.NotSupported(path.Child("delivery"), in.Delivery, []input.Delivery{input.DeliveryLocal, input.DeliveryObjects}))
	}
	out.ProviderConfigName = in.ProviderConfigName
	return invalid
}

func document(raw *runtime.RawExtension, path *field.Path) (map[string]any, *field.Error) {
	if raw == nil {
		return nil, nil
	}
	var out map[string]any
	if err := json.Unmarshal(raw.Raw, &out); err != nil {
		return nil, field.Invalid(path, string(raw.Raw), "must be a document with keys and values")
	}
	return out, nil
}
