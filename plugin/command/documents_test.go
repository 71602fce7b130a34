package command_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// documents are what --output json and yaml print, as their types say it.
func documents(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	out.WriteString(`<!-- Generated from plugin/api/v1 by UPDATE=1 go test ./plugin/command. -->

# Output for programs

What ` + "`--output json` and `--output yaml`" + ` print. Every document has an ` + "`apiVersion`, `plugin.chroma.chromadotnet.org/v1`" + `, and a
` + "`kind`" + `. Fields are added to this version, and none is renamed or removed. Times are in RFC 3339, in UTC.
`)
	files, err := filepath.Glob("../api/v1/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("the types were not found: %v", err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range parsed.Decls {
			general, ok := declaration.(*ast.GenDecl)
			if !ok || general.Tok != token.TYPE {
				continue
			}
			spec, _ := general.Specs[0].(*ast.TypeSpec)
			if fields, ok := spec.Type.(*ast.StructType); ok && spec.Name.Name != "Header" {
				fmt.Fprintf(&out, "\n## %s\n\n%s\n\n| Field | Type | Meaning |\n|---|---|---|\n", spec.Name.Name, sentence(general.Doc))
				for _, field := range fields.Fields.List {
					out.WriteString(fieldRow(t, spec.Name.Name, field))
				}
			}
		}
	}
	return out.String()
}

// fieldRow of a table, which says what the field means. What is embedded is the header of a document.
func fieldRow(t *testing.T, of string, field *ast.Field) string {
	t.Helper()
	if len(field.Names) == 0 {
		return "| `apiVersion`, `kind` | string | Which document this is. |\n"
	}
	name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json"), ",")
	meaning := cell(sentence(field.Doc))
	if meaning == "" {
		t.Errorf("%s of %s has no comment that says what it means", name, of)
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", name, typeName(field.Type), meaning)
}

func typeName(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.Ident:
		return of.Name
	case *ast.StarExpr:
		return typeName(of.X)
	case *ast.ArrayType:
		return "list of " + typeName(of.Elt)
	case *ast.MapType:
		return "map of " + typeName(of.Value)
	}
	return ""
}

func sentence(doc *ast.CommentGroup) string { return strings.Join(strings.Fields(doc.Text()), " ") }
