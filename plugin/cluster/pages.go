package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// Pages of a list, one after the other, with each object decoded into what the caller reads of it: for a table of
// thousands that takes a fraction of what whole objects do. An empty namespace means all.
func Pages[T any](ctx context.Context, c *Client, kind schema.GroupVersionKind, namespace, labels string, visit func(T)) error {
	config := rest.CopyConfig(c.config)
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return fmt.Errorf("cannot make a client: %w", err)
	}
	where := pathOf(kind, namespace)
	for token := ""; ; {
		raw, err := c.rawPage(ctx, client, where, labels, token)
		if err != nil {
			return c.explain(err, "list", kind, namespace, "")
		}
		page := struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []T `json:"items"`
		}{}
		if err := json.Unmarshal(raw, &page); err != nil {
			return fmt.Errorf("cannot read the list of %s: %w", kind.Kind, err)
		}
		for _, item := range page.Items {
			visit(item)
		}
		if token = page.Metadata.Continue; token == "" {
			return nil
		}
	}
}

func (c *Client) rawPage(ctx context.Context, client *rest.RESTClient, where, labels, token string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	request := client.Get().AbsPath(where).Param("limit", strconv.Itoa(pageSize))
	if labels != "" {
		request = request.Param("labelSelector", labels)
	}
	if token != "" {
		request = request.Param("continue", token)
	}
	result := request.Do(ctx)
	// Only Error reads what the server says.
	if err := result.Error(); err != nil {
		return nil, err //nolint:wrapcheck // The caller explains it.
	}
	return result.Raw() //nolint:wrapcheck // The caller explains it.
}

// pathOf the objects of a kind. Only the core has no group.
func pathOf(kind schema.GroupVersionKind, namespace string) string {
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	parts := []string{"/apis", plural.Group, plural.Version}
	if plural.Group == "" {
		parts = []string{"/api", plural.Version}
	}
	if namespace != "" {
		parts = append(parts, "namespaces", namespace)
	}
	return path.Join(append(parts, plural.Resource)...)
}
