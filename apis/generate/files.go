package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

// Files are the generated files by their path below the root of the module.
func Files(root string) (map[string][]byte, error) {
	patterns := make([]string, 0)
	for _, path := range []string{"apis/chroma/v1alpha1", "apis/input/v1beta1"} {
		patterns = append(patterns, "./"+path)
	}

	var object genall.Generator = deepcopy.Generator{}
	runtime, err := genall.Generators{&object}.ForRootsWithConfig(&packages.Config{Dir: root}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("cannot load the types: %w", err)
	}
	out := memory{root: root, files: map[string]*bytes.Buffer{}}
	runtime.OutputRules = genall.OutputRules{Default: out}
	if failed := runtime.Run(); failed {
		return nil, fmt.Errorf("cannot generate deep copies: errors above")
	}
	files := map[string][]byte{}
	for path, content := range out.files {
		files[path] = content.Bytes()
	}
	return files, nil
}

// memory keeps generated code by path instead of writing it, so that a test can compare it.
type memory struct {
	root  string
	files map[string]*bytes.Buffer
}

// Open a file beside the package's sources.
func (m memory) Open(pkg *loader.Package, name string) (io.WriteCloser, error) {
	root, err := filepath.Abs(m.root)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Rel(root, filepath.Join(filepath.Dir(pkg.GoFiles[0]), name))
	if err != nil {
		return nil, err
	}
	buffer := &bytes.Buffer{}
	m.files[filepath.ToSlash(path)] = buffer
	return nopCloser{buffer}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
