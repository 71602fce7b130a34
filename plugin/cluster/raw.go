package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/function-chroma/function-chroma/plugin/exit"
)

// Call a path with a JSON body, and decode the JSON answer into out, where it is not nil: what goes through the API
// server's proxy to a Service.
func (c *Client) Call(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	var content []byte
	if in != nil {
		var err error
		if content, err = json.Marshal(in); err != nil {
			return fmt.Errorf("cannot encode the request: %w", err)
		}
	}
	response, err := c.send(ctx, method, path, content)
	if errors.Is(err, context.DeadlineExceeded) {
		return exit.Errorf(exit.TimedOut, "no answer within %s", c.patience)
	}
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(out); err != nil {
		return fmt.Errorf("cannot decode the answer: %w", err)
	}
	return nil
}

func (c *Client) send(ctx context.Context, method, path string, content []byte) (*http.Response, error) {
	base, _, err := rest.DefaultServerUrlFor(c.config)
	if err != nil {
		return nil, fmt.Errorf("cannot read the server's address: %w", err)
	}
	way, err := url.Parse(path)
	if err != nil {
		return nil, fmt.Errorf("cannot parse %s: %w", path, err)
	}
	// The server may itself be behind a path.
	way.Scheme, way.Host, way.Path = base.Scheme, base.Host, strings.TrimSuffix(base.Path, "/")+way.Path
	request, err := http.NewRequestWithContext(ctx, method, way.String(), bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("cannot make the request: %w", err)
	}
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	client, err := rest.HTTPClientFor(c.config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err //nolint:wrapcheck // It says which request it was.
	}
	if response.StatusCode < http.StatusBadRequest {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	const enough = 4096
	text, _ := io.ReadAll(io.LimitReader(response.Body, enough))
	status := metav1.Status{}
	if json.Unmarshal(text, &status) == nil && status.Kind == "Status" && status.Message != "" {
		return nil, &apierrors.StatusError{ErrStatus: status}
	}
	return nil, Refusal{Code: response.StatusCode, text: fmt.Sprintf("%s: %s", response.Status, strings.TrimSpace(string(text)))}
}

// A Refusal is an answer of a server behind the API server's proxy, which has its own words for what is wrong.
type Refusal struct {
	Code int
	text string
}

func (r Refusal) Error() string { return r.text }
