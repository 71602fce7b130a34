package main

import (
	"fmt"
	"os"
	"path/filepath"

	xpv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	pkgmetav1 "github.com/crossplane/crossplane/apis/v2/pkg/meta/v1"
	pkgv1 "github.com/crossplane/crossplane/apis/v2/pkg/v1"
	"sigs.k8s.io/yaml"
)

// metaFile of a package.
const metaFile = "crossplane.yaml"

// A Configuration package of the project.
type Configuration struct {
	// Name of the package.
	Name string
	// Folders of its definitions and Compositions, below the root of the module.
	Folders []string
}

// configurations serve the same kinds, Chroma as an XR or as a claim. A cluster can have one of them.
func configurations() []Configuration {
	return []Configuration{
		{Name: "configuration-chroma", Folders: []string{"apis/chroma", "apis/vald"}},
		{Name: "configuration-chroma-claims", Folders: []string{"apis/claims", "apis/vald"}},
	}
}

// stageFunction copies the YAML of the Function package into a folder of its own: a package takes in every YAML below
// its root.
func (r Release) stageFunction(folder string) error {
	meta, err := os.ReadFile(filepath.Join(r.Root, "package", metaFile))
	if err != nil {
		return fmt.Errorf("cannot read the Function: %w", err)
	}

	if err := write(folder, metaFile, meta); err != nil {
		return err
	}

	return r.eachYAML("package/input", func(name string, content []byte) error { return write(folder, name, content) })
}

// stageConfiguration copies the YAML of a Configuration package into a folder of its own. It depends on the function of
// this release, and its Compositions call the function by the name it gets as a dependency.
func (r Release) stageConfiguration(c Configuration, folder string) error {
	content, err := os.ReadFile(filepath.Join(r.Root, metaFile))
	if err != nil {
		return fmt.Errorf("cannot read the Configuration: %w", err)
	}

	meta := &pkgmetav1.Configuration{}
	if err := yaml.UnmarshalStrict(content, meta); err != nil {
		return fmt.Errorf("cannot read the Configuration: %w", err)
	}

	meta.Name = c.Name
	if err := r.pinFunction(meta.Spec.DependsOn); err != nil {
		return err
	}

	if err := writeYAML(folder, metaFile, meta); err != nil {
		return err
	}

	for _, source := range c.Folders {
		err := r.eachYAML(source, func(name string, content []byte) error {
			name = filepath.Base(source) + "-" + name

			composition := &xpv1.Composition{}
			if err := yaml.Unmarshal(content, composition); err != nil {
				return fmt.Errorf("cannot read %s: %w", name, err)
			}

			if composition.Kind != xpv1.CompositionKind {
				return write(folder, name, content)
			}

			for i := range composition.Spec.Pipeline {
				composition.Spec.Pipeline[i].FunctionRef.Name = r.FunctionName()
			}

			return writeYAML(folder, name, composition)
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// pinFunction makes the dependency on the function one on this release.
func (r Release) pinFunction(dependencies []pkgmetav1.Dependency) error {
	for i := range dependencies {
		if d := &dependencies[i]; d.Kind != nil && *d.Kind == pkgv1.FunctionKind {
			pulled := r.Function.Name()
			d.Package, d.Version = &pulled, ">="+r.Version

			return nil
		}
	}

	return fmt.Errorf("cannot find the function among the dependencies in %s", metaFile)
}

// eachYAML of a folder below the root of the module, which must have some.
func (r Release) eachYAML(folder string, visit func(name string, content []byte) error) error {
	paths, err := filepath.Glob(filepath.Join(r.Root, folder, "*.yaml"))
	if err != nil {
		return fmt.Errorf("cannot list %s: %w", folder, err)
	}

	if len(paths) == 0 {
		return fmt.Errorf("cannot find any YAML in %s", folder)
	}

	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("cannot read the package's YAML: %w", err)
		}

		if err := visit(filepath.Base(path), content); err != nil {
			return err
		}
	}

	return nil
}

func writeYAML(folder, name string, object any) error {
	content, err := yaml.Marshal(object)
	if err != nil {
		return fmt.Errorf("cannot encode %s: %w", name, err)
	}

	return write(folder, name, content)
}

func write(folder, name string, content []byte) error {
	if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
		return fmt.Errorf("cannot stage a file of the package: %w", err)
	}

	return nil
}
