// chart-render prints what Helm makes of a chart: chart-render CHART VALUES... The later files win.
//
// It is Helm's engine without a cluster, and it reads values files the way Helm does: for `make chart-parity`.
package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: chart-render CHART VALUES...")
		os.Exit(2)
	}
	if err := render(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(folder string, files []string) error {
	chart, err := loader.Load(folder)
	if err != nil {
		return fmt.Errorf("cannot load chart %s: %w", folder, err)
	}
	values := chartutil.Values{}
	for _, file := range files {
		over, err := chartutil.ReadValuesFile(file)
		if err != nil {
			return fmt.Errorf("cannot read values %s: %w", file, err)
		}
		values = chartutil.CoalesceTables(over, values)
	}
	options := chartutil.ReleaseOptions{Name: "chroma", Namespace: "default", Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(chart, values, options, chartutil.DefaultCapabilities)
	if err != nil {
		return fmt.Errorf("cannot merge values: %w", err)
	}
	rendered, err := engine.Render(chart, all)
	if err != nil {
		return fmt.Errorf("cannot render chart: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(rendered)) {
		if path.Ext(name) == ".yaml" {
			fmt.Printf("---\n# Source: %s\n%s\n", name, rendered[name])
		}
	}
	return nil
}
