// Package logs is kubectl chroma logs: what the servers say.
package logs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"sync"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/singlenode/objects"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/component"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/target"
)

type options struct {
	factory   factory.Factory
	follow    bool
	previous  bool
	tail      int64
	component string
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &options{factory: f}
	command := &cobra.Command{
		Use:   "logs NAME",
		Short: "Print the logs of the server, or of the components",
		Long: `Print the log of the server or, of a distributed Chroma, those of its components, each line with the name
of its Pod where there are several.

` + exit.Help + `

It exits with 4 when there is no Pod.`,
		Example: `  kubectl chroma logs demo
  kubectl chroma logs demo --previous
  kubectl chroma logs demo -f --component queryService`,
		Args: factory.Arguments(1, 1, "a name"),
		RunE: func(command *cobra.Command, args []string) error { return o.run(command.Context(), args[0]) },
	}
	flags := command.Flags()
	flags.BoolVarP(&o.follow, "follow", "f", false, "go on with new lines")
	flags.BoolVarP(&o.previous, "previous", "p", false, "the log of the container before, which has ended")
	flags.Int64Var(&o.tail, "tail", -1, "only the last lines; -1 for all")
	flags.StringVar(&o.component, "component", "", "only this component of a distributed Chroma, like queryService")
	component.Complete(command, component.WithPods)
	return command
}

func (o *options) run(ctx context.Context, argument string) error {
	name, err := target.Chroma(argument)
	if err != nil {
		return err
	}
	client, namespace, err := o.factory.Both()
	if err != nil {
		return err
	}
	pods, err := live.Pods(ctx, client, namespace, name, o.component)
	if err != nil {
		return err
	}
	if len(pods) > 1 && !o.follow {
		return o.whole(ctx, client, pods)
	}
	var group sync.WaitGroup
	var lock sync.Mutex
	errs := make([]error, len(pods))
	for i, pod := range pods {
		group.Go(func() {
			errs[i] = o.stream(ctx, client, pod, func(line string) {
				lock.Lock()
				defer lock.Unlock()
				_, _ = fmt.Fprintln(o.factory.Streams.Out, prefix(pod, len(pods))+line)
			})
		})
	}
	group.Wait()
	if o.follow && ctx.Err() != nil {
		return nil //nolint:nilerr // Who stops following has what he wanted.
	}
	return errors.Join(errs...)
}

// prefix of the lines of a Pod, where there are several.
func prefix(pod *unstructured.Unstructured, pods int) string {
	if pods == 1 {
		return ""
	}
	return pod.GetName() + "  "
}

// whole logs one after the other. They are read at once, so that one that hangs holds up none.
func (o *options) whole(ctx context.Context, client *cluster.Client, pods []*unstructured.Unstructured) error {
	var group sync.WaitGroup
	logs, errs := make([]bytes.Buffer, len(pods)), make([]error, len(pods))
	for i, pod := range pods {
		group.Go(func() {
			errs[i] = o.stream(ctx, client, pod, func(line string) { _, _ = fmt.Fprintln(&logs[i], prefix(pod, len(pods))+line) })
		})
	}
	group.Wait()
	for i := range logs {
		if _, err := logs[i].WriteTo(o.factory.Streams.Out); err != nil {
			return fmt.Errorf("cannot print the log: %w", err)
		}
	}
	return errors.Join(errs...)
}

// container that is looked at unless another one is named: as kubectl does, and not a sidecar that stands first.
func container(pod *unstructured.Unstructured) string {
	if named := pod.GetAnnotations()["kubectl.kubernetes.io/default-container"]; named != "" {
		return named
	}
	containers, _, _ := unstructured.NestedSlice(pod.Object, "spec", "containers")
	first := ""
	for _, one := range containers {
		fields, _ := one.(map[string]any)
		name, _ := fields["name"].(string)
		switch {
		case name == objects.Container:
			return name
		case first == "":
			first = name
		}
	}
	return first
}

// stream the log of a Pod's server, line by line.
func (o *options) stream(ctx context.Context, client *cluster.Client, pod *unstructured.Unstructured, each func(string)) error {
	query := url.Values{"follow": {strconv.FormatBool(o.follow)}, "previous": {strconv.FormatBool(o.previous)}}
	if o.tail >= 0 {
		query.Set("tailLines", strconv.FormatInt(o.tail, 10))
	}
	if name := container(pod); name != "" {
		query.Set("container", name)
	}
	body, err := client.Raw(ctx, fmt.Sprintf("/api/v1/namespaces/%s/pods/%s/log?%s", pod.GetNamespace(), pod.GetName(), query.Encode()), o.follow)
	if err != nil {
		return fmt.Errorf("cannot read the log of Pod %s: %w", pod.GetName(), err)
	}
	defer func() { _ = body.Close() }()
	const longestLine = 1 << 20
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 1<<16), longestLine)
	for lines.Scan() {
		each(lines.Text())
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("cannot read the log of Pod %s: %w", pod.GetName(), err)
	}
	return nil
}
