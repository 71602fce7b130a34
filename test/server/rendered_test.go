package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
	"github.com/function-chroma/function-chroma/test/server"
	"github.com/function-chroma/function-chroma/test/server/client"
)

// release is the one that the function runs by default.
const release = "1.5.9"

// rendered returns options that start a server as the function's own ConfigMap and Pod say, on an empty volume.
func rendered(t *testing.T, config *chroma.Config) server.Options {
	t.Helper()
	of := &chroma.Chroma{ObjectMeta: metav1.ObjectMeta{Name: "demo", Namespace: "default"}}
	of.Spec.Config = config
	file, err := objects.ConfigFile(config)
	if err != nil {
		t.Fatal(err)
	}
	pod := objects.Pod(of, "docker.io/chromadb/chroma:"+release, chroma.ProductChroma, settings.Security{})
	return server.Options{
		Volume:    t.TempDir(),
		Config:    []byte(objects.ConfigMap("demo", "default", file).Data[objects.ConfigKey]),
		Arguments: pod.Spec.Containers[0].Args,
	}
}

// TestRendered runs the server that the function renders through its life.
func TestRendered(t *testing.T) {
	running := server.Start(t, server.Require(t, release), rendered(t, nil))
	database := client.New(running.URL)
	collection, err := database.CreateCollection(t.Context(), client.Collection{Name: "articles"})
	if err != nil {
		t.Fatal(err)
	}
	if err := database.Add(t.Context(), collection.ID, client.Records{
		IDs: []string{"north", "east"}, Embeddings: [][]float32{{1, 0}, {0, 1}},
	}); err != nil {
		t.Fatal(err)
	}
	found, err := database.Query(t.Context(), collection.ID, client.Query{Embeddings: [][]float32{{0.2, 0.8}}, Results: 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"east"}}, found.IDs); diff != "" {
		t.Errorf("\nThe nearest record is found\nQuery(...): -want, +got:\n%s", diff)
	}
	server.StopClean(t, running)
	// Older releases, and this one without stdout_tracing, say nothing of what they do.
	if !strings.Contains(running.Output(), "SIGTERM") {
		t.Errorf("Output(): want a server that logs its end, got:\n%s", running.Output())
	}
}

// A configCase is one of the table that the API is tested with, too.
type configCase struct {
	Name   string `yaml:"name"`
	Reason string `yaml:"reason"`
	// Config is spec.config.
	Config map[string]any `yaml:"config"`
	// Fails says when the server fails: at its start, or at each write.
	Fails string `yaml:"fails"`
}

func configCases(t *testing.T, name string) []configCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "apis", "chroma", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	cases := []configCase{}
	if err := yaml.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatalf("%s has no cases", name)
	}
	return cases
}

// TestAcceptedConfig starts a server with each configuration that the API accepts, and asks whether it does what the
// configuration says: a misspelt key would be ignored in silence.
func TestAcceptedConfig(t *testing.T) {
	program := server.Require(t, release)
	for _, tc := range configCases(t, "config-accepted.yaml") {
		t.Run(tc.Name, func(t *testing.T) {
			text, err := json.Marshal(tc.Config)
			if err != nil {
				t.Fatal(err)
			}
			config := &chroma.Config{}
			if err := json.Unmarshal(text, config); err != nil {
				t.Fatal(err)
			}
			running := server.Start(t, program, rendered(t, config))
			const size = 1000
			wantCreated := config.MaxPayloadSizeBytes == nil || *config.MaxPayloadSizeBytes >= size
			if got := post(t, running, size) != http.StatusRequestEntityTooLarge; got != wantCreated {
				t.Errorf("\n%s\nPOST of %d bytes is let in: want %t, got %t", tc.Reason, size, wantCreated, got)
			}
			for _, origin := range config.CORSAllowOrigins {
				if got := allowedOrigin(t, running, origin); got != origin {
					t.Errorf("\n%s\nAccess-Control-Allow-Origin: want %q, got %q", tc.Reason, origin, got)
				}
			}
			if got := allowedOrigin(t, running, "https://other.example.com"); got == "https://other.example.com" {
				t.Errorf("\n%s\nAccess-Control-Allow-Origin: an origin that is not listed is allowed", tc.Reason)
			}
			server.StopClean(t, running)
		})
	}
}

// TestRefusedConfig shows that a server fails with each configuration that the API refuses.
func TestRefusedConfig(t *testing.T) {
	program := server.Require(t, release)
	for _, tc := range configCases(t, "config-refused.yaml") {
		t.Run(tc.Name, func(t *testing.T) {
			options := rendered(t, nil)
			options.Overlay = overlay(t, tc.Config)
			running, err := server.Run(t.Context(), program, options)
			if running != nil {
				t.Cleanup(func() {
					if err := running.Kill(); err != nil {
						t.Error(err)
					}
				})
			}
			exit := (*server.ExitError)(nil)
			if ended := errors.As(err, &exit); ended != (tc.Fails == "start") {
				t.Fatalf("\n%s\nRun(...): want a server that fails at its %s, got: %v", tc.Reason, tc.Fails, err)
			}
			if exit != nil {
				return
			}
			if want, got := http.StatusRequestEntityTooLarge, post(t, running, 1); want != got {
				t.Errorf("\n%s\nPOST: want status %d, got %d", tc.Reason, want, got)
			}
		})
	}
}

// overlay writes spec.config with the keys of the server's file, whatever its values are.
func overlay(t *testing.T, config map[string]any) string {
	t.Helper()
	keys := map[string]string{"maxPayloadSizeBytes": "max_payload_size_bytes", "corsAllowOrigins": "cors_allow_origins"}
	file := map[string]any{}
	for key, value := range config {
		if keys[key] == "" {
			t.Fatalf("the server's key of %q is not known", key)
		}
		file[keys[key]] = value
	}
	text, err := yaml.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// post sends a body of a size that is no valid request, and returns the status.
func post(t *testing.T, running *server.Server, size int) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		running.URL+"/api/v2/tenants/default_tenant/databases/default_database/collections", bytes.NewReader(make([]byte, size)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	status, _ := do(t, request)
	return status
}

// allowedOrigin returns the origin that the server lets a browser's page of an origin read answers from.
func allowedOrigin(t *testing.T, running *server.Server, origin string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, running.URL+"/api/v2/heartbeat", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Origin", origin)
	_, header := do(t, request)
	return header.Get("Access-Control-Allow-Origin")
}

func do(t *testing.T, request *http.Request) (int, http.Header) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode, response.Header
}
