package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// tidyPatience with the removal of the scratch collection, also after somebody has interrupted the check.
const tidyPatience = 5 * time.Second

// write to the server, through the API server's proxy, and take everything away again.
func (c *checker) write(ctx context.Context, v *live.View) {
	if v.Pod == nil || live.ConditionOf(v.Pod, "Ready").Status != "True" {
		c.addf("Write", skipped, "there is no ready server")
		return
	}
	p := probe{
		client: c.client, name: fmt.Sprintf("kubectl-chroma-check-%d", v.Now.UnixNano()),
		collections: fmt.Sprintf("/api/v1/namespaces/%s/services/http:%s:8000/proxy/api/v2/tenants/default_tenant/databases/default_database/collections",
			v.Namespace(), chroma.ServiceName(v.Name())),
	}
	what, err := p.write(ctx)
	if apierrors.IsForbidden(err) {
		// The API server's word about who asks: the server was not reached.
		c.addf("Write", skipped, "%v", err)
		return
	}
	left := p.remove(ctx)
	switch {
	case ctx.Err() != nil && left == nil:
		c.addf("Write", skipped, "interrupted; nothing of the check is left")
	case err != nil && left != nil:
		c.addf("Write", failed, "cannot %s: %v. The collection %s may be there, and could not be removed: %v", what, err, p.name, left)
	case err != nil:
		c.addf("Write", failed, "cannot %s: %v", what, err)
	case left != nil:
		c.addf("Write", warning, "it writes, but the collection %s could not be removed: %v", p.name, left)
	default:
		c.addf("Write", passed, "a collection was created, written to and removed")
	}
}

// probe of a server with a collection of its own.
type probe struct {
	client            *cluster.Client
	collections, name string
}

// write a record into a new collection, and tell which step failed.
func (p probe) write(ctx context.Context) (string, error) {
	created := struct {
		ID string `json:"id"`
	}{}
	if err := p.client.Call(ctx, http.MethodPost, p.collections, map[string]any{"name": p.name}, &created); err != nil {
		return "create a collection", err
	}
	records := map[string]any{"ids": []any{"one"}, "embeddings": []any{[]any{0.1, 0.2, 0.3}}, "documents": []any{"written by kubectl chroma check"}}
	return "write a record", p.client.Call(ctx, http.MethodPost, p.collections+"/"+created.ID+"/add", records, nil)
}

// remove the collection by its name, whatever became of the rest: a creation without an answer may have been one. What is
// not there is removed.
func (p probe) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyPatience)
	defer cancel()
	err := p.client.Call(ctx, http.MethodDelete, p.collections+"/"+p.name, nil, nil)
	var refusal cluster.Refusal
	if errors.As(err, &refusal) && refusal.Code == http.StatusNotFound {
		return nil
	}
	return err
}

// show the checks for people.
func show(to io.Writer, palette terminal.Palette, checks []v1.Check) error {
	width := 0
	for _, check := range checks {
		width = max(width, len(check.Name))
	}
	var text strings.Builder
	for _, check := range checks {
		paint := map[string]func(string) string{passed: palette.Good, failed: palette.Bad, warning: palette.Warn, skipped: palette.Faint}[check.Result]
		lines := terminal.Wrap(check.Message, terminal.DefaultWidth-width-11)
		head := fmt.Sprintf("%s  %s  %s", paint(terminal.Pad(check.Result, 7)), terminal.Pad(check.Name, width), lines[0])
		fmt.Fprintln(&text, strings.TrimRight(head, " "))
		for _, line := range lines[1:] {
			fmt.Fprintf(&text, "%s%s\n", strings.Repeat(" ", width+11), line)
		}
	}
	_, err := io.WriteString(to, text.String())
	return err
}
