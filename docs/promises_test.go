// Package docs holds pages against what they speak of.
package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	// shownBy is a line below a promise: a file, and tests in it.
	shownBy = regexp.MustCompile("^  - `([^`]+_test\\.go)`: (`[A-Za-z0-9_/]+`(?:, `[A-Za-z0-9_/]+`)*)$")
	quoted  = regexp.MustCompile("`([^`]+)`")
)

// testFile has the tests of a file, each with the texts in it, and the texts of the file's other functions.
type testFile struct {
	tests  map[string]map[string]bool
	others map[string]bool
}

func readTests(t *testing.T, path string) testFile {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := testFile{tests: map[string]map[string]bool{}, others: map[string]bool{}}
	for _, declared := range parsed.Decls {
		texts := map[string]bool{}
		ast.Inspect(declared, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					texts[text] = true
				}
			}
			return true
		})
		function, ok := declared.(*ast.FuncDecl)
		if ok && function.Recv == nil && (strings.HasPrefix(function.Name.Name, "Test") || strings.HasPrefix(function.Name.Name, "Fuzz")) {
			out.tests[function.Name.Name] = texts
			continue
		}
		for text := range texts {
			out.others[text] = true
		}
	}
	return out
}

// missing says what of a test's name is not in the file, empty when all is. Its cases are texts in the test itself, or in
// a table beside it.
func (f testFile) missing(name string) string {
	test, steps, _ := strings.Cut(name, "/")
	texts, found := f.tests[test]
	if !found {
		return test
	}
	for step := range strings.SplitSeq(steps, "/") {
		if step != "" && !texts[step] && !f.others[step] {
			return step
		}
	}
	return ""
}

// TestEveryPromiseNamesTestsThatExist reads promises.md.
func TestEveryPromiseNamesTestsThatExist(t *testing.T) {
	page, err := os.ReadFile("promises.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]testFile{}
	promise, shown, promises := "", 0, 0
	end := func() {
		if promise != "" && shown == 0 {
			t.Errorf("no test shows the promise %q", promise)
		}
		promise, shown = "", 0
	}
	for line := range strings.Lines(string(page)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "- "):
			end()
			promise, promises = line, promises+1
		case strings.HasPrefix(line, "  "):
			found := shownBy.FindStringSubmatch(line)
			if found == nil || promise == "" {
				t.Errorf("this line names no tests below a promise: %q", line)
				continue
			}
			if _, read := files[found[1]]; !read {
				files[found[1]] = readTests(t, found[1])
			}
			for _, name := range quoted.FindAllStringSubmatch(found[2], -1) {
				shown++
				if lacks := files[found[1]].missing(name[1]); lacks != "" {
					t.Errorf("%s: there is no %s for %q", found[1], lacks, promise)
				}
			}
		default:
			end()
		}
	}
	end()
	if promises < 100 {
		t.Errorf("the page has %d promises, so it is not read as it should be", promises)
	}
}

func TestATestThatIsGoneIsNoticed(t *testing.T) {
	file := readTests(t, "docs/promises_test.go")
	gone := strings.ToUpper("gone") // Not a text of this file.
	cases := map[string]struct{ reason, name, want string }{
		"There":       {"The test is there.", "TestATestThatIsGoneIsNoticed", ""},
		"Case":        {"Its case is there.", "TestATestThatIsGoneIsNoticed/Case", ""},
		"NoTest":      {"No test has the name.", "Test" + gone, "Test" + gone},
		"NoCase":      {"The test has no such case.", "TestATestThatIsGoneIsNoticed/" + gone, gone},
		"OfAnother":   {"The case is one of another test.", "TestEveryPromiseNamesTestsThatExist/OfAnother", "OfAnother"},
		"NoFunction":  {"A function that is no test is none.", "readTests", "readTests"},
		"CaseOfNoOne": {"Without the test its cases are none.", "Test" + gone + "/Case", "Test" + gone},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := file.missing(tc.name); got != tc.want {
				t.Errorf("\n%s\nmissing(%q): want %q, got %q", tc.reason, tc.name, tc.want, got)
			}
		})
	}
}
