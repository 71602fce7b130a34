package check_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// world answers for the API server's authorization and for the Chroma server behind its proxy.
type world struct {
	denied   string
	readOnly bool
	requests []string
}

func (w *world) fault(response http.ResponseWriter, request *http.Request) bool {
	switch {
	case strings.HasSuffix(request.URL.Path, "/subjectaccessreviews"):
		body, _ := io.ReadAll(request.Body)
		allowed := w.denied == "" || !strings.Contains(string(body), `"resource":"`+w.denied+`"`)
		_ = json.NewEncoder(response).Encode(map[string]any{"status": map[string]any{"allowed": allowed}})
		return true
	case strings.Contains(request.URL.Path, "/proxy/"):
		_, collection, _ := strings.Cut(request.URL.Path, "/collections")
		w.requests = append(w.requests, request.Method+" /collections"+collection)
		if w.readOnly && strings.HasSuffix(request.URL.Path, "/add") {
			response.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(response, "attempt to write a readonly database")
			return true
		}
		_, _ = io.WriteString(response, `{"id":"abc"}`)
		return true
	}
	return false
}

func TestCheck(t *testing.T) {
	cases := map[string]struct {
		state string
		world world
		args  []string
	}{
		"healthy":     {state: "ready"},
		"read-only":   {state: "ready", world: world{readOnly: true}},
		"no-rights":   {state: "ready", world: world{denied: "persistentvolumeclaims"}},
		"no-function": {state: "no-function"},
		"no-server":   {state: "claim-lost"},
		"no-probe":    {state: "ready", args: []string{"--probe=false"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.state)...)
			server.Fault = tc.world.fault
			got := fixture.Run(t, server, "", append([]string{"check", "demo", "-n", "default"}, tc.args...)...)
			fixture.Golden(t, name+".txt", got.String())
			if n := len(tc.world.requests); n > 0 && !strings.HasPrefix(tc.world.requests[n-1], "DELETE ") {
				t.Errorf("the scratch collection is removed last: %v", tc.world.requests)
			}
		})
	}
}

func TestCheckOfAFile(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	server.Fault = (&world{}).fault
	file := "apiVersion: chroma.chromadotnet.org/v1alpha1\nkind: Chroma\nmetadata: {name: next}\nspec: {storage: {size: 1Gi, storageClass: slow}}\n"
	got := fixture.Run(t, server, file, "check", "-f", "-", "-n", "default")
	if got.Code != exit.Unhealthy || !strings.Contains(got.Out, "there is no StorageClass slow") {
		t.Errorf("a missing class is found before the Chroma is created: %s", got)
	}
}

func TestAProbeThatHangsIsALine(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	server.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		return fixture.Hang("/proxy/")(w, r) || (&world{}).fault(w, r)
	}
	got := fixture.Run(t, server, "", "check", "demo", "-n", "default", "--request-timeout", "200ms")
	if got.Code != exit.Unhealthy || !strings.Contains(got.Out, "no answer within 200ms") || !strings.Contains(got.Out, "Storage class") {
		t.Errorf("the rest of the report is there: %s", got)
	}
}
