package status

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// table of all that match.
func (o *Options) table(ctx context.Context) error {
	namespace := o.namespace
	if o.all {
		namespace = ""
	}
	list := v1.StatusList{Header: v1.HeaderOf(v1.KindStatusList), Items: []v1.Summary{}}
	for _, kind := range []schema.GroupVersionKind{cluster.Chroma(), cluster.ValdOperatorRelease()} {
		err := cluster.Pages(ctx, o.client, kind, namespace, o.selector, func(r row) { list.Items = append(list.Items, r.summary()) })
		// A cluster need not serve Vald.
		if kind == cluster.ValdOperatorRelease() && (apierrors.IsNotFound(err) || apierrors.IsForbidden(err)) {
			continue
		}
		if err != nil {
			return err
		}
	}
	if err := o.printTable(list); err != nil {
		return fmt.Errorf("cannot print the table: %w", err)
	}
	return nil
}

func (o *Options) printTable(list v1.StatusList) error {
	out := o.factory.Streams.Out
	switch o.output {
	case formatName:
		for _, item := range list.Items {
			if _, err := fmt.Fprintf(out, "%s/%s\n", strings.ToLower(item.Of), item.Name); err != nil {
				return err
			}
		}
		return nil
	case terminal.JSON, terminal.YAML:
		return terminal.Document(out, o.output, list)
	}
	if len(list.Items) == 0 {
		where := "in namespace " + o.namespace
		if o.all {
			where = "in the cluster"
		}
		_, err := fmt.Fprintf(o.factory.Streams.ErrOut, "There is no Chroma %s.\n", where)
		return err
	}
	return terminal.Table(out, o.rows(list))
}

func (o *Options) rows(list v1.StatusList) [][]terminal.Cell {
	wide := o.output == formatWide
	header := []string{"NAME", "PHASE", "IMAGE", "DATA", "ATTENTION", "AGE"}
	if o.all {
		header = append([]string{"NAMESPACE"}, header...)
	}
	if wide {
		header = append(header, "MODE", "PRODUCT", "ENDPOINT")
	}
	rows := [][]terminal.Cell{terminal.Plain(header...)}
	for _, item := range list.Items {
		name := item.Name
		if item.Of != chroma.Kind {
			name = "vor/" + name
		}
		image := item.Image
		if !wide {
			// The registry is the same for most of them, and the version is what one looks for.
			image = image[strings.LastIndex(image, "/")+1:]
		}
		row := terminal.Plain(name, orDash(item.Phase), orDash(image), orDash(item.Data), orDash(item.Attention), age(o.factory.Now(), item.Created))
		row[1].Paint, row[4].Paint = o.phase(item.Phase), o.alarm(item)
		if o.all {
			row = append(terminal.Plain(item.Namespace), row...)
		}
		if wide {
			row = append(row, terminal.Plain(orDash(item.Mode), orDash(item.Product), orDash(item.Endpoint))...)
		}
		rows = append(rows, row)
	}
	return rows
}

func (o *Options) phase(phase string) func(string) string {
	switch phase {
	case string(chroma.PhaseReady), "Completed":
		return o.palette.Good
	case string(chroma.PhaseFailed):
		return o.palette.Bad
	}
	return o.palette.Warn
}

func (o *Options) alarm(item v1.Summary) func(string) string {
	if item.Phase == string(chroma.PhaseCreating) || item.Phase == string(chroma.PhaseUpdating) {
		return o.palette.Warn
	}
	return o.palette.Bad
}

func age(now time.Time, created string) string {
	at, err := time.Parse(time.RFC3339, created)
	if err != nil {
		return "-"
	}
	return duration.HumanDuration(now.Sub(at))
}
