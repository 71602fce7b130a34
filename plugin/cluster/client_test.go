package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
)

// connect to a server with a patience; 0 is the client's own.
func connect(t *testing.T, patience time.Duration, serve http.HandlerFunc) *cluster.Client {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	client, err := cluster.New(&rest.Config{Host: server.URL, Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func TestAServerThatHangsIsGivenUpAfterFiveSecondsByDefault(t *testing.T) {
	t.Parallel()
	client := connect(t, 0, hang)
	requests := map[string]func(context.Context) error{
		"Get": func(ctx context.Context) error {
			_, err := client.Get(ctx, cluster.Pod(), "default", "demo-1")
			return err
		},
		"Log": func(ctx context.Context) error { _, err := client.Raw(ctx, "/log", false); return err },
	}
	for name, request := range requests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			err := request(t.Context())
			if exit.CodeOf(err) != exit.TimedOut || !strings.Contains(err.Error(), "within 5s") {
				t.Errorf("want that it did not answer within 5s, got %v", err)
			}
			if took := time.Since(begun); took < 5*time.Second || took > 8*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestOnlyTheAPIServerSaysThatAnObjectIsAbsent(t *testing.T) {
	cases := map[string]struct {
		reason, body string
		err          bool
	}{
		"Object": {reason: "An object that is not there is no error.", body: `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,"details":{"name":"demo-1","kind":"persistentvolumeclaims"}}`},
		"Kind":   {reason: "A kind that is not served can have objects all the same, while the API server starts for example.", body: "404 page not found\n", err: true},
		"Proxy":  {reason: "Nor does a proxy know what there is.", body: "<html>Not Found</html>", err: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			client := connect(t, 0, func(w http.ResponseWriter, _ *http.Request) {
				if strings.HasPrefix(tc.body, "{") {
					w.Header().Set("Content-Type", "application/json")
				}
				w.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(w, tc.body)
			})
			object, err := client.Find(t.Context(), cluster.PersistentVolumeClaim(), "default", "demo-1")
			if (err != nil) != tc.err || object != nil {
				t.Errorf("\n%s\nwant an error: %t, got %v and %v", tc.reason, tc.err, object, err)
			}
		})
	}
}

func TestALogIsGivenUpWhenNothingComes(t *testing.T) {
	t.Parallel()
	const patience = 300 * time.Millisecond
	pieces := func(count int, pause time.Duration) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for i := range count {
				_, _ = fmt.Fprintln(w, i)
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
				case <-time.After(pause):
				}
			}
		}
	}
	cases := map[string]struct {
		reason string
		serve  http.HandlerFunc
		follow bool
		want   string
		code   exit.Code
	}{
		"Slow":     {reason: "A long log may take longer than a request, as long as it comes.", serve: pieces(8, patience/4), want: "0\n1\n2\n3\n4\n5\n6\n7\n"},
		"Stuck":    {reason: "A log that stops in the middle is given up, and what came is there.", serve: pieces(2, time.Minute), want: "0\n", code: exit.TimedOut},
		"Followed": {reason: "A log that is followed may be silent.", serve: pieces(2, 2*patience), follow: true, want: "0\n1\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, err := connect(t, patience, tc.serve).Raw(t.Context(), "/log", tc.follow)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(body)
			if string(got) != tc.want || exit.CodeOf(err) != tc.code {
				t.Errorf("\n%s\nwant %q and exit code %d, got %q and %v", tc.reason, tc.want, tc.code, got, err)
			}
			if err := body.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestARefusalBehindTheProxyHasItsCode(t *testing.T) {
	client := connect(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"NotFoundError"}`)
	})
	var refusal cluster.Refusal
	err := client.Call(t.Context(), http.MethodDelete, "/proxy", nil, nil)
	if !errors.As(err, &refusal) || refusal.Code != http.StatusNotFound || !strings.Contains(err.Error(), "NotFoundError") {
		t.Errorf("want the code 404 and the server's words, got %v", err)
	}
}
