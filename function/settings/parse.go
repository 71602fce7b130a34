package settings

import (
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	strictjson "sigs.k8s.io/json"

	input "github.com/function-chroma/function-chroma/apis/input/v1beta1"
	"github.com/function-chroma/function-chroma/function/distributed/checks/hosts"
	"github.com/function-chroma/function-chroma/function/image"
	"github.com/function-chroma/function-chroma/function/vald/config"
)

// Defaults of what neither the Input nor the environment says.
const (
	DefaultImage              = "docker.io/chromadb/chroma:1.5.9"
	DefaultProviderConfigName = "default"
	// DefaultID of the user and groups of the server.
	DefaultID int64 = 1000
)

// Environment is what the environment and the flags of the function's process say.
type Environment struct {
	// DefaultImage of a Chroma without spec.image (CHROMA_DEFAULT_IMAGE).
	DefaultImage string
	// AllowedImages are the repositories that may run (CHROMA_ALLOWED_IMAGES, separated by commas).
	AllowedImages []string
	// ChecksDisabled (--checks=Disabled) overrules the Input: rendering in CI connects to nothing.
	ChecksDisabled bool
	// Vald has the variables that the Vald operator's documentation names.
	Vald config.Environment
}

// Parse the Input of a composition step, given as plain JSON values; nil without one. Unknown keys and bad values are
// refused with their path.
func Parse(content map[string]any, environment Environment) (Settings, error) {
	in := input.Input{}
	if content != nil {
		raw, err := json.Marshal(content)
		if err != nil {
			return Settings{}, fmt.Errorf("cannot read the Input: %w", err)
		}
		unknown, err := strictjson.UnmarshalStrict(raw, &in, strictjson.DisallowUnknownFields, strictjson.DisallowDuplicateFields)
		if err = errors.Join(append(unknown, err)...); err != nil {
			return Settings{}, fmt.Errorf("cannot read the Input: %w", err)
		}
	}
	out := Settings{
		Claims: Claims{
			ProviderConfig: ProviderConfig{Kind: string(input.ProviderConfigKindCluster), Name: DefaultProviderConfigName},
			AccessMode:     corev1.ReadWriteOnce,
		},
	}
	var invalid field.ErrorList
	invalid = append(invalid, parseImages(&in, environment, &out)...)
	invalid = append(invalid, parseClaims(in.Claims, &out.Claims)...)
	invalid = append(invalid, parseSecurity(in.Security, &out.Security)...)
	invalid = append(invalid, parseChecks(in.Checks, environment, &out.Checks)...)
	out.Vald.Environment = environment.Vald
	invalid = append(invalid, parseVald(in.Vald, &out.Vald)...)
	if len(invalid) > 0 {
		return Settings{}, fmt.Errorf("cannot use the Input: %w", invalid.ToAggregate())
	}
	return out, nil
}

func parseImages(in *input.Input, environment Environment, out *Settings) field.ErrorList {
	path := field.NewPath("images")
	out.Images.Default = DefaultImage
	if environment.DefaultImage != "" {
		out.Images.Default = environment.DefaultImage
	}
	allowed, from := image.DefaultRepositories(), path.Child("allowed")
	if len(environment.AllowedImages) > 0 {
		allowed, from = environment.AllowedImages, field.NewPath("CHROMA_ALLOWED_IMAGES")
	}
	if in.Images != nil {
		if in.Images.Default != "" {
			out.Images.Default = in.Images.Default
		}
		if in.Images.Allowed != nil {
			allowed, from = in.Images.Allowed, path.Child("allowed")
		}
	}
	var err error
	if out.Images.Allowed, err = image.ParseAllowList(allowed); err != nil {
		return field.ErrorList{field.Invalid(from, allowed, err.Error())}
	}
	if _, err := image.Parse(out.Images.Default); err != nil {
		return field.ErrorList{field.Invalid(path.Child("default"), out.Images.Default, err.Error())}
	}
	return nil
}

func parseClaims(in *input.Claims, out *Claims) field.ErrorList {
	if in == nil {
		return nil
	}
	path, invalid := field.NewPath("claims"), field.ErrorList{}
	switch in.AccessMode {
	case corev1.ReadWriteOnce, corev1.ReadWriteOncePod:
		out.AccessMode = in.AccessMode
	case "":
	default:
		invalid = append(invalid, field.NotSupported(path.Child("accessMode"), in.AccessMode,
			[]corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadWriteOncePod}))
	}
	ref := in.ProviderConfigRef
	if ref == nil {
		return invalid
	}
	switch ref.Kind {
	case input.ProviderConfigKindNamespaced, input.ProviderConfigKindCluster:
		out.ProviderConfig.Kind = string(ref.Kind)
	case "":
	default:
		invalid = append(invalid, field.NotSupported(path.Child("providerConfigRef", "kind"), ref.Kind,
			[]input.ProviderConfigKind{input.ProviderConfigKindNamespaced, input.ProviderConfigKindCluster}))
	}
	if ref.Name != "" {
		out.ProviderConfig.Name = ref.Name
	}
	return invalid
}

func parseSecurity(in *input.Security, out *Security) field.ErrorList {
	id := DefaultID
	if in == nil {
		*out = Security{RunAsUser: &id, RunAsGroup: &id, FSGroup: &id}
		return nil
	}
	path := field.NewPath("security")
	var invalid field.ErrorList
	for _, id := range []struct {
		name  string
		value *int64
	}{{"runAsUser", in.RunAsUser}, {"runAsGroup", in.RunAsGroup}, {"fsGroup", in.FSGroup}} {
		if id.value != nil && *id.value < 1 {
			invalid = append(invalid, field.Invalid(path.Child(id.name), *id.value, "must be at least 1: the server never runs as root"))
		}
	}
	switch in.Assignment {
	case input.IDAssignmentPlatform:
		if in.RunAsUser != nil || in.RunAsGroup != nil || in.FSGroup != nil {
			invalid = append(invalid, field.Forbidden(path, "with assignment Platform leave out runAsUser, runAsGroup and fsGroup: the platform assigns them"))
		}
	case input.IDAssignmentFunction, "":
		*out = Security{RunAsUser: orElse(in.RunAsUser, id), RunAsGroup: orElse(in.RunAsGroup, id), FSGroup: orElse(in.FSGroup, id)}
	default:
		invalid = append(invalid, field.NotSupported(path.Child("assignment"), in.Assignment,
			[]input.IDAssignment{input.IDAssignmentFunction, input.IDAssignmentPlatform}))
	}
	return invalid
}

func parseChecks(in *input.Checks, environment Environment, out *Checks) field.ErrorList {
	out.Disabled = environment.ChecksDisabled
	if in == nil {
		return nil
	}
	var invalid field.ErrorList
	if in.Hosts != nil {
		path := field.NewPath("checks", "hosts")
		invalid = append(invalid, validateHosts(path.Child("allowed"), in.Hosts.Allowed)...)
		invalid = append(invalid, validateHosts(path.Child("denied"), in.Hosts.Denied)...)
		out.HostsAllowed, out.HostsDenied = in.Hosts.Allowed, in.Hosts.Denied
	}
	switch in.Mode {
	case input.CheckModeDisabled:
		out.Disabled = true
	case input.CheckModeEnabled, "":
	default:
		invalid = append(invalid, field.NotSupported(field.NewPath("checks", "mode"), in.Mode, []input.CheckMode{input.CheckModeEnabled, input.CheckModeDisabled}))
	}
	return invalid
}

func validateHosts(path *field.Path, entries []string) field.ErrorList {
	var invalid field.ErrorList
	for i, entry := range entries {
		if !hosts.Valid(entry) {
			invalid = append(invalid, field.Invalid(path.Index(i), entry, "is no host name, no *.<domain>, no address and no network"))
		}
	}
	return invalid
}

func orElse(value *int64, otherwise int64) *int64 {
	if value != nil {
		return value
	}
	return &otherwise
}
