package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"

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

	patterns := []string{"./" + inputPackage}
	for _, kind := range kinds() {
		patterns = append(patterns, "./"+kind.Package)
	}
	// The schema generator is listed for its markers and its filter of types alone: its own output is a CRD.
	runtime, err := genall.Generators{&object, &schema}.ForRootsWithConfig(&packages.Config{Dir: root}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("cannot load the types: %w", err)
	}

	files := map[string][]byte{}
	if err := addDeepCopies(files, root, object, &runtime.GenerationContext); err != nil {
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
func addDeepCopies(files map[string][]byte, root string, object genall.Generator, base *genall.GenerationContext) error {
	out := memory{root: root, buffers: map[string]*bytes.Buffer{}}
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
	for name, buffer := range out.buffers {
		files[name] = buffer.Bytes()
	}
	return nil
}

// memory keeps generated code by path instead of writing it, so that a test can compare it.
type memory struct {
	root    string
	buffers map[string]*bytes.Buffer
}

// Open a file beside the package's sources.
func (m memory) Open(pkg *loader.Package, name string) (io.WriteCloser, error) {
	if pkg == nil || len(pkg.GoFiles) == 0 {
		return nil, errors.New("cannot place generated code: no package with sources")
	}
	relative, err := filepath.Rel(m.root, filepath.Join(filepath.Dir(pkg.GoFiles[0]), name))
	if err != nil {
		return nil, fmt.Errorf("cannot place generated code: %w", err)
	}
	buffer := &bytes.Buffer{}
	m.buffers[filepath.ToSlash(relative)] = buffer
	return nopCloser{buffer}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
