package check

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/live"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// write to the server, through the API server's proxy, and take everything away again.
func (c *checker) write(ctx context.Context, v *live.View) {
	if v.Pod == nil || live.ConditionOf(v.Pod, "Ready").Status != "True" {
		c.addf("Write", skipped, "there is no ready server")
		return
	}
	collections := fmt.Sprintf("/api/v1/namespaces/%s/services/http:%s:8000/proxy/api/v2/tenants/default_tenant/databases/default_database/collections",
		v.Namespace(), chroma.ServiceName(v.Name()))
	name := fmt.Sprintf("kubectl-chroma-check-%d", v.Now.UnixNano())
	created := struct {
		ID string `json:"id"`
	}{}
	if err := c.client.Call(ctx, http.MethodPost, collections, map[string]any{"name": name}, &created); err != nil {
		c.addf("Write", failed, "cannot create a collection: %v", err)
		return
	}
	records := map[string]any{"ids": []any{"one"}, "embeddings": []any{[]any{0.1, 0.2, 0.3}}, "documents": []any{"written by kubectl chroma check"}}
	wrote := c.client.Call(ctx, http.MethodPost, collections+"/"+created.ID+"/add", records, nil)
	// Whatever became of the record, the collection goes.
	removed := c.client.Call(ctx, http.MethodDelete, collections+"/"+name, nil, nil)
	switch {
	case wrote != nil:
		c.addf("Write", failed, "cannot write a record: %v", wrote)
	case removed != nil:
		c.addf("Write", warning, "it writes, but the collection %s could not be removed: %v", name, removed)
	default:
		c.addf("Write", passed, "a collection was created, written to and removed")
	}
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
