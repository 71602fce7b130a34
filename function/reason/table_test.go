package reason

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
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
