package incident

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

func newShow(f factory.Factory) *cobra.Command {
	var output string
	command := &cobra.Command{
		Use:     "show NAME",
		Short:   "Show the open incident of a Chroma, and how to end it",
		Long:    "Show the open incident of a Chroma: its code, what is known to have run and since when, and how to end it.\n\n" + exit.Help,
		Example: "  kubectl chroma incident show demo",
		Args:    factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error {
			if err := factory.Document(output); err != nil {
				return err
			}
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

// found is the incident of a view with what its Pod runs.
func found(v *live.View) v1.Incident {
	out := of(statusOf(v))
	if out.Code == "" {
		return out
	}
	out.Notes = v.Notes
	if v.Pod != nil {
		server := named(v.Pod, "spec", "containers")
		state := named(v.Pod, "status", "containerStatuses")
		out.Running, out.ImageID = text(server, "image"), text(state, "imageID")
		out.Started, _, _ = unstructured.NestedString(state, "state", "running", "startedAt")
		out.Restarts, _, _ = unstructured.NestedInt64(state, "restartCount")
	}
	where := fmt.Sprintf("-n %s %s", v.Namespace(), v.Name())
	out.NextSteps = []v1.NextStep{
		{Why: "Find out the highest version that has run: from whoever set the image, or from the log.", Command: "kubectl chroma logs " + where},
		{Why: "Declare it.", Command: "kubectl chroma incident declare " + where + " --version VERSION"},
	}
	return out
}

// named is the entry of the server's container in a list of a Pod.
func named(pod *unstructured.Unstructured, path ...string) map[string]any {
	list, _, _ := unstructured.NestedSlice(pod.Object, path...)
	for _, one := range list {
		if entry, ok := one.(map[string]any); ok && entry["name"] == objects.Container {
			return entry
		}
	}
	return nil
}

func text(of map[string]any, field string) string {
	value, _ := of[field].(string)
	return value
}

func show(f factory.Factory, v *live.View, output string) error {
	incident := found(v)
	if output != "" {
		list := v1.IncidentList{Header: v1.HeaderOf(v1.KindIncidentList), Items: []v1.Incident{}}
		if incident.Code != "" {
			list.Items = append(list.Items, incident)
		}
		return terminal.Document(f.Streams.Out, output, list)
	}
	palette, err := f.Palette()
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(f.Streams.Out, sections(palette, v, incident))
	return err
}

// sections about an incident for people.
func sections(palette terminal.Palette, v *live.View, incident v1.Incident) string {
	var out strings.Builder
	head := palette.Strong(fmt.Sprintf("%s %s/%s", chroma.Kind, v.Namespace(), v.Name()))
	if incident.Code == "" {
		return fmt.Sprintf("%s  %s\n", head, palette.Good("no incident"))
	}
	fmt.Fprintf(&out, "%s  %s\n", head, palette.Bad("incident "+incident.Code))
	line := func(label, value string) {
		if value == "" {
			return
		}
		for i, part := range terminal.Wrap(value, terminal.DefaultWidth-15) {
			if i > 0 {
				label = ""
			}
			fmt.Fprintf(&out, "  %s %s\n", palette.Faint(terminal.Pad(label, 12)), part)
		}
	}
	known := ""
	if incident.Known != "" {
		known = compatibility.Title(chroma.Product(incident.Product)) + " " + incident.Known
	}
	line("Since", incident.Since)
	line("Known to run", known)
	line("Last ready", incident.LastReady)
	line("Pod runs", incident.Running)
	if incident.ImageID != incident.Running {
		line("Image", incident.ImageID)
	}
	line("Started", incident.Started)
	if incident.Restarts > 0 {
		line("Restarts", strconv.FormatInt(incident.Restarts, 10))
	}
	for _, note := range incident.Notes {
		line("Note", note)
	}
	fmt.Fprintf(&out, "\n%s\n", palette.Strong("Next step"))
	for _, step := range incident.NextSteps {
		fmt.Fprintf(&out, "  %s\n    %s\n", step.Why, palette.Strong(step.Command))
	}
	return out.String()
}
