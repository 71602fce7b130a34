package check_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/function-chroma/function-chroma/plugin/command"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// world answers for the API server's authorization and for the Chroma server behind its proxy.
type world struct {
	// denied resource, * for all.
	denied string
	// mute is the end of the path of requests to the server that it carries out, and never answers.
	mute string
	// readOnly and lasting: it refuses records, and the removal of collections.
	readOnly, lasting bool
	requests          []string
	// collections that are there, and users whose rights were asked for.
	collections, users map[string]bool
	lock               sync.Mutex
}

func (w *world) fault(response http.ResponseWriter, request *http.Request) bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	body, _ := io.ReadAll(request.Body)
	switch {
	case strings.HasSuffix(request.URL.Path, "/subjectaccessreviews"):
		review := struct {
			Spec struct {
				User               string
				ResourceAttributes struct{ Resource string }
			}
		}{}
		_ = json.Unmarshal(body, &review)
		if w.users == nil {
			w.users = map[string]bool{}
		}
		w.users[review.Spec.User] = true
		allowed := w.denied != "*" && w.denied != review.Spec.ResourceAttributes.Resource
		_ = json.NewEncoder(response).Encode(map[string]any{"status": map[string]any{"allowed": allowed}})
		return true
	case strings.Contains(request.URL.Path, "/proxy/"):
		w.serve(response, request, body)
		return true
	}
	return false
}

// serve as Chroma does, as far as collections go.
func (w *world) serve(response http.ResponseWriter, request *http.Request, body []byte) {
	_, collection, _ := strings.Cut(request.URL.Path, "/collections")
	w.requests = append(w.requests, request.Method+" /collections"+collection)
	if w.collections == nil {
		w.collections = map[string]bool{}
	}
	answer := func(code int, text string) {
		response.WriteHeader(code)
		_, _ = io.WriteString(response, text)
	}
	name := strings.TrimPrefix(collection, "/")
	created := struct{ Name string }{}
	switch {
	case request.Method == http.MethodDelete && w.lasting:
		answer(http.StatusInternalServerError, "disk I/O error")
	case request.Method == http.MethodDelete && !w.collections[name]:
		answer(http.StatusNotFound, `{"error":"NotFoundError"}`)
	case request.Method == http.MethodDelete:
		delete(w.collections, name)
		answer(http.StatusOK, "{}")
	case collection == "":
		_ = json.Unmarshal(body, &created)
		w.collections[created.Name] = true
		if w.mute == "/collections" {
			<-request.Context().Done()
			return
		}
		answer(http.StatusOK, `{"id":"abc"}`)
	case w.mute != "" && strings.HasSuffix(collection, w.mute):
		<-request.Context().Done()
	case w.readOnly:
		answer(http.StatusInternalServerError, "attempt to write a readonly database")
	default:
		answer(http.StatusCreated, "{}")
	}
}

func TestCheck(t *testing.T) {
	cases := map[string]struct {
		state string
		world *world
		args  []string
	}{
		"healthy":     {state: "ready"},
		"read-only":   {state: "ready", world: &world{readOnly: true}},
		"lasting":     {state: "ready", world: &world{lasting: true}},
		"no-rights":   {state: "ready", world: &world{denied: "persistentvolumeclaims"}},
		"no-account":  {state: "ready", world: &world{denied: "*"}},
		"no-function": {state: "no-function"},
		"no-server":   {state: "claim-lost"},
		"no-probe":    {state: "ready", args: []string{"--probe=false"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.state)...)
			w := tc.world
			if w == nil {
				w = &world{}
			}
			server.Fault = w.fault
			got := fixture.Run(t, server, "", append([]string{"check", "demo", "-n", "default"}, tc.args...)...)
			fixture.Golden(t, name+".txt", got.String())
			if n := len(w.requests); n > 0 && !strings.HasPrefix(w.requests[n-1], "DELETE ") {
				t.Errorf("the scratch collection is removed last: %v", w.requests)
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

func TestTheScratchCollectionNeverStays(t *testing.T) {
	cases := map[string]struct {
		reason string
		world  *world
		// interrupt the check at the first request to the server.
		interrupt bool
		want      string
		stays     bool
	}{
		"Creation":    {reason: "A creation that is not answered can have been one.", world: &world{mute: "/collections"}, want: "no answer within"},
		"Record":      {reason: "A record that is not answered changes nothing about it.", world: &world{mute: "/add"}, want: "no answer within"},
		"Interrupted": {reason: "Who interrupts the check leaves nothing either.", world: &world{mute: "/add"}, interrupt: true, want: "interrupted; nothing of the check is left"},
		"Refused":     {reason: "Neither does a refusal.", world: &world{readOnly: true}, want: "readonly database"},
		"Stays":       {reason: "One that cannot be removed is named, also where the write failed.", world: &world{readOnly: true, lasting: true}, want: "could not be removed", stays: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			server.Fault = func(w http.ResponseWriter, r *http.Request) bool {
				if tc.interrupt && strings.HasSuffix(r.URL.Path, "/add") {
					time.AfterFunc(50*time.Millisecond, cancel)
				}
				return tc.world.fault(w, r)
			}
			streams, _, out, errOut := genericiooptions.NewTestIOStreams()
			args := []string{"check", "demo", "-n", "default", "--request-timeout", "300ms", "--server", server.URL, "--kubeconfig", os.DevNull}
			command.ExecuteAt(ctx, streams, func(string) string { return "" }, fixture.Now, args)
			if flat := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(flat, tc.want) {
				t.Errorf("\n%s\nwant %q, got:\n%s%s", tc.reason, tc.want, out, errOut)
			}
			tc.world.lock.Lock()
			defer tc.world.lock.Unlock()
			if stays := len(tc.world.collections) > 0; stays != tc.stays {
				t.Errorf("\n%s\ncollections that stay: %v", tc.reason, tc.world.collections)
			}
		})
	}
}

func TestTheRightsAreThoseOfTheAccountThatIsNamed(t *testing.T) {
	server, w := fixture.Serve(t, fixture.Load(t, "ready")...), &world{}
	server.Fault = w.fault
	got := fixture.Run(t, server, "", "check", "demo", "-n", "default", "--crossplane-namespace", "platform", "--crossplane-account", "core")
	if want := map[string]bool{"system:serviceaccount:platform:core": true}; !maps.Equal(want, w.users) || !strings.Contains(got.Out, "system:serviceaccount:platform:core has them") {
		t.Errorf("want %v, asked for %v:\n%s", want, w.users, got)
	}
}

func TestWhoMayNotReachTheServerIsToldSo(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	server.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		return fixture.Forbid("/proxy/")(w, r) || (&world{}).fault(w, r)
	}
	got := fixture.Run(t, server, "", "check", "demo", "-n", "default")
	if got.Code != exit.Fine || !strings.Contains(got.Out, "skipped  Write") {
		t.Errorf("that a person lacks a right is no failure of the server: %s", got)
	}
}

func TestTheOutputIsCheckedBeforeTheServerIsWrittenTo(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	got := fixture.Run(t, server, "", "check", "demo", "-n", "default", "-o", "yml")
	if requests := server.Requests(); got.Code != exit.Usage || len(requests) > 0 {
		t.Errorf("want a usage error and no request, got %v and\n%s", requests, got)
	}
}
