package check_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// store is as much of S3 as a listing takes.
func store(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server.URL
}

// silent accepts connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return "http://" + listener.Addr().String()
}

// vectors are a distributed Chroma with the endpoint as its bucket, whose composition step lets it and more hosts be
// connected to, and a Postgres at a port where nothing is.
func vectors(t *testing.T, endpoint string, hosts ...any) []*unstructured.Unstructured {
	t.Helper()
	objects := fixture.Load(t, "distributed-ready")
	for _, object := range objects {
		switch object.GetKind() {
		case "Chroma":
			_ = unstructured.SetNestedField(object.Object, endpoint, "spec", "distributed", "objectStorage", "s3", "endpoint")
			_ = unstructured.SetNestedField(object.Object, "127.0.0.1", "spec", "distributed", "postgres", "host")
			_ = unstructured.SetNestedField(object.Object, int64(1), "spec", "distributed", "postgres", "port")
		case "CompositionRevision":
			steps, _, _ := unstructured.NestedSlice(object.Object, "spec", "pipeline")
			steps[0].(map[string]any)["input"] = map[string]any{
				"apiVersion": "chroma.fn.crossplane.io/v1beta1", "kind": "Input", "checks": map[string]any{"hosts": map[string]any{"allowed": append(hosts, "127.0.0.1")}},
			}
			_ = unstructured.SetNestedSlice(object.Object, steps, "spec", "pipeline")
		}
	}
	return objects
}

func TestPostgresAndTheBucketAreAskedFromHere(t *testing.T) {
	listing := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `<?xml version="1.0"?><ListBucketResult><Name>chroma-storage</Name><KeyCount>0</KeyCount></ListBucketResult>`)
	}
	refusing := func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>InvalidAccessKeyId</Code></Error>`)
	}
	cases := map[string]struct {
		reason   string
		endpoint func(*testing.T) string
		fault    fixture.Fault
		args     []string
		code     exit.Code
		want     []string
		not      string
	}{
		"Bucket": {reason: "A bucket that can be listed passes, and a Postgres that is not there is a warning, since it can be there for the cluster.",
			endpoint: func(t *testing.T) string { return store(t, listing) }, want: []string{"passed   Bucket from here", "warning  Postgres from here", "Unreachable"}},
		"Credentials": {reason: "Credentials that are refused are refused everywhere.",
			endpoint: func(t *testing.T) string { return store(t, refusing) }, code: exit.Unhealthy, want: []string{"failed   Bucket from here", "AuthenticationFailed"}},
		"Hangs": {reason: "What hangs is cut, and is one line.",
			endpoint: silent, want: []string{"warning  Bucket from here", "Timeout", "AVX-512"}},
		"Skipped": {reason: "Both can be left out.", args: []string{"--postgres=false", "--bucket=false"},
			endpoint: silent, want: []string{"AVX-512"}, not: "from here"},
		"OnlyBucket": {reason: "One can be left out.", args: []string{"--postgres=false"},
			endpoint: func(t *testing.T) string { return store(t, listing) }, want: []string{"passed   Bucket from here"}, not: "Postgres from here"},
		"NoSecrets": {reason: "Who may not read the Secrets is told so, and the rest is there.", fault: fixture.Forbid("/secrets"),
			endpoint: silent, want: []string{"skipped  Postgres from here", `cannot get resource "secrets"`, "AVX-512"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, vectors(t, tc.endpoint(t))...)
			server.Fault = func(w http.ResponseWriter, r *http.Request) bool {
				return tc.fault != nil && tc.fault(w, r) || (&world{}).fault(w, r)
			}
			got := fixture.Run(t, server, "", append([]string{"check", "demo", "-n", "default"}, tc.args...)...)
			if got.Code != tc.code {
				t.Errorf("\n%s\nwant exit code %d, got:\n%s", tc.reason, tc.code, got)
			}
			flat := strings.Join(strings.Fields(got.Out), " ")
			for _, want := range tc.want {
				if !strings.Contains(got.Out, want) && !strings.Contains(flat, want) {
					t.Errorf("\n%s\nwant %q, got:\n%s", tc.reason, want, got)
				}
			}
			if tc.not != "" && strings.Contains(got.Out, tc.not) {
				t.Errorf("\n%s\n%q is there:\n%s", tc.reason, tc.not, got)
			}
			for _, secret := range []string{"s3cret", "a/b+c"} {
				if strings.Contains(fmt.Sprint(got), secret) {
					t.Errorf("a credential is printed: %s", got)
				}
			}
		})
	}
}
