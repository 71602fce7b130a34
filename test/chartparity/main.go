// Chartparity compares the objects of a version with those that Helm makes of the chart in a checkout of Chroma, and
// prints the differences. It is how a maintainer adds a version: derive its folder from the one before, compare with
// the checkout of its commit, and mend it until nothing is printed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/test/chartparity/comparison"
)

func main() {
	checkout := flag.String("checkout", "", "folder of a checkout of Chroma at the version's commit")
	commit := flag.String("version", "", "version to compare")
	render := flag.String("render", "", "path of the tool chart-render")
	flag.Parse()
	differences, err := run(context.Background(), *checkout, *commit, *render)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case differences != "":
		_, _ = io.WriteString(os.Stdout, differences)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "The objects of version %s equal those of the chart.\n", *commit)
}

func run(ctx context.Context, checkout, commit, render string) (string, error) {
	version, known := distributed.Version(commit)
	if !known {
		return "", fmt.Errorf("cannot compare version %q: this function does not know it", commit)
	}
	upstream, err := readCheckout(checkout)
	if err != nil {
		return "", err
	}
	var differences strings.Builder
	for _, sample := range samples(version) {
		difference, err := compare(ctx, upstream, version, sample, render)
		if err != nil {
			return "", fmt.Errorf("cannot compare Chroma %s: %w", sample.Name, err)
		}
		if difference != "" {
			fmt.Fprintf(&differences, "Chroma %s\n%s", sample.Name, difference)
		}
	}
	return differences.String(), nil
}

func compare(ctx context.Context, upstream upstream, version chart.Version, sample v1alpha1.Chroma, render string) (string, error) {
	values, err := chart.Derive(sample.Name, sample.Namespace, *sample.Spec.Distributed, version, distributed.Versions())
	if err != nil {
		return "", fmt.Errorf("cannot derive its values: %w", err)
	}
	// With the credentials known, the checksums are among what is stripped.
	values.Checksums = chart.Checksums{Postgres: "1", S3: "2"}
	got, err := comparison.Built(version.Objects(values))
	if err != nil {
		return "", err
	}
	derived, err := upstream.helmValues(version, values)
	if err != nil {
		return "", err
	}
	rendered, err := upstream.render(ctx, render, derived)
	if err != nil {
		return "", err
	}
	want, err := chartObjects(rendered, sample.Name)
	if err != nil {
		return "", err
	}
	return comparison.Difference(want, got), nil
}

// chartObjects are those that Helm prints, with what is meant to differ: no Namespace, the label of the Chroma, and
// empty MemberLists whose members are [], since server-side apply refuses null there.
func chartObjects(rendered []byte, name string) (comparison.Objects, error) {
	objects, err := comparison.Read(rendered)
	if err != nil {
		return nil, err
	}
	for key, object := range objects {
		if object["kind"] == "Namespace" {
			delete(objects, key)
			continue
		}
		set(object, name, "metadata", "labels", v1alpha1.LabelChroma)
		if object["kind"] == chart.KindMemberList {
			set(object, []any{}, "spec", "members")
		}
	}
	return objects, nil
}

// set a value below a path, whose maps are made where they are missing.
func set(object map[string]any, value any, path ...string) {
	for _, key := range path[:len(path)-1] {
		child, ok := object[key].(map[string]any)
		if !ok {
			child = map[string]any{}
			object[key] = child
		}
		object = child
	}
	object[path[len(path)-1]] = value
}

// upstream is what a checkout has.
type upstream struct {
	chart, development string
	// defaults of values.dev.yaml over values.yaml, at the top of each component.
	defaults map[string]map[string]any
	// frontend and worker are Chroma's two config files.
	frontend, worker []byte
}

func readCheckout(checkout string) (upstream, error) {
	if checkout == "" {
		return upstream{}, errors.New("cannot compare without a checkout of Chroma: make chart-parity CHART=<checkout>")
	}
	folder := filepath.Join(checkout, "k8s", "distributed-chroma")
	u := upstream{chart: folder, development: filepath.Join(folder, "values.dev.yaml"), defaults: map[string]map[string]any{}}
	for _, name := range []string{"values.yaml", "values.dev.yaml"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return upstream{}, fmt.Errorf("cannot read the chart's values: %w", err)
		}
		var values map[string]any
		if err := yaml.Unmarshal(text, &values); err != nil {
			return upstream{}, fmt.Errorf("cannot read %s: %w", name, err)
		}
		for key, value := range values {
			component, _ := value.(map[string]any)
			for field, content := range component {
				if u.defaults[key] == nil {
					u.defaults[key] = map[string]any{}
				}
				u.defaults[key][field] = content
			}
		}
	}
	var err error
	if u.frontend, err = os.ReadFile(filepath.Join(checkout, "rust", "frontend", "sample_configs", "distributed.yaml")); err != nil {
		return upstream{}, fmt.Errorf("cannot read the frontend's config file: %w", err)
	}
	if u.worker, err = os.ReadFile(filepath.Join(checkout, "rust", "worker", "chroma_config.yaml")); err != nil {
		return upstream{}, fmt.Errorf("cannot read the worker's config file: %w", err)
	}
	return u, nil
}

// render the chart with the derived values over values.dev.yaml.
func (u upstream) render(ctx context.Context, tool string, derived []byte) ([]byte, error) {
	file, err := os.CreateTemp("", "chart-parity-*.yaml")
	if err != nil {
		return nil, fmt.Errorf("cannot write the derived values: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if _, err := file.Write(derived); err != nil {
		return nil, fmt.Errorf("cannot write the derived values: %w", err)
	}
	if err := file.Close(); err != nil {
		return nil, fmt.Errorf("cannot write the derived values: %w", err)
	}
	command := exec.CommandContext(ctx, tool, u.chart, u.development, file.Name())
	command.Stderr = os.Stderr
	rendered, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("cannot render the chart: %w", err)
	}
	return rendered, nil
}
