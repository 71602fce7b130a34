package status

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/duration"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// table of all that match.
func (o *Options) table(ctx context.Context) error {
	namespace := o.namespace
	if o.all {
		namespace = ""
	}
	list := v1.StatusList{Header: v1.HeaderOf(v1.KindStatusList), Items: []v1.Summary{}}
	add := func(object *unstructured.Unstructured) { list.Items = append(list.Items, summaryOf(object)) }
	if err := o.client.Each(ctx, cluster.Chroma(), namespace, o.selector, add); err != nil {
		return err
	}
	// A cluster need not serve Vald.
	err := o.client.Each(ctx, cluster.ValdOperatorRelease(), namespace, o.selector, add)
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err) {
		return err
	}
	if err := o.printTable(list); err != nil {
		return fmt.Errorf("cannot print the table: %w", err)
	}
	return nil
}

// summaryOf an object. Whatever its status lacks or says that we do not know, it is a line.
func summaryOf(object *unstructured.Unstructured) v1.Summary {
	out := v1.Summary{
		Of: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(), Mode: live.Text(object, "spec", "mode"),
		Phase: live.Text(object, "status", "phase"), Image: live.Text(object, "status", "image"),
		Product: live.Text(object, "status", "dataProduct"), Data: live.Text(object, "status", "dataVersion"),
		Endpoint: live.Text(object, "status", "endpoint"), Created: timeText(object.GetCreationTimestamp().Time), Attention: attention(object),
	}
	if version := live.Text(object, "status", "version"); out.Image == "" && version != "" {
		out.Image = version
	}
	return out
}

// attention is the one reason that a person should know of.
func attention(object *unstructured.Unstructured) string {
	if object.GetDeletionTimestamp() != nil {
		return "Deleting"
	}
	if paused(object) {
		return "Paused"
	}
	if incident := live.Text(object, "status", "dataVersionUnknownIncident"); incident != "" {
		return "Incident " + incident
	}
	if blocked := live.ConditionOf(object, string(reason.UpgradeBlocked)); blocked.Status == statusTrue {
		return blocked.Reason
	}
	if synced := live.ConditionOf(object, "Synced"); synced.Status == statusFalse {
		return "NotSynced"
	}
	if server := live.ConditionOf(object, string(reason.ServerReady)); server.Status == statusFalse {
		return server.Reason
	}
	return ""
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
