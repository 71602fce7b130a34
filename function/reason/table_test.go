package reason

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// constants of the given type that the package declares.
func constants(t *testing.T, kind string) map[string]string {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if ident, ok := spec.Type.(*ast.Ident); !ok || ident.Name != kind {
				return true
			}
			for i, name := range spec.Names {
				value, err := strconv.Unquote(spec.Values[i].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				found[value] = name.Name
			}
			return true
		})
	}
	return found
}

func TestEveryReasonHasAMeaningAndARemedy(t *testing.T) {
	declared := constants(t, "Reason")
	if len(declared) == 0 {
		t.Fatal("no reasons found")
	}
	for value, name := range declared {
		entry, ok := Lookup(Reason(value))
		if !ok {
			t.Errorf("reason %s (%s) is in no table", name, value)
			continue
		}
		if entry.Meaning == "" || entry.Remedy == "" {
			t.Errorf("reason %s (%s) lacks a meaning or a remedy: %+v", name, value, entry)
		}
		if value != name && !strings.HasSuffix(name, value) {
			t.Errorf("constant %s has the other value %s", name, value)
		}
	}
}

func TestTheTableHasEachReasonOnce(t *testing.T) {
	seen := map[Reason]bool{}
	for _, entry := range Table() {
		if seen[entry.Reason] {
			t.Errorf("reason %s is there twice", entry.Reason)
		}
		seen[entry.Reason] = true
	}
}

// TestEveryReasonUsedIsAConstantOfTheTable: a text in the place of a constant would be one that the table does not hold.
func TestEveryReasonUsedIsAConstantOfTheTable(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if filepath.Dir(path) == filepath.Join("..", "simulator") {
			return nil // It plays Crossplane and Kubernetes, which have reasons of their own.
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			var text ast.Expr
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if of, ok := n.X.(*ast.Ident); ok && of.Name == "reason" {
					used[n.Sel.Name] = true
				}
			case *ast.CallExpr:
				if of, ok := n.Fun.(*ast.SelectorExpr); ok && of.Sel.Name == "Reason" && len(n.Args) == 1 {
					text = n.Args[0]
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Reason" {
					text = n.Value
				}
			}
			if literal, ok := text.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				t.Errorf("%s: the reason %s is written as text", files.Position(literal.Pos()), literal.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for value, name := range constants(t, "Reason") {
		if _, found := Lookup(Reason(value)); used[name] && !found {
			t.Errorf("reason %s is used, and is in no table", name)
		}
		delete(used, name)
	}
	if len(used) == 0 {
		t.Error("no use of this package was found")
	}
}
