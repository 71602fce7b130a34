package upgrade_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// serve a registry, and give its address.
func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// holding is a registry in memory with one image.
func holding(t *testing.T, repository, tag string) string {
	t.Helper()
	host := serve(t, registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	reference, err := name.ParseReference(host + "/" + repository + ":" + tag)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(reference, empty.Image); err != nil {
		t.Fatal(err)
	}
	return host
}

func TestTheTagIsLookedUp(t *testing.T) {
	held := func(t *testing.T) string { return holding(t, "chroma", "1.5.10") }
	cases := map[string]struct {
		reason   string
		registry func(*testing.T) string
		tag      string
		args     []string
		code     exit.Code
		want     string
		not      string
	}{
		"There":        {reason: "A tag that is there is no word worth.", registry: held, tag: "1.5.10", want: "chroma default/demo applied", not: "warning"},
		"NotThere":     {reason: "A tag that the registry does not have would stop the server and start none.", registry: held, tag: "1.5.11", code: exit.Refused, want: "the registry does not have"},
		"NotAsked":     {reason: "The look can be left out.", registry: held, tag: "1.5.11", args: []string{"--check-registry=false"}, want: "chroma default/demo applied", not: "warning"},
		"NoRepository": {reason: "Neither does it have what is in no repository.", registry: func(t *testing.T) string { return serve(t, registry.New(registry.Logger(log.New(io.Discard, "", 0)))) }, tag: "1.5.10", code: exit.Refused, want: "the registry does not have"},
		"Unreachable":  {reason: "A registry that cannot be reached from here may be reached by the node.", registry: func(*testing.T) string { return "127.0.0.1:1" }, tag: "1.5.10", want: "warning: the image could not be looked up"},
		"Private": {reason: "So may one that wants to know who asks.", registry: func(t *testing.T) string {
			return serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
		}, tag: "1.5.10", want: "warning: the image could not be looked up"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			host := tc.registry(t)
			objects := fixture.Load(t, "ready")
			for _, object := range objects {
				switch object.GetKind() {
				case "Chroma":
					_ = unstructured.SetNestedField(object.Object, "chroma", "spec", "product")
				case "CompositionRevision":
					steps, _, _ := unstructured.NestedSlice(object.Object, "spec", "pipeline")
					steps[0].(map[string]any)["input"] = map[string]any{
						"apiVersion": "chroma.fn.crossplane.io/v1beta1", "kind": "Input", "images": map[string]any{"allowed": []any{host + "/chroma"}},
					}
					_ = unstructured.SetNestedSlice(object.Object, steps, "spec", "pipeline")
				}
			}
			server := fixture.Serve(t, objects...)
			got := fixture.Run(t, server, "", append([]string{"upgrade", "apply", "demo", "-n", "default", "--yes", "--image", host + "/chroma:" + tc.tag}, tc.args...)...)
			if got.Code != tc.code || !strings.Contains(got.Out+got.Err, tc.want) || (tc.not != "" && strings.Contains(got.Err, tc.not)) {
				t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, tc.want, got)
			}
			if applied := strings.Contains(got.Out, "applied"); applied != (tc.code == exit.Fine) {
				t.Errorf("\n%s\nthe image was changed: %v", tc.reason, applied)
			}
		})
	}
}
