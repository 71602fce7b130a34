// Package cluster is the plugin's way to the API server.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/function-chroma/function-chroma/plugin/exit"
)

const (
	// Manager is the field manager of everything the plugin writes.
	Manager = "kubectl-chroma"
	// patience with one request: a server that hangs must not hang the plugin.
	patience = 5 * time.Second
	// pageSize of lists.
	pageSize = 500
)

// A Client of one API server. The kinds it is asked for follow the usual plurals, so it needs no discovery.
type Client struct {
	dynamic  dynamic.Interface
	config   *rest.Config
	patience time.Duration
}

// New client. A timeout in the config (--request-timeout) replaces the client's own patience.
func New(config *rest.Config) (*Client, error) {
	config = rest.CopyConfig(config)
	// The API server has its own priority and fairness. A client that holds itself back fails where the server would not.
	config.QPS = -1
	wait := patience
	if config.Timeout > 0 {
		wait = config.Timeout
	}
	config.Timeout = 0
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return cut{next: next} })
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client: %w", err)
	}
	return &Client{dynamic: client, config: config, patience: wait}, nil
}

// Patience with one request.
func (c *Client) Patience() time.Duration { return c.patience }

// Config of the connection, for what is not a request for an object.
func (c *Client) Config() *rest.Config { return rest.CopyConfig(c.config) }

func (c *Client) resource(kind schema.GroupVersionKind, namespace string) dynamic.ResourceInterface {
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	if namespace == "" {
		return c.dynamic.Resource(plural)
	}
	return c.dynamic.Resource(plural).Namespace(namespace)
}

// Get an object.
func (c *Client) Get(ctx context.Context, kind schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	object, err := c.resource(kind, namespace).Get(ctx, name, metav1.GetOptions{})
	return object, c.explain(err, "read", kind, namespace, name)
}

// Find is Get for callers to whom absence is no error: nil. Where the kind is not served, or a proxy answers in the API
// server's place, nobody knows whether the object is there.
func (c *Client) Find(ctx context.Context, kind schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	object, err := c.Get(ctx, kind, namespace, name)
	switch {
	case err == nil:
		return object, nil
	case apierrors.IsNotFound(err) && !noKind(err):
		return nil, nil
	}
	return nil, err
}

// List the objects of a kind, read page by page. An empty namespace means all.
func (c *Client) List(ctx context.Context, kind schema.GroupVersionKind, namespace, labels string) ([]*unstructured.Unstructured, error) {
	return c.list(ctx, kind, namespace, metav1.ListOptions{LabelSelector: labels})
}

// ListWhere is List of those whose fields have the values that a field selector gives.
func (c *Client) ListWhere(ctx context.Context, kind schema.GroupVersionKind, namespace, fields string) ([]*unstructured.Unstructured, error) {
	return c.list(ctx, kind, namespace, metav1.ListOptions{FieldSelector: fields})
}

func (c *Client) list(ctx context.Context, kind schema.GroupVersionKind, namespace string, options metav1.ListOptions) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	options.Limit = pageSize
	for {
		page, err := c.page(ctx, kind, namespace, options)
		if err != nil {
			return nil, c.explain(err, "list", kind, namespace, "")
		}
		for i := range page.Items {
			out = append(out, &page.Items[i])
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return out, nil
		}
	}
}

func (c *Client) page(ctx context.Context, kind schema.GroupVersionKind, namespace string, options metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	return c.resource(kind, namespace).List(ctx, options) //nolint:wrapcheck // The caller explains it.
}

// Apply an object as the plugin's own: only the fields that are given. Unless it is forced, a field that another manager
// has is a conflict.
func (c *Client) Apply(ctx context.Context, object *unstructured.Unstructured, force, dryRun bool) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	applied, err := c.resource(object.GroupVersionKind(), object.GetNamespace()).Apply(ctx, object.GetName(), object,
		metav1.ApplyOptions{FieldManager: Manager, Force: force, DryRun: dryRunOf(dryRun)})
	return applied, c.explain(err, "apply", object.GroupVersionKind(), object.GetNamespace(), object.GetName())
}

// Merge a JSON merge patch into an object.
func (c *Client) Merge(ctx context.Context, kind schema.GroupVersionKind, namespace, name string, patch []byte, dryRun bool) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	patched, err := c.resource(kind, namespace).Patch(ctx, name, types.MergePatchType, patch,
		metav1.PatchOptions{FieldManager: Manager, DryRun: dryRunOf(dryRun)})
	return patched, c.explain(err, "change", kind, namespace, name)
}

// Create an object.
func (c *Client) Create(ctx context.Context, object *unstructured.Unstructured, dryRun bool) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	created, err := c.resource(object.GroupVersionKind(), object.GetNamespace()).Create(ctx, object,
		metav1.CreateOptions{FieldManager: Manager, DryRun: dryRunOf(dryRun)})
	return created, c.explain(err, "create", object.GroupVersionKind(), object.GetNamespace(), object.GetName())
}

// Delete an object of that identity.
func (c *Client) Delete(ctx context.Context, object *unstructured.Unstructured, dryRun bool) error {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	uid := object.GetUID()
	err := c.resource(object.GroupVersionKind(), object.GetNamespace()).Delete(ctx, object.GetName(),
		metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}, DryRun: dryRunOf(dryRun)})
	return c.explain(err, "delete", object.GroupVersionKind(), object.GetNamespace(), object.GetName())
}

func dryRunOf(on bool) []string {
	if on {
		return []string{metav1.DryRunAll}
	}
	return nil
}

// explain an error of the API server. Its own words name verb and resource of a missing permission.
func (c *Client) explain(err error, verb string, kind schema.GroupVersionKind, namespace, name string) error {
	if err == nil {
		return nil
	}
	what := kind.Kind
	if name != "" {
		what += " " + name
	}
	if namespace != "" {
		what += " in namespace " + namespace
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return exit.Errorf(exit.TimedOut, "cannot %s %s: the API server did not answer within %s", verb, what, c.patience)
	case meta.IsNoMatchError(err), noKind(err):
		return fmt.Errorf("cannot %s %s: the API server does not serve %s: %w", verb, what, kind.GroupVersion(), err)
	}
	return fmt.Errorf("cannot %s %s: %w", verb, what, err)
}

// noKind tells whether the server does not know the kind, rather than the object.
func noKind(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && apierrors.IsNotFound(err) && (status.Status().Details == nil || status.Status().Details.Name == "")
}
