package status

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// table of all that match.
func (o *Options) table(ctx context.Context) error {
	list, err := o.list(ctx)
	if err != nil {
		return err
	}
	if err := o.printTable(list); err != nil {
		return fmt.Errorf("cannot print the table: %w", err)
	}
	return nil
}

// list all that match. Of those whose Function is missing or down, that is what a person should know first.
func (o *Options) list(ctx context.Context) (v1.StatusList, error) {
	namespace := o.namespace
	if o.all {
		namespace = ""
	}
	list := v1.StatusList{Header: v1.HeaderOf(v1.KindStatusList), Items: []v1.Summary{}}
	functions := newFunctions(o.client)
	for _, kind := range []schema.GroupVersionKind{cluster.Chroma(), cluster.ValdOperatorRelease()} {
		err := cluster.Pages(ctx, o.client, kind, namespace, o.selector, func(r row) {
			kind, name := r.composition()
			list.Items = append(list.Items, r.summary(functions.trouble(ctx, kind, name)))
		})
		// A cluster need not serve Vald, nor need everybody be able to read it.
		if kind == cluster.ValdOperatorRelease() && apierrors.IsForbidden(err) {
			list.Notes = append(list.Notes, err.Error())
			continue
		}
		if kind == cluster.ValdOperatorRelease() && apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return list, err
		}
	}
	list.Notes = append(list.Notes, functions.notes...)
	return list, nil
}

// tableInterval between two looks at all of them, which takes the API server more than one object does.
const tableInterval = 2 * time.Second

// followTable until it is interrupted. Where no terminal shows it, the table is printed when more than an age has changed.
func (o *Options) followTable(ctx context.Context) error {
	screen := terminal.NewScreen(o.factory.Streams.Out)
	seen, last, trouble := false, v1.StatusList{}, ""
	for {
		list, err := o.list(ctx)
		switch {
		case terminal.Interrupted(ctx):
			return nil
		case err != nil && !seen:
			return err
		case err != nil && screen.Live():
			screen.Draw(o.palette.Warn("cannot look at the moment: "+err.Error())+"\n", "")
		case err != nil && err.Error() != trouble:
			trouble = err.Error()
			_, _ = fmt.Fprintln(o.factory.Streams.ErrOut, "cannot look at the moment: "+trouble)
		case err != nil:
			// That it lasts need not be said again.
		case screen.Live() || !seen || !slices.Equal(list.Items, last.Items) || !slices.Equal(list.Notes, last.Notes):
			seen, last, trouble = true, list, ""
			screen.Draw(o.frame(list), "")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(tableInterval):
		}
	}
}

// frame of the table.
func (o *Options) frame(list v1.StatusList) string {
	var out strings.Builder
	if len(list.Items) == 0 {
		out.WriteString(o.nothing() + "\n")
	} else {
		_ = terminal.Table(&out, o.rows(list))
	}
	for _, note := range list.Notes {
		fmt.Fprintln(&out, "Note: "+note)
	}
	return out.String()
}

// nothing is there.
func (o *Options) nothing() string {
	if o.all {
		return "There is no Chroma in the cluster."
	}
	return "There is no Chroma in namespace " + o.namespace + "."
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
	for _, note := range list.Notes {
		if _, err := fmt.Fprintln(o.factory.Streams.ErrOut, "Note: "+note); err != nil {
			return err
		}
	}
	if len(list.Items) == 0 {
		_, err := fmt.Fprintln(o.factory.Streams.ErrOut, o.nothing())
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
		row := terminal.Plain(name, orDash(item.Phase), orDash(image), orDash(item.Data), orDash(attention(item)), age(o.factory.Now(), item.Created))
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

// attention as people read it: an open incident has its code.
func attention(item v1.Summary) string {
	if item.Incident != "" && item.Attention == string(reason.DataVersionUnknown) {
		return "Incident " + item.Incident
	}
	return item.Attention
}

func age(now time.Time, created string) string {
	at, err := time.Parse(time.RFC3339, created)
	if err != nil {
		return "-"
	}
	return duration.HumanDuration(now.Sub(at))
}
