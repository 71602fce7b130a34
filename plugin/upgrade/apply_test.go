package upgrade_test

import (
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// post has a fault for creations only.
func post(fault fixture.Fault) fixture.Fault {
	return func(w http.ResponseWriter, r *http.Request) bool {
		return r.Method == http.MethodPost && fault(w, r)
	}
}

// argo is a GitOps controller that writes the image.
func argo(objects []*unstructured.Unstructured) {
	for _, object := range objects {
		if object.GetKind() != "Chroma" {
			continue
		}
		entries := object.GetManagedFields()
		for i := range entries {
			if strings.HasPrefix(entries[i].Manager, "kubectl") {
				entries[i].Manager = "argocd-controller"
			}
		}
		object.SetManagedFields(entries)
	}
}

func TestApply(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  string
		args   []string
		fault  fixture.Fault
		change func([]*unstructured.Unstructured)
		code   exit.Code
		want   string
		// writes that reach the API server without a dry run.
		writes int
	}{
		"Allowed":   {reason: "One field is applied as the plugin's own.", state: "ready", args: []string{"--image", repository + "1.5.10", "--yes"}, want: "chroma default/demo applied", writes: 1},
		"Refused":   {reason: "A refused image changes nothing.", state: "ready", args: []string{"--image", repository + "1.5.8", "--yes"}, code: exit.Refused, want: "Downgrade"},
		"NotAsked":  {reason: "Without a terminal --yes is needed.", state: "ready", args: []string{"--image", repository + "1.5.10"}, code: exit.Usage, want: "--yes"},
		"DryRun":    {reason: "A dry run of the client changes nothing.", state: "ready", args: []string{"--image", repository + "1.5.10", "--dry-run", "client"}, want: "would be applied"},
		"ServerDry": {reason: "A dry run of the server changes nothing.", state: "ready", args: []string{"--image", repository + "1.5.10", "--dry-run", "server"}, want: "applied (server dry run)"},
		"Notes":     {reason: "What the plugin could not read is told before the question.", state: "ready", args: []string{"--image", repository + "1.5.10", "--yes"}, fault: fixture.Forbid("/compositionrevisions/"), want: "Note  the function's settings are not known", writes: 1},
		"File":      {reason: "Who applied a file is told to change it there too.", state: "ready", args: []string{"--image", repository + "1.5.10", "--yes"}, want: "change it there too", writes: 1},
		"GitOps":    {reason: "A controller that would set it back is named, and --yes is no answer to that.", state: "ready", change: argo, args: []string{"--image", repository + "1.5.10", "--yes"}, code: exit.Refused, want: "written by argocd-controller"},
		"GitOpsDry": {reason: "A dry run says so too.", state: "ready", change: argo, args: []string{"--image", repository + "1.5.10", "--dry-run", "server"}, code: exit.Refused, want: "written by argocd-controller"},
		"Forced":    {reason: "It can be taken over.", state: "ready", change: argo, args: []string{"--image", repository + "1.5.10", "--yes", "--force-conflicts"}, want: "chroma default/demo applied", writes: 1},
		"Vectors":   {reason: "A distributed Chroma has a version and no image.", state: "distributed-ready", args: []string{"--image", repository + "1.5.10", "--yes"}, code: exit.Usage, want: "spec.distributed.version"},
		"NoImage":   {reason: "An image is needed.", state: "ready", code: exit.Usage, want: "--image"},
		"BadDryRun": {reason: "Another value of --dry-run is a usage error.", state: "ready", args: []string{"--image", "x", "--dry-run", "maybe"}, code: exit.Usage, want: "--dry-run"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects := fixture.Load(t, tc.state)
			if tc.change != nil {
				tc.change(objects)
			}
			server := fixture.Serve(t, objects...)
			server.Fault = tc.fault
			got := fixture.Run(t, server, "", append([]string{"upgrade", "apply", "demo", "-n", "default", "--check-registry=false"}, tc.args...)...)
			if got.Code != tc.code || !strings.Contains(got.Out+got.Err, tc.want) {
				t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, tc.want, got)
			}
			unchecked := 0
			for _, write := range server.Writes() {
				if !strings.Contains(write.Query, "dryRun=All") {
					unchecked++
					if want := "fieldManager=kubectl-chroma"; !strings.Contains(write.Query, want) {
						t.Errorf("a write without %s: %v", want, write)
					}
				}
			}
			if unchecked != tc.writes {
				t.Errorf("\n%s\nwant %d writes, got %v", tc.reason, tc.writes, server.Writes())
			}
		})
	}
}
