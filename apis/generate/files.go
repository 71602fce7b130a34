package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"golang.org/x/tools/go/packages"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/function-chroma/function-chroma/apis/definition"
)

// generate gives the generated files by their slash-separated path below the root of the module.
func generate(root string) (map[string][]byte, error) {
	var object genall.Generator = deepcopy.Generator{}
	var schema genall.Generator = crd.Generator{}

	patterns := make([]string, 0, len(sources()))
	for _, source := range sources() {
		patterns = append(patterns, "./"+source)
	}
	// The schema generator is listed for its markers and its filter of types alone: its own output is a CRD.
	runtime, err := genall.Generators{&object, &schema}.ForRootsWithConfig(&packages.Config{Dir: root}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("cannot load the types: %w", err)
	}

	files := map[string][]byte{}
	if err := addDeepCopies(files, object, &runtime.GenerationContext); err != nil {
		return nil, err
	}

	definitions := parse(&runtime.GenerationContext)
	for _, kind := range kinds() {
		if err := addKind(files, kind, definitions); err != nil {
			return nil, fmt.Errorf("cannot generate %s: %w", kind.Name, err)
		}
	}
	if err := addDefaults(files); err != nil {
		return nil, err
	}
	return files, addInput(files, definitions)
}

// addDefaults adds the defaults of the kinds that the function sees, derived from the definitions just generated.
func addDefaults(files map[string][]byte) error {
	crds := []*extv1.CustomResourceDefinition{}
	for _, kind := range definition.Kinds() {
		if kind == definition.KindChromaClaim {
			continue
		}
		crd, err := definition.Derive(kind, files["apis/"+kind.Path()])
		if err != nil {
			return err
		}
		crds = append(crds, crd)
	}
	document, err := definition.MarshalDefaults(crds...)
	if err != nil {
		return err
	}
	files["apis/definition/defaults.json"] = document
	return nil
}

// addKind adds the definitions and Compositions of a kind.
func addKind(files map[string][]byte, kind Kind, definitions parsed) error {
	definition, err := definitions.find(kind.Package, kind.Name)
	if err != nil {
		return err
	}
	if files[path.Join(kind.Folder, "definition.yaml")], err = namespacedDefinition(definition); err != nil {
		return err
	}
	if files[path.Join(kind.Folder, "composition.yaml")], err = composition(kind, definition, kind.Name); err != nil {
		return err
	}
	if kind.ClaimFolder == "" {
		return nil
	}
	if files[path.Join(kind.ClaimFolder, "definition.yaml")], err = claimDefinition(definition); err != nil {
		return err
	}
	files[path.Join(kind.ClaimFolder, "composition.yaml")], err = composition(kind, definition, compositePrefix+kind.Name)
	return err
}

// addDeepCopies adds the deep copies of every package that asks for them.
func addDeepCopies(files map[string][]byte, object genall.Generator, base *genall.GenerationContext) error {
	out := memory{}
	context := *base
	context.OutputRule = out
	if err := object.Generate(&context); err != nil {
		return fmt.Errorf("cannot generate the deep copies: %w", err)
	}
	for _, pkg := range context.Roots {
		for _, problem := range pkg.Errors {
			// Types that miss the very methods to be generated are no problem here.
			if problem.Kind != packages.TypeError {
				return fmt.Errorf("cannot generate the deep copies: %w", problem)
			}
		}
	}
	for _, source := range sources() {
		for file, buffer := range out {
			if strings.HasSuffix(path.Dir(file), "/"+source) {
				files[path.Join(source, path.Base(file))] = buffer.Bytes()
			}
		}
	}
	return nil
}

// memory keeps generated code, by the path of its package and its name, instead of writing it, so that a test can compare it.
type memory map[string]*bytes.Buffer

// Open a file beside the package's sources.
func (m memory) Open(pkg *loader.Package, name string) (io.WriteCloser, error) {
	if pkg == nil {
		return nil, errors.New("cannot place generated code: it belongs to no package")
	}
	buffer := &bytes.Buffer{}
	m[path.Join(pkg.PkgPath, name)] = buffer
	return nopCloser{buffer}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
