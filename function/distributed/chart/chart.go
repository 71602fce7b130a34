// Package chart gives the objects of Chroma's chart distributed-chroma for the values that a Chroma decides.
//
// A version is a value: its components, accounts, config files and field table. The folders beside this file have one
// version each, named after the commit of Chroma whose images run. The builders here are shared. The objects are those
// that helm template gives for the chart with its values.dev.yaml and the derived values, less its Namespace and with
// the additions of additions.go.
//
// Versions are keyed by commit, since the chart's own version does not identify its output: dev values and config files
// move upstream without a bump.
package chart

import (
	corev1 "k8s.io/api/core/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applyrbacv1 "k8s.io/client-go/applyconfigurations/rbac/v1"
)

// CommitLength is the number of characters by which Chroma tags its images.
const CommitLength = 7

// A Version of distributed Chroma.
type Version struct {
	// Commit of Chroma, its first 7 characters: the tag of the images.
	Commit string

	// Chart is the version of the chart whose output the objects are.
	Chart string

	// NotCompared says why the objects could not be compared with the version's own chart. Empty: they were.
	NotCompared string

	// Components by the order in which they are listed.
	Components []Component

	// Migration of Postgres, before all components.
	Migration Migration

	// Roles and Bindings of the components' ServiceAccounts.
	Roles    []Role
	Bindings []Binding

	// roles of the objects of the version. Set by WithRenderings.
	roles map[string]bool
}

// Component finds a component by its name.
func (v Version) Component(name string) (Component, bool) {
	for _, component := range v.Components {
		if component.Name == name {
			return component, true
		}
	}
	return Component{}, false
}

// Images that the version runs from a registry path like docker.io/chromadb, in the order of the components, the
// migration last.
func (v Version) Images(registry string) []string {
	images := make([]string, 0, len(v.Components)+1)
	for _, component := range v.Components {
		images = append(images, v.image(registry, component.Image))
	}
	return append(images, v.image(registry, v.Migration.Image))
}

func (v Version) image(registry, repository string) string {
	return registry + "/" + repository + ":" + v.Commit
}

// A Kind of workload.
type Kind string

// The kinds of workloads.
const (
	Deployment  Kind = "Deployment"
	StatefulSet Kind = "StatefulSet"
)

// A Component of distributed Chroma: a workload with its ServiceAccount, ConfigMap, Service and MemberList.
type Component struct {
	// Name in spec.distributed and in status.components.
	Name string
	// Kind and Workload are the kind and name of the workload, which is also the name of its container and the value
	// of the label app.
	Kind     Kind
	Workload string
	// Labels of the workload's own metadata, beside ours.
	Labels map[string]string
	// Image is the published repository below the registry path.
	Image string
	// Tier in the order of start and update.
	Tier Tier
	// Fields that the chart has for this component.
	Fields Fields
	// Replicas by default.
	Replicas int32
	// Resources by default, cpu and memory only.
	Limits, Requests corev1.ResourceList
	// ServiceAccount of the Pods.
	ServiceAccount string
	// Command of the container. Nil: the image's own.
	Command func(Values) []string
	// Environment of the container.
	Environment func(Values) []*applycorev1.EnvVarApplyConfiguration
	// Ports of the container.
	Ports []*applycorev1.ContainerPortApplyConfiguration
	// Readiness of the container.
	Readiness *applycorev1.ProbeApplyConfiguration
	// Config mounted on /config/. Nil: none.
	Config *ConfigFile
	// Cache is a path of the node mounted on /cache/. Empty: none.
	Cache string
	// MemberType is the label of the Pods by which the sysdb finds the members. Empty: none.
	MemberType string
	// MemberList that the sysdb keeps of the ready Pods. Empty: none.
	MemberList string
	// ServiceName of a StatefulSet.
	ServiceName string
	// UpdateStrategy of a StatefulSet, where the chart sets it.
	UpdateStrategy string
	// Service of the component. Nil: none.
	Service *Service
	// Rendering is a fingerprint of the component as it is rendered for one fixed set of values. Set by WithRenderings.
	Rendering string
}

// ConfigFile is the ConfigMap of a component.
type ConfigFile struct {
	// Name of the ConfigMap and of its volume.
	Name string
	// Content of its one key, config.yaml.
	Content *Config
}

// Service of a component.
type Service struct {
	// Headless gives every Pod its own address.
	Headless bool
	// Type, where the chart sets it.
	Type corev1.ServiceType
	// Port of the Service and of the Pods.
	Port *applycorev1.ServicePortApplyConfiguration
}

// Migration of Postgres by a Job.
type Migration struct {
	// Image is the published repository below the registry path.
	Image string
	// Args and Environment of the container.
	Args        func(Values) []string
	Environment func(Values) []*applycorev1.EnvVarApplyConfiguration
	// Latest revision that the version's migrations bring, as the migration tool records it.
	Latest string
}

// A Role of the chart.
type Role struct {
	Name string
	Rule *applyrbacv1.PolicyRuleApplyConfiguration
}

// A Binding of a Role to a ServiceAccount.
type Binding struct {
	Name, Role, ServiceAccount string
}

// Fields of a component that a version has, beside its resources, which every component has.
type Fields struct {
	Replicas, NodeSelector, Tolerations, Affinity bool
}

// A Tier in the order of start and update: each follows when the one before is updated and ready.
type Tier int

// The tiers.
const (
	// TierFoundation has what nothing waits for: accounts, rights, Services, MemberLists.
	TierFoundation Tier = iota
	// TierMigration is the Job that migrates Postgres.
	TierMigration
	// TierSysDB needs Postgres migrated, and the bucket.
	TierSysDB
	// TierLog finds its members through the sysdb.
	TierLog
	// TierWorkers are query, compaction, garbage collector, work queue and fn-consumer.
	TierWorkers
	// TierFrontend answers clients, so it comes last.
	TierFrontend
)
