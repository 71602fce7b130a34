// Package logs is kubectl chroma logs: what the servers say.
package logs

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"strconv"
	"sync"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
		Long: `Print the log of the server or, of a distributed Chroma, those of its components, each line with the name of its Pod.

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
	var group sync.WaitGroup
	var lock sync.Mutex
	errs := make([]error, len(pods))
	for i, pod := range pods {
		prefix := ""
		if len(pods) > 1 {
			prefix = pod.GetName() + "  "
		}
		stream := func() {
			errs[i] = o.stream(ctx, client, pod, func(line string) {
				lock.Lock()
				defer lock.Unlock()
				_, _ = fmt.Fprintln(o.factory.Streams.Out, prefix+line)
			})
		}
		if !o.follow {
			stream()
			continue
		}
		group.Go(stream)
	}
	group.Wait()
	for _, err := range errs {
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// stream the log of a Pod's first container, line by line.
func (o *options) stream(ctx context.Context, client *cluster.Client, pod *unstructured.Unstructured, each func(string)) error {
	query := url.Values{"follow": {strconv.FormatBool(o.follow)}, "previous": {strconv.FormatBool(o.previous)}}
	if o.tail >= 0 {
		query.Set("tailLines", strconv.FormatInt(o.tail, 10))
	}
	containers, _, _ := unstructured.NestedSlice(pod.Object, "spec", "containers")
	if len(containers) > 0 {
		if first, ok := containers[0].(map[string]any); ok {
			name, _ := first["name"].(string)
			query.Set("container", name)
		}
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
