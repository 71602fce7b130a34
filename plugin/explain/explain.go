// Package explain is kubectl chroma explain: what a reason means, and the way out.
package explain

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	vald "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/target"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// A Table of reasons is of one kind of object.
type Table struct {
	Of      string
	Entries []reason.Entry
}

const (
	singleNode  = chroma.Kind + ", single-node"
	distributed = chroma.Kind + ", distributed"
)

// Tables of the function.
func Tables() []Table {
	return []Table{
		{Of: singleNode, Entries: append(reason.SingleNode(), reason.Compatibility()...)},
		{Of: distributed, Entries: reason.Distributed()},
		{Of: vald.Kind, Entries: reason.Vald()},
	}
}

// Options of explain.
type Options struct {
	factory  factory.Factory
	palette  terminal.Palette
	argument string
	output   string
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &Options{factory: f}
	command := &cobra.Command{
		Use:   "explain REASON | NAME | vor/NAME",
		Short: "Say what a reason means, and the way out",
		Long: `Say what a reason of a condition or an event means, and the way out: one reason by its name, or those that a Chroma
has now. A reason needs no cluster.

` + exit.Help,
		Example: `  # A reason
  kubectl chroma explain DowngradeChangesFormat

  # What a Chroma has
  kubectl chroma explain demo`,
		Args: factory.Arguments(1, 1, "a reason or a name"),
		RunE: func(command *cobra.Command, args []string) error {
			o.argument = args[0]
			err := factory.Document(o.output)
			if err != nil {
				return err
			}
			if o.palette, err = f.Palette(); err != nil {
				return err
			}
			return o.Run(command.Context())
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			matching := slices.DeleteFunc(reasons(), func(name string) bool { return !strings.HasPrefix(name, typed) })
			return matching, cobra.ShellCompDirectiveNoFileComp
		},
	}
	command.Flags().StringVarP(&o.output, "output", "o", "", "json or yaml")
	return command
}

// reasons by name, each once.
func reasons() []string {
	var names []string
	for _, table := range Tables() {
		for _, entry := range table.Entries {
			names = append(names, string(entry.Reason))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Run the command. Reasons begin with a capital letter, names of objects never do.
func (o *Options) Run(ctx context.Context) error {
	if o.argument == "" {
		return exit.Errorf(exit.Usage, "say which reason, or which Chroma")
	}
	if first := o.argument[0]; first >= 'A' && first <= 'Z' {
		found := find(o.argument)
		if len(found) == 0 {
			return exit.Errorf(exit.Usage, "there is no reason %q%s; the tabulator key completes reasons", o.argument, near(o.argument))
		}
		return o.print(found)
	}
	of, err := target.Parse(o.argument)
	if err != nil {
		return err
	}
	client, namespace, err := o.factory.Both()
	if err != nil {
		return err
	}
	object, err := client.Get(ctx, of.Kind, namespace, of.Name)
	if err != nil {
		return err
	}
	var found []v1.Explanation
	for _, condition := range live.Conditions(object) {
		for _, explanation := range findFor(object, condition.Reason) {
			explanation.Condition, explanation.Message = condition.Type, condition.Message
			found = append(found, explanation)
		}
	}
	if len(found) == 0 {
		return exit.Errorf(exit.Error, "%s %s has no conditions of the function yet", of.Kind.Kind, of.Name)
	}
	return o.print(found)
}

// findFor an object what a reason means: as its own kind and mode have it, where they do. Some reasons are shared.
func findFor(object *unstructured.Unstructured, name string) []v1.Explanation {
	table := singleNode
	switch {
	case object.GetKind() == vald.Kind:
		table = vald.Kind
	case live.Text(object, "spec", "mode") == string(chroma.ModeDistributed):
		table = distributed
	}
	found := find(name)
	if own := slices.DeleteFunc(slices.Clone(found), func(e v1.Explanation) bool { return !slices.Contains(e.Of, table) }); len(own) > 0 {
		found = own
	}
	for i := range found {
		found[i].Of = []string{table}
	}
	return found
}

// near reasons are those that have a longer word of the typed one.
func near(typed string) string {
	const long = 4
	words := slices.DeleteFunc(strings.Fields(spaced(typed)), func(word string) bool { return len(word) < long })
	found := slices.DeleteFunc(reasons(), func(name string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
	})
	if len(found) == 0 {
		return ""
	}
	return "; near it are " + strings.Join(found, ", ")
}

// spaced puts a space in front of each capital letter.
func spaced(name string) string {
	var out strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			out.WriteByte(' ')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// find what a reason means, for each kind that has it.
func find(name string) []v1.Explanation {
	var out []v1.Explanation
	for _, table := range Tables() {
		for _, entry := range table.Entries {
			if !strings.EqualFold(string(entry.Reason), name) {
				continue
			}
			conditions := make([]string, 0, len(entry.Conditions))
			for _, condition := range entry.Conditions {
				conditions = append(conditions, string(condition))
			}
			one := v1.Explanation{Reason: string(entry.Reason), Of: []string{table.Of}, Conditions: conditions, Meaning: entry.Meaning, Remedy: entry.Remedy}
			if i := slices.IndexFunc(out, func(e v1.Explanation) bool { return e.Meaning == one.Meaning && e.Remedy == one.Remedy }); i >= 0 {
				out[i].Of = append(out[i].Of, table.Of)
				continue
			}
			out = append(out, one)
		}
	}
	return out
}

func (o *Options) print(found []v1.Explanation) error {
	out := o.factory.Streams.Out
	if o.output != "" {
		return terminal.Document(out, o.output, v1.ExplanationList{Header: v1.HeaderOf(v1.KindExplanationList), Items: found})
	}
	for i, same := range grouped(found) {
		if i > 0 {
			_, _ = fmt.Fprintln(out)
		}
		if err := o.one(out, same); err != nil {
			return fmt.Errorf("cannot print the explanation: %w", err)
		}
	}
	return nil
}

// grouped explanations: what several conditions of an object have is explained once.
func grouped(found []v1.Explanation) [][]v1.Explanation {
	var out [][]v1.Explanation
	for _, explanation := range found {
		at := slices.IndexFunc(out, func(group []v1.Explanation) bool {
			return group[0].Reason == explanation.Reason && group[0].Meaning == explanation.Meaning && group[0].Remedy == explanation.Remedy
		})
		if at < 0 {
			out = append(out, []v1.Explanation{explanation})
			continue
		}
		out[at] = append(out[at], explanation)
	}
	return out
}

// part of an explanation, with a label.
type part struct{ label, text string }

// one reason, and what the conditions that have it say now.
func (o *Options) one(out io.Writer, same []v1.Explanation) error {
	explanation := same[0]
	parts := []part{{"Conditions", strings.Join(explanation.Conditions, ", ")}, {"Meaning", explanation.Meaning}, {"Way out", explanation.Remedy}}
	for _, one := range same {
		if one.Message != "" {
			parts = append(parts, part{"Now", one.Condition + ": " + one.Message})
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s  %s\n", o.palette.Strong(explanation.Reason), o.palette.Faint(strings.Join(explanation.Of, "; ")))
	for _, part := range parts {
		if part.text == "" {
			continue
		}
		for i, line := range terminal.Wrap(part.text, terminal.DefaultWidth-14) {
			label := part.label
			if i > 0 {
				label = ""
			}
			fmt.Fprintf(&text, "  %s %s\n", o.palette.Faint(terminal.Pad(label, 11)), line)
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}
