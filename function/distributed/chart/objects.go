package chart

import (
	"strings"

	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
)

// An Object of the chart.
type Object struct {
	// Role is the composition-resource-name.
	Role string
	// Tier in the order of start and update.
	Tier Tier
	// APIVersion, Kind and Name of the object.
	APIVersion, Kind, Name string
	// Component the object belongs to, by name. Empty: none.
	Component string
	// UserHash of what the user decides about the Pods of a workload or Job. Empty for all others.
	UserHash string
	// Manifest is an apply configuration, or a map[string]any for a MemberList.
	Manifest any
}

// RoleOf the object of a kind and name. Roles are an interface: Crossplane finds the composed object by it.
func RoleOf(kind, name string) string { return strings.ToLower(kind) + "-" + name }

// Kinds of the objects that are told apart by their kind.
const (
	KindConfigMap      = "ConfigMap"
	KindJob            = "Job"
	KindMemberList     = "MemberList"
	KindRole           = "Role"
	KindRoleBinding    = "RoleBinding"
	KindService        = "Service"
	KindServiceAccount = "ServiceAccount"
)

// API versions of the objects.
const (
	apiCore   = "v1"
	apiApps   = "apps/v1"
	apiBatch  = "batch/v1"
	apiAccess = "rbac.authorization.k8s.io/v1"
)

// Objects of the version for the values of a Chroma, tier by tier.
func (v Version) Objects(values Values) []Object {
	objects := make([]Object, 0, 80)
	objects = append(objects, v.foundation(values)...)
	objects = append(objects, v.migration(values))
	files := make(configFiles, 2)
	for tier := TierSysDB; tier <= TierFrontend; tier++ {
		for _, component := range v.Components {
			if component.Tier == tier {
				objects = append(objects, v.componentObjects(component, values, files)...)
			}
		}
	}
	return objects
}

// foundation has what no tier waits for.
func (v Version) foundation(values Values) []Object {
	objects := make([]Object, 0, len(v.Roles)+len(v.Bindings)+3*len(v.Components))
	for _, component := range v.Components {
		objects = append(objects, Object{
			Role: RoleOf(KindServiceAccount, component.ServiceAccount), Tier: TierFoundation,
			APIVersion: apiCore, Kind: KindServiceAccount, Name: component.ServiceAccount, Component: component.Name,
			Manifest: applycorev1.ServiceAccount(component.ServiceAccount, values.Namespace).WithLabels(labels(values)),
		})
		if component.MemberList != "" {
			objects = append(objects, memberList(component, values))
		}
		if component.Service != nil {
			objects = append(objects, service(component, values))
		}
	}
	return append(objects, v.access(values)...)
}

func service(component Component, values Values) Object {
	spec := applycorev1.ServiceSpec().
		WithPorts(component.Service.Port).
		WithSelector(map[string]string{labelApp: component.Workload})
	if component.Service.Headless {
		spec.WithClusterIP("None")
	}
	if component.Service.Type != "" {
		spec.WithType(component.Service.Type)
	}
	// A Service has the name of its workload.
	return Object{
		Role: RoleOf(KindService, component.Workload), Tier: TierFoundation,
		APIVersion: apiCore, Kind: KindService, Name: component.Workload, Component: component.Name,
		Manifest: applycorev1.Service(component.Workload, values.Namespace).WithLabels(labels(values)).WithSpec(spec),
	}
}

// componentObjects are the workload and the ConfigMap that goes with it.
func (v Version) componentObjects(component Component, values Values, files configFiles) []Object {
	if component.Config == nil {
		return []Object{v.workload(component, values, configFile{})}
	}
	file := files.write(component.Config.Content, values)
	return []Object{
		{
			Role: RoleOf(KindConfigMap, component.Config.Name), Tier: component.Tier,
			APIVersion: apiCore, Kind: KindConfigMap, Name: component.Config.Name, Component: component.Name,
			Manifest: applycorev1.ConfigMap(component.Config.Name, values.Namespace).
				WithLabels(labels(values)).
				WithData(map[string]string{configKey: file.text}),
		},
		v.workload(component, values, file),
	}
}

// configFiles are written once for all ConfigMaps that share them.
type configFiles map[*Config]configFile

type configFile struct{ text, checksum string }

func (f configFiles) write(config *Config, values Values) configFile {
	file, ok := f[config]
	if !ok {
		file.text = config.Text(values)
		file.checksum = checksum(file.text)
		f[config] = file
	}
	return file
}
