package lint_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

const head = "apiVersion: chroma.chromadotnet.org/v1alpha1\nkind: Chroma\nmetadata: {name: demo}\n"

func TestLint(t *testing.T) {
	cases := map[string]struct {
		reason string
		file   string
		args   []string
		code   exit.Code
		want   []string
	}{
		"Fine":         {reason: "Nothing is wrong.", file: head + "spec: {storage: {size: 1Gi}}\n", want: []string{"nothing is wrong"}},
		"Rule":         {reason: "A rule of the API is told with field and way out.", file: head + "spec: {image: 'docker.io/chromadb/chroma:latest', storage: {size: 1Gi}}\n", code: exit.Refused, want: []string{"error: standard input: Chroma default/demo: spec.image", "1.5.9"}},
		"Unknown":      {reason: "An unknown field is an error.", file: head + "spec: {storag: {size: 1Gi}}\n", code: exit.Refused, want: []string{"spec.storag"}},
		"Function":     {reason: "What only the function knows is an error with its reason.", file: head + "spec: {image: 'example.org/chroma:1.5.9', storage: {size: 1Gi}}\n", code: exit.Refused, want: []string{"ImageNotAllowed"}},
		"JSON":         {reason: "Programs get a versioned document.", file: head + "spec: {storage: {size: 0}}\n", args: []string{"-o", "json"}, code: exit.Refused, want: []string{`"kind": "LintResult"`, `"level": "error"`}},
		"NoFile":       {reason: "A file is needed.", args: []string{}, code: exit.Usage, want: []string{"-f"}},
		"NothingToDo":  {reason: "A file without our kinds is a usage error.", file: "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n", code: exit.Usage, want: []string{"nothing to lint"}},
		"OtherVersion": {reason: "A version that is not served is named.", file: strings.Replace(head, "v1alpha1", "v1", 1) + "spec: {storage: {size: 1Gi}}\n", code: exit.Refused, want: []string{"is not served"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"lint"}, tc.args...)
			if tc.file != "" {
				args = append(args, "-f", "-")
			}
			got := fixture.Run(t, nil, tc.file, args...)
			for _, want := range tc.want {
				if got.Code != tc.code || !strings.Contains(got.Out+got.Err, want) {
					t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, want, got)
				}
			}
		})
	}
}

func TestTheExamplesAreFine(t *testing.T) {
	examples, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, example := range examples {
		if got := fixture.Run(t, nil, "", "lint", "-f", example); got.Code != exit.Fine {
			t.Errorf("%s: %s", example, got)
		}
	}
}
