package singlenode

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/function-chroma/function-chroma/"

// sources of a folder and those below it, without tests.
func sources(t *testing.T, folder string) map[string]*ast.File {
	t.Helper()
	out := map[string]*ast.File{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		out[path], err = parser.ParseFile(token.NewFileSet(), path, nil, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("%s has no sources", folder)
	}
	return out
}

// imports of a file.
func imports(t *testing.T, file *ast.File) []string {
	t.Helper()
	var out []string
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, path)
	}
	return out
}

// impure says whether a package has to do with the world outside: the network, files, the clock, a log, chance, or the
// protocol of Crossplane.
func impure(path string) bool {
	for _, outside := range []string{
		"net", "os", "io", "log", "math/rand", "crypto/rand", "context", "syscall", "runtime", "google.golang.org", "github.com/crossplane", "k8s.io/klog",
		"sigs.k8s.io/controller-runtime", "k8s.io/client-go",
	} {
		if path == outside || strings.HasPrefix(path, outside+"/") {
			return !strings.HasPrefix(path, "k8s.io/client-go/applyconfigurations") && path != "net/url"
		}
	}
	return false
}

// TestTheDecisionIsPure: what it decides comes from what it is given, and from nothing else.
func TestTheDecisionIsPure(t *testing.T) {
	for _, folder := range []string{".", "../ledger", "../image", "../compatibility", "../reason", "../refusal"} {
		for path, file := range sources(t, folder) {
			if strings.Contains(path, "generate") {
				continue // A program that writes a page.
			}
			for _, imported := range imports(t, file) {
				if impure(imported) {
					t.Errorf("%s imports %s", path, imported)
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.SelectorExpr); ok {
					of, _ := call.X.(*ast.Ident)
					if of != nil && of.Name == "time" && (call.Sel.Name == "Now" || call.Sel.Name == "Since" || call.Sel.Name == "Until") {
						t.Errorf("%s looks at the clock", path)
					}
				}
				return true
			})
		}
	}
}

// TestThePluginImportsTheDecision, so that it gives the function's own answer.
func TestThePluginImportsTheDecision(t *testing.T) {
	wanted := map[string]bool{"composition": true, "ledger": true, "image": true, "compatibility": true, "reason": true}
	for _, file := range sources(t, "../../plugin") {
		for _, imported := range imports(t, file) {
			delete(wanted, strings.TrimPrefix(imported, module+"function/"))
		}
	}
	for name := range wanted {
		t.Errorf("the plugin does not import function/%s", name)
	}
	whole := false
	for _, file := range sources(t, "../composition") {
		for _, imported := range imports(t, file) {
			whole = whole || imported == module+"function/singlenode"
		}
	}
	if !whole {
		t.Error("the composition, which the plugin runs, does not import this decision")
	}
}
