// Package incident is kubectl chroma incident: data whose version is not known, and declaring it.
package incident

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
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
			if err := factory.Document(output); err != nil {
				return err
			}
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
		Product: live.Text(object, "status", "dataProduct"), Known: live.Text(object, "status", "dataVersion"), LastReady: live.Text(object, "status", "image"),
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
	rows := [][]terminal.Cell{terminal.Plain("NAMESPACE", "NAME", "INCIDENT", "KNOWN", "LAST READY", "SINCE")}
	for _, item := range list.Items {
		rows = append(rows, terminal.Plain(item.Namespace, item.Name, item.Code, dash(item.Known), dash(item.LastReady), dash(item.Since)))
	}
	return terminal.Table(f.Streams.Out, rows)
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
