package report

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"path"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// longestLog is how much of each log goes into the report: its end, in lines.
	longestLog = "5000"
	// logsAtOnce are read beside each other: one that hangs holds up few others.
	logsAtOnce = 16
)

// log of one container of a Pod, the present or the previous one.
type log struct {
	name      string
	pod       *unstructured.Unstructured
	container string
	previous  bool

	content []byte
	err     error
}

// logs of all containers.
func (r *reader) logs(ctx context.Context, pods []*unstructured.Unstructured) []*log {
	var wanted []*log
	for _, pod := range pods {
		wanted = append(wanted, logsOf(pod)...)
	}
	var group sync.WaitGroup
	slots := make(chan struct{}, logsAtOnce)
	for _, one := range wanted {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			one.content, one.err = r.read(ctx, one)
		})
	}
	group.Wait()
	var out []*log
	for _, one := range wanted {
		if one.err != nil {
			r.note(fmt.Errorf("cannot read the log of container %s of Pod %s: %w", one.container, one.pod.GetName(), one.err))
		}
		if one.err == nil || len(one.content) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// logsOf a Pod that there can be: a container has a previous one when it was restarted.
func logsOf(pod *unstructured.Unstructured) []*log {
	restarted := map[any]bool{}
	for _, list := range []string{"initContainerStatuses", "containerStatuses"} {
		for _, status := range entries(pod, "status", list) {
			count, _, _ := unstructured.NestedInt64(status, "restartCount")
			restarted[status["name"]] = count > 0
		}
	}
	containers := append(entries(pod, "spec", "initContainers"), entries(pod, "spec", "containers")...)
	var out []*log
	for _, container := range containers {
		name, _ := container["name"].(string)
		file := pod.GetName()
		if len(containers) > 1 {
			file += "." + name
		}
		out = append(out, &log{name: path.Join("logs", file+".log"), pod: pod, container: name})
		if restarted[name] {
			out = append(out, &log{name: path.Join("logs", file+".previous.log"), pod: pod, container: name, previous: true})
		}
	}
	return out
}

// entries of a list in a Pod.
func entries(pod *unstructured.Unstructured, path ...string) []map[string]any {
	list, _, _ := unstructured.NestedSlice(pod.Object, path...)
	var out []map[string]any
	for _, one := range list {
		if entry, ok := one.(map[string]any); ok {
			out = append(out, entry)
		}
	}
	return out
}

// read a log, and what came of one that breaks off.
func (r *reader) read(ctx context.Context, of *log) ([]byte, error) {
	query := url.Values{"container": {of.container}, "tailLines": {longestLog}, "previous": {strconv.FormatBool(of.previous)}}
	body, err := r.client.Raw(ctx, fmt.Sprintf("/api/v1/namespaces/%s/pods/%s/log?%s", of.pod.GetNamespace(), of.pod.GetName(), query.Encode()), false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	text, err := io.ReadAll(body)
	if err != nil {
		return text, fmt.Errorf("cannot read the log to its end: %w", err)
	}
	return text, nil
}
