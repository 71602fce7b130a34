// Package incident is kubectl chroma incident: data whose version is not known, and declaring it.
package incident

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/ledger"
	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// New command with its subcommands.
func New(f factory.Factory) *cobra.Command {
	command := &cobra.Command{
		Use:   "incident",
		Short: "List, show and end incidents: data whose version is not known",
		Long: `An incident is data that a server without a known version may have opened, like one whose image was set to latest by hand.
Nothing is replaced or started on such data before a person declares the highest version that has run on it.

` + exit.Help,
		Example: `  kubectl chroma incident list -A
  kubectl chroma incident show demo
  kubectl chroma incident declare demo --version 1.5.9`,
		Args: factory.Arguments(0, 0, "list, show or declare"),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.AddCommand(newList(f), newShow(f), newDeclare(f))
	return command
}

func newList(f factory.Factory) *cobra.Command {
	var all bool
	var output string
	command := &cobra.Command{
		Use:     "list",
		Short:   "List the open incidents",
		Long:    "List the Chroma whose data has an open incident.\n\n" + exit.Help,
		Example: "  kubectl chroma incident list -A",
		Args:    factory.Arguments(0, 0, "no arguments"),
		RunE: func(command *cobra.Command, _ []string) error {
			client, namespace, err := f.Both()
			if err != nil {
				return err
			}
			if all {
				namespace = ""
			}
			objects, err := client.List(command.Context(), cluster.Chroma(), namespace, "")
			if err != nil {
				return err
			}
			list := v1.IncidentList{Header: v1.HeaderOf(v1.KindIncidentList), Items: []v1.Incident{}}
			for _, object := range objects {
				if live.Text(object, "status", "dataVersionUnknownIncident") != "" {
					list.Items = append(list.Items, of(object))
				}
			}
			return printList(f, output, list)
		},
	}
	command.Flags().BoolVarP(&all, "all-namespaces", "A", false, "all of the cluster")
	command.Flags().StringVarP(&output, "output", "o", "", "json or yaml")
	return command
}

// of an object.
func of(object *unstructured.Unstructured) v1.Incident {
	blocked := live.ConditionOf(object, string(reason.UpgradeBlocked))
	out := v1.Incident{
		Namespace: object.GetNamespace(), Name: object.GetName(), Code: live.Text(object, "status", "dataVersionUnknownIncident"),
		Product: live.Text(object, "status", "dataProduct"), Known: live.Text(object, "status", "dataVersion"), Running: live.Text(object, "status", "image"),
	}
	if blocked.Reason == string(reason.DataVersionUnknown) {
		out.Since, out.Message = blocked.Since, blocked.Message
	}
	return out
}

func printList(f factory.Factory, output string, list v1.IncidentList) error {
	if output != "" {
		return terminal.Document(f.Streams.Out, output, list)
	}
	if len(list.Items) == 0 {
		_, err := fmt.Fprintln(f.Streams.ErrOut, "There is no open incident.")
		return err
	}
	rows := [][]terminal.Cell{terminal.Plain("NAMESPACE", "NAME", "INCIDENT", "KNOWN", "IMAGE", "SINCE")}
	for _, item := range list.Items {
		rows = append(rows, terminal.Plain(item.Namespace, item.Name, item.Code, dash(item.Known), dash(item.Running), dash(item.Since)))
	}
	return terminal.Table(f.Streams.Out, rows)
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func newShow(f factory.Factory) *cobra.Command {
	var output string
	command := &cobra.Command{
		Use:     "show NAME",
		Short:   "Show the open incident of a Chroma, and how to end it",
		Long:    "Show the open incident of a Chroma: its code, what is known to have run and since when, and how to end it.\n\n" + exit.Help,
		Example: "  kubectl chroma incident show demo",
		Args:    factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			_, view, err := live.Chroma(command.Context(), f, args[0])
			if err != nil {
				return err
			}
			return show(f, view, output)
		},
	}
	command.Flags().StringVarP(&output, "output", "o", "", "json or yaml")
	return command
}

// statusOf the composite: a claim's copy can be behind.
func statusOf(v *live.View) *unstructured.Unstructured {
	out := v.Object.DeepCopy()
	if v.XR != nil {
		out.Object["status"] = v.XR.Object["status"]
	}
	return out
}

func show(f factory.Factory, v *live.View, output string) error {
	found := of(statusOf(v))
	if output != "" {
		list := v1.IncidentList{Header: v1.HeaderOf(v1.KindIncidentList), Items: []v1.Incident{}}
		if found.Code != "" {
			list.Items = append(list.Items, found)
		}
		return terminal.Document(f.Streams.Out, output, list)
	}
	palette, err := f.Palette()
	if err != nil {
		return err
	}
	var text strings.Builder
	head := palette.Strong(fmt.Sprintf("%s %s/%s", chroma.Kind, v.Namespace(), v.Name()))
	if found.Code == "" {
		fmt.Fprintf(&text, "%s  %s\n", head, palette.Good("no incident"))
		_, err := fmt.Fprint(f.Streams.Out, text.String())
		return err
	}
	fmt.Fprintf(&text, "%s  %s\n", head, palette.Bad("incident "+found.Code))
	line := func(label, value string) {
		if value != "" {
			fmt.Fprintf(&text, "  %s %s\n", palette.Faint(terminal.Pad(label, 12)), value)
		}
	}
	line("Since", found.Since)
	line("Known to run", strings.TrimSpace(found.Product+" "+found.Known))
	line("Last ready", found.Running)
	if v.Pod != nil {
		containers, _, _ := unstructured.NestedSlice(v.Pod.Object, "spec", "containers")
		if len(containers) > 0 {
			if first, ok := containers[0].(map[string]any); ok {
				line("Pod runs", fmt.Sprint(first["image"]))
			}
		}
		line("Pod since", v.Pod.GetCreationTimestamp().UTC().Format("2006-01-02T15:04:05Z"))
	}
	fmt.Fprintf(&text, "\n%s\n  %s\n    %s\n", palette.Strong("Next step"),
		"Find out the highest version that has run, from the log of the server or whoever set the image, and declare it.",
		palette.Strong(fmt.Sprintf("kubectl chroma incident declare -n %s %s --version <x.y.z>", v.Namespace(), v.Name())))
	_, err = fmt.Fprint(f.Streams.Out, text.String())
	return err
}

// declareOptions of incident declare.
type declareOptions struct {
	change.Options
	version string
	force   bool
}

func newDeclare(f factory.Factory) *cobra.Command {
	o := &declareOptions{Options: change.Options{Streams: f.Streams}}
	command := &cobra.Command{
		Use:   "declare NAME --version VERSION",
		Short: "Declare the highest version that has run on the data",
		Long: `Declare the highest version that has run on the data, which ends the open incident. The code is read from the Chroma.
A version that contradicts what is known to have run is refused unless --force is given; the function ignores what it
knows to be wrong even then.

A declaration that is too low lets a server open data that a newer one has written. When in doubt, declare the higher
version.

` + exit.Help,
		Example: `  # Chroma 1.5.9 is the highest version that has run
  kubectl chroma incident declare demo --version 1.5.9

  # Data that VecturaDB has opened needs the product too
  kubectl chroma incident declare demo --version vecturadb:1.0.0-preview.3`,
		Args: factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			if o.version == "" {
				return exit.Errorf(exit.Usage, "say which version with --version")
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(command.Context(), f, args[0])
		},
	}
	command.Flags().StringVar(&o.version, "version", "", "the highest version that has run, like 1.5.9 or vecturadb:1.0.0-preview.3")
	command.Flags().BoolVar(&o.force, "force", false, "write the annotation although it contradicts what is known")
	o.AddFlags(command.Flags())
	return command
}

func (o *declareOptions) run(ctx context.Context, f factory.Factory, argument string) error {
	client, view, err := live.Chroma(ctx, f, argument)
	if err != nil {
		return err
	}
	record := ledger.FromStatus(view.Chroma.Status)
	if record == nil || !record.Unknown {
		return exit.Errorf(exit.Refused, "%s/%s has no open incident: the version of its data is known", view.Namespace(), view.Name())
	}
	value := o.version + "/" + record.Incident
	if declaration := record.Declare(value); !declaration.Ended {
		if !o.force {
			return exit.Errorf(exit.Refused, "%s", declaration.Message)
		}
		_, _ = fmt.Fprintln(o.Streams.ErrOut, "warning: "+declaration.Message)
	}
	_, _ = fmt.Fprintf(o.Streams.ErrOut, "%s is declared to be the highest version that has run on the data of %s/%s (incident %s).\nA version that is too low lets a server open data that a newer one has written.\n",
		o.version, view.Namespace(), view.Name(), record.Incident)
	if err := o.Confirm("Declare it?"); err != nil {
		return err
	}
	return o.Annotate(ctx, client, change.Of(view.Object), map[string]any{chroma.AnnotationDeclaredDataVersion: value})
}
