package command_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/command"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/explain"
	"github.com/function-chroma/function-chroma/plugin/permission"
)

const docs = "../../docs"

func root() *cobra.Command {
	return command.New(genericiooptions.NewTestIOStreamsDiscard(), func(string) string { return "" }, time.Now)
}

// all commands below one, itself included.
func all(of *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{of}
	for _, below := range of.Commands() {
		if below.Name() != "help" {
			out = append(out, all(below)...)
		}
	}
	return out
}

// page of a command.
func page(t *testing.T, of *cobra.Command) string {
	t.Helper()
	var out bytes.Buffer
	of.InitDefaultHelpFlag()
	if err := doc.GenMarkdownCustom(of, &out, func(link string) string { return link }); err != nil {
		t.Fatal(err)
	}
	return "<!-- Generated from the command by UPDATE=1 go test ./plugin/command. -->\n\n" + out.String()
}

// generated files by their path below docs.
func generated(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{"permissions.md": permissions(), "reasons.md": reasons(), "output.md": documents(t)}
	for _, of := range all(root()) {
		out[filepath.Join("commands", strings.ReplaceAll(of.CommandPath(), " ", "_")+".md")] = page(t, of)
	}
	return out
}

func TestDocsAreGenerated(t *testing.T) {
	files := generated(t)
	for name, text := range files {
		path := filepath.Join(docs, name)
		if os.Getenv("UPDATE") != "" {
			if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v: UPDATE=1 writes it", err)
		}
		if diff := cmp.Diff(string(have), text); diff != "" {
			t.Errorf("%s: -have, +want (UPDATE=1 writes it):\n%s", path, diff)
		}
	}
	pages, err := filepath.Glob(filepath.Join(docs, "commands", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pages {
		if _, known := files[filepath.Join("commands", filepath.Base(path))]; !known {
			t.Errorf("%s is of no command", path)
		}
	}
}

func TestEveryCommandSaysHowItEnds(t *testing.T) {
	for _, of := range all(root()) {
		if !strings.Contains(of.Long, exit.Help) {
			t.Errorf("the help of %q does not have the exit codes", of.CommandPath())
		}
		if of.Example == "" && of != of.Root() {
			t.Errorf("the help of %q has no example", of.CommandPath())
		}
	}
}

func TestEveryCommandHasItsPermissions(t *testing.T) {
	listed := permission.Commands()
	for _, of := range all(root()) {
		name := strings.TrimPrefix(of.CommandPath(), of.Root().CommandPath()+" ")
		if of.HasSubCommands() || strings.HasPrefix(name, "allow ") {
			continue
		}
		if !slices.ContainsFunc(listed, func(c permission.Command) bool { return c.Name == name }) {
			t.Errorf("the table of permissions does not have %q", name)
		}
	}
}

func permissions() string {
	var out strings.Builder
	out.WriteString(`<!-- Generated from plugin/permission by UPDATE=1 go test ./plugin/command. -->

# Permissions of the plugin's commands

What each command asks of the API server, with the rights of whoever runs it. A right in parentheses makes the answer more
complete: without it, a note says what could not be read. Dry runs of the server need the rights of the real thing. What
has no group is of the core, and ` + "`lint`, `render` and `explain REASON`" + ` need no cluster.

` + "`upgrade apply`" + ` creates a Pod for trial only, in a dry run. ` + "`check`" + ` writes to the server through its Service, and takes it
away again. ` + "`install`" + ` without ` + "`--apply`" + ` needs no rights. The completion of the shell goes without what it may not list.
With ` + "`--wait`, `delete`" + ` of a distributed Chroma needs to list its Objects: without that it ends with an error once the Chroma is gone.

| Command | Rights |
|---|---|
`)
	for _, of := range permission.Commands() {
		rights := make([]string, 0, len(of.Rules))
		for _, rule := range of.Rules {
			resource := rule.Resource
			if rule.Group != "" {
				resource += "." + rule.Group
			}
			right := rule.Verb + " `" + resource + "`"
			if rule.Namespace != "" {
				right += " in namespace `" + rule.Namespace + "`"
			}
			if rule.Optional {
				right = "(" + right + ")"
			}
			rights = append(rights, right)
		}
		text := strings.Join(rights, ", ")
		if text == "" {
			text = "none: it needs no cluster"
		}
		fmt.Fprintf(&out, "| `%s` | %s |\n", of.Name, text)
	}
	return out.String()
}

func reasons() string {
	var out strings.Builder
	out.WriteString(`<!-- Generated from function/reason by UPDATE=1 go test ./plugin/command. -->

# Reasons

What the reasons of conditions and events mean, and the way out. ` + "`kubectl chroma explain REASON`" + ` says the same.
`)
	for _, table := range explain.Tables() {
		fmt.Fprintf(&out, "\n## %s\n\n| Reason | Conditions | Meaning | Way out |\n|---|---|---|---|\n", table.Of)
		for _, entry := range table.Entries {
			conditions := make([]string, 0, len(entry.Conditions))
			for _, condition := range entry.Conditions {
				conditions = append(conditions, string(condition))
			}
			fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", entry.Reason, strings.Join(conditions, ", "), cell(entry.Meaning), cell(entry.Remedy))
		}
	}
	return out.String()
}

// cell of a Markdown table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
