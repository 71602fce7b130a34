// Package component has the components of a distributed Chroma by both of their names: queryService in the spec and in
// the status, query-service for the workload and its Pods.
package component

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/plugin/exit"
)

// LabelApp of the Pods has the name of the workload.
const LabelApp = "app"

// Frontend that clients talk to.
const Frontend = chart.Frontend

// rewritten begins the names of some workloads, which are also known without it.
const rewritten = "rust-"

// A Component of a distributed Chroma.
type Component struct {
	// Name in the spec and in the status, like queryService.
	Name string
	// Kind and name of the workload, like StatefulSet query-service. The migration's is empty: a Job per version.
	Kind     chart.Kind
	Workload string
}

// All components of all versions that the plugin knows, in the order of the chart.
func All() []Component {
	var out []Component
	for _, version := range distributed.Versions() {
		for _, of := range version.Components {
			one := Component{Name: of.Name, Kind: of.Kind, Workload: of.Workload}
			if !slices.Contains(out, one) {
				out = append(out, one)
			}
		}
	}
	return out
}

// Migration of Postgres, which has a Job and Pods, and cannot be restarted.
func Migration() Component {
	return Component{Name: "migration", Workload: strings.TrimSuffix(chart.MigrationPrefix, "-")}
}

// Find a component by any of its names.
func Find(among []Component, name string) (Component, error) {
	for _, one := range among {
		if name == one.Name || name == one.Workload || name == strings.TrimPrefix(one.Workload, rewritten) {
			return one, nil
		}
	}
	return Component{}, exit.Errorf(exit.Usage, "there is no component %q, but %s", name, strings.Join(Names(among), ", "))
}

// Names of the spec and the status.
func Names(of []Component) []string {
	out := make([]string, 0, len(of))
	for _, one := range of {
		out = append(out, one.Name)
	}
	return out
}

// Complete the flag --component of a command with names.
func Complete(command *cobra.Command, among func() []Component) {
	_ = command.RegisterFlagCompletionFunc("component", func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		names := slices.DeleteFunc(Names(among()), func(name string) bool { return !strings.HasPrefix(name, typed) })
		return names, cobra.ShellCompDirectiveNoFileComp
	})
}

// WithPods are all that have Pods: the components and the migration.
func WithPods() []Component { return append(All(), Migration()) }
