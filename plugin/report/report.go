// Package report is kubectl chroma report: everything for a bug report, in one file.
package report

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/status"
	"github.com/function-chroma/function-chroma/plugin/target"
	"github.com/function-chroma/function-chroma/plugin/version"
)

// longestLog is how much of each log goes into the report: its end.
const longestLog = "5000"

type options struct {
	factory factory.Factory
	file    string
	logs    bool
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &options{factory: f}
	command := &cobra.Command{
		Use:   "report NAME | vor/NAME",
		Short: "Collect everything for a bug report in a zip file",
		Long: `Collect everything for a bug report in a zip file: the object and all that belongs to it, events, logs, what of Crossplane
is at work, and what the function decides. The data of Secrets is left out, and so are the values of environment
variables. What may not be read is named in notes.txt, and the rest is there.

Read it before you publish it: names, addresses and logs are yours.

` + exit.Help,
		Example: `  kubectl chroma report demo -f demo.zip`,
		Args:    factory.Arguments(1, 1, "a name"),
		RunE:    func(command *cobra.Command, args []string) error { return o.run(command.Context(), args[0]) },
	}
	command.Flags().StringVarP(&o.file, "filename", "f", "", "the file to write; - for standard output; by default chroma-report-<namespace>-<name>.zip")
	command.Flags().BoolVar(&o.logs, "logs", true, "with the logs of the Pods")
	return command
}

func (o *options) run(ctx context.Context, argument string) error {
	of, err := target.Parse(argument)
	if err != nil {
		return err
	}
	client, namespace, err := o.factory.Both()
	if err != nil {
		return err
	}
	view, err := live.Gather(ctx, client, of.Kind, namespace, of.Name, o.factory.Now())
	if err != nil {
		return err
	}
	var content bytes.Buffer
	if err := o.collect(ctx, client, view, &content); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	if o.file == "-" {
		_, err := o.factory.Streams.Out.Write(content.Bytes())
		return err
	}
	if o.file == "" {
		o.file = fmt.Sprintf("chroma-report-%s-%s.zip", namespace, of.Name)
	}
	const ownerOnly = 0o600
	if err := os.WriteFile(o.file, content.Bytes(), ownerOnly); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	_, err = fmt.Fprintf(o.factory.Streams.Out, "%s: read it before you publish it.\n", o.file)
	return err
}

// archive writes files into the zip.
type archive struct {
	zip *zip.Writer
	now time.Time
}

func (a archive) file(name string, content []byte) error {
	writer, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.now})
	if err != nil {
		return fmt.Errorf("cannot add %s to the archive: %w", name, err)
	}
	_, err = writer.Write(content)
	return err
}

func (a archive) object(folder string, object *unstructured.Unstructured) error {
	text, err := yaml.Marshal(redacted(object).Object)
	if err != nil {
		return fmt.Errorf("cannot encode %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return a.file(path.Join(folder, strings.ToLower(object.GetKind())+"-"+object.GetName()+".yaml"), text)
}

func (o *options) collect(ctx context.Context, client *cluster.Client, v *live.View, to io.Writer) error {
	a := archive{zip: zip.NewWriter(to), now: o.factory.Now().UTC()}
	info, _ := debug.ReadBuildInfo()
	about, err := yaml.Marshal(version.Of(info))
	if err != nil {
		return fmt.Errorf("cannot encode the version: %w", err)
	}
	if err := a.file("version.yaml", about); err != nil {
		return err
	}
	text, document, err := status.Report(v)
	if err != nil {
		return err
	}
	if err := a.file("status.txt", text); err != nil {
		return err
	}
	if err := a.file("status.yaml", document); err != nil {
		return err
	}
	for _, object := range objects(v) {
		if err := a.object("objects", object); err != nil {
			return err
		}
	}
	for _, object := range []*unstructured.Unstructured{v.Machinery.Function, v.Machinery.FunctionRevision} {
		if object != nil {
			if err := a.object("crossplane", object); err != nil {
				return err
			}
		}
	}
	notes := slices.Clone(v.Notes)
	if o.logs {
		if notes, err = o.addLogs(ctx, client, v, a, notes); err != nil {
			return err
		}
	}
	if len(notes) > 0 {
		if err := a.file("notes.txt", []byte(strings.Join(notes, "\n")+"\n")); err != nil {
			return err
		}
	}
	if err := a.zip.Close(); err != nil {
		return fmt.Errorf("cannot end the archive: %w", err)
	}
	return nil
}

// objects of a view, each once.
func objects(v *live.View) []*unstructured.Unstructured {
	out := []*unstructured.Unstructured{v.Object}
	if v.XR != nil && v.XR != v.Object {
		out = append(out, v.XR)
	}
	roles := make([]string, 0, len(v.Observed))
	for role := range v.Observed {
		roles = append(roles, role)
	}
	slices.Sort(roles)
	for _, role := range roles {
		out = append(out, v.Observed[role])
	}
	for _, object := range []*unstructured.Unstructured{v.Claim, v.Pod} {
		if object != nil && !slices.Contains(out, object) {
			out = append(out, object)
		}
	}
	return out
}

// addLogs of the Pods, the present and the previous containers. What cannot be read is a note.
func (o *options) addLogs(ctx context.Context, client *cluster.Client, v *live.View, a archive, notes []string) ([]string, error) {
	if v.Chroma == nil {
		return notes, nil
	}
	pods, err := live.Pods(ctx, client, v.Namespace(), v.Name(), "")
	if err != nil {
		return append(notes, err.Error()), nil
	}
	for _, pod := range pods {
		for _, previous := range []string{"false", "true"} {
			address := fmt.Sprintf("/api/v1/namespaces/%s/pods/%s/log?tailLines=%s&previous=%s", pod.GetNamespace(), pod.GetName(), longestLog, previous)
			body, err := client.Raw(ctx, address, false)
			if err != nil {
				if previous == "false" {
					notes = append(notes, fmt.Sprintf("cannot read the log of Pod %s: %v", pod.GetName(), err))
				}
				continue
			}
			content, err := io.ReadAll(body)
			_ = body.Close()
			if err != nil {
				notes = append(notes, fmt.Sprintf("cannot read the log of Pod %s: %v", pod.GetName(), err))
			}
			name := pod.GetName() + ".log"
			if previous == "true" {
				name = pod.GetName() + ".previous.log"
			}
			if err := a.file(path.Join("logs", name), content); err != nil {
				return nil, err
			}
		}
	}
	return notes, nil
}
