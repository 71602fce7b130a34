// Package client is a small client of Chroma's HTTP API, version 2, in the default tenant and database: what tests and
// trials of a server need.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Client speaks to one server.
type Client struct {
	base string
	http *http.Client
}

// timeout of a request: a server in trouble may never answer one.
const timeout = 30 * time.Second

// New returns a client of the server at an address such as http://127.0.0.1:8000.
func New(address string) *Client {
	return &Client{base: strings.TrimSuffix(address, "/") + "/api/v2", http: &http.Client{Timeout: timeout}}
}

// NewVia is New with an HTTP client of the caller's, for a server that is reached through something else.
func NewVia(address string, via *http.Client) *Client {
	c := New(address)
	c.http = via
	return c
}

// An Error is an answer of the server other than success.
type Error struct {
	// Status is the code of the HTTP answer.
	Status int `json:"-"`
	// Kind is the server's name of the error, empty when the answer is no JSON.
	Kind string `json:"error"`
	// Message is the server's text.
	Message string `json:"message"`
}

func (e *Error) Error() string {
	return fmt.Sprintf("server answered %d %s: %s", e.Status, e.Kind, e.Message)
}

// Heartbeat asks what the probes of a Pod ask.
func (c *Client) Heartbeat(ctx context.Context) error {
	return c.call(ctx, http.MethodGet, "/heartbeat", nil, nil)
}

// CreateCollection makes a collection.
func (c *Client) CreateCollection(ctx context.Context, collection Collection) (Collection, error) {
	created := Collection{}
	err := c.call(ctx, http.MethodPost, collections, collection, &created)
	return created, err
}

// Collections lists all collections.
func (c *Client) Collections(ctx context.Context) ([]Collection, error) {
	list := []Collection{}
	err := c.call(ctx, http.MethodGet, collections, nil, &list)
	return list, err
}

// Collection finds a collection by its name.
func (c *Client) Collection(ctx context.Context, name string) (Collection, error) {
	found := Collection{}
	err := c.call(ctx, http.MethodGet, collections+"/"+url.PathEscape(name), nil, &found)
	return found, err
}

// DeleteCollection deletes a collection by its name.
func (c *Client) DeleteCollection(ctx context.Context, name string) error {
	return c.call(ctx, http.MethodDelete, collections+"/"+url.PathEscape(name), nil, nil)
}

// Add adds records. Those whose ID is there already stay as they are.
func (c *Client) Add(ctx context.Context, collection string, records Records) error {
	return c.records(ctx, collection, "add", records, nil)
}

// Upsert adds records or replaces them.
func (c *Client) Upsert(ctx context.Context, collection string, records Records) error {
	return c.records(ctx, collection, "upsert", records, nil)
}

// Update changes records that are there.
func (c *Client) Update(ctx context.Context, collection string, records Records) error {
	return c.records(ctx, collection, "update", records, nil)
}

// Delete deletes the selected records.
func (c *Client) Delete(ctx context.Context, collection string, selection Selection) error {
	return c.records(ctx, collection, "delete", selection, nil)
}

// Get returns the selected records with what the selection includes.
func (c *Client) Get(ctx context.Context, collection string, selection Selection) (Records, error) {
	found := Records{}
	err := c.records(ctx, collection, "get", selection, &found)
	return found, err
}

// Query returns the records next to each embedding of the query.
func (c *Client) Query(ctx context.Context, collection string, query Query) (Neighbours, error) {
	found := Neighbours{}
	err := c.records(ctx, collection, "query", query, &found)
	return found, err
}

// Count returns the number of records.
func (c *Client) Count(ctx context.Context, collection string) (int, error) {
	count := 0
	err := c.call(ctx, http.MethodGet, collections+"/"+collection+"/count", nil, &count)
	return count, err
}

const collections = "/tenants/default_tenant/databases/default_database/collections"

func (c *Client) records(ctx context.Context, collection, verb string, body, answer any) error {
	return c.call(ctx, http.MethodPost, collections+"/"+collection+"/"+verb, body, answer)
}

func (c *Client) call(ctx context.Context, method, path string, body, answer any) error {
	content := io.Reader(http.NoBody)
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("cannot write the request %s %s: %w", method, path, err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return fmt.Errorf("cannot make the request %s %s: %w", method, path, err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("cannot reach the server: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("cannot read the answer to %s %s: %w", method, path, err)
	}
	if response.StatusCode/100 != 2 {
		refusal := &Error{}
		if json.Unmarshal(text, refusal) != nil {
			refusal.Message = string(text)
		}
		refusal.Status = response.StatusCode
		return fmt.Errorf("cannot %s %s: %w", method, path, refusal)
	}
	if answer == nil {
		return nil
	}
	// Numbers keep their text: 1 and 1.0 are metadata of two types.
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(answer); err != nil {
		return fmt.Errorf("cannot read the answer to %s %s: %w: %s", method, path, err, text)
	}
	return nil
}
