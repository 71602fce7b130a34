package upgrade_test

import (
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

const repository = "docker.io/chromadb/chroma:"

func TestCheck(t *testing.T) {
	cases := map[string]struct{ state, image string }{
		"newer":           {"ready", repository + "1.5.10"},
		"same":            {"ready", repository + "1.5.9"},
		"older":           {"ready", repository + "1.5.8"},
		"older-format":    {"ready", repository + "1.4.1"},
		"vecturadb":       {"ready", "ghcr.io/vecturadb/vecturadb:1.0.0-preview.3"},
		"not-allowed":     {"ready", "example.org/chroma:1.5.9"},
		"without-version": {"ready", repository + "latest"},
		"incident":        {"incident", repository + "1.5.9"},
		"claim-lost":      {"claim-lost", repository + "1.5.9"},
		"claim-backed":    {"claim-backed", repository + "1.5.8"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.state)...)
			got := fixture.Run(t, server, "", "upgrade", "check", "demo", "-n", "default", "--image", tc.image)
			fixture.Golden(t, "check/"+name+".txt", got.String())
			if writes := server.Writes(); len(writes) > 0 {
				t.Errorf("a check writes nothing, and wrote %v", writes)
			}
		})
	}
}

func TestCheckOfMany(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	fixture.Golden(t, "check/table.txt", fixture.Run(t, server, "", "upgrade", "check", "-A", "--image", repository+"1.5.8").String())
	file := "apiVersion: chroma.chromadotnet.org/v1alpha1\nkind: Chroma\nmetadata: {name: demo, namespace: default}\nspec: {image: '" + repository + "1.4.1', storage: {size: 10Gi}}\n"
	fixture.Golden(t, "check/file.txt", fixture.Run(t, server, file, "upgrade", "check", "-f", "-").String())
	fixture.Golden(t, "check/one.json", fixture.Run(t, server, "", "upgrade", "check", "demo", "-n", "default", "--image", repository+"1.5.8", "-o", "json").Out)
}

func TestPlan(t *testing.T) {
	cases := map[string]struct{ state, image string }{
		"newer":        {"ready", repository + "1.5.10"},
		"older":        {"ready", repository + "1.5.8"},
		"claim-backed": {"claim-backed", repository + "1.5.10"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.state)...)
			got := fixture.Run(t, server, "", "upgrade", "plan", "demo", "-n", "default", "--image", tc.image)
			fixture.Golden(t, "plan/"+name+".txt", got.String())
			if writes := server.Writes(); len(writes) > 0 {
				t.Errorf("a plan writes nothing, and wrote %v", writes)
			}
		})
	}
}

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
		"Allowed":    {reason: "One field is applied as the plugin's own.", state: "ready", args: []string{"--image", repository + "1.5.10", "--yes"}, want: "chroma default/demo applied", writes: 1},
		"Refused":    {reason: "A refused image changes nothing.", state: "ready", args: []string{"--image", repository + "1.5.8", "--yes"}, code: exit.Refused, want: "Downgrade"},
		"NotAsked":   {reason: "Without a terminal --yes is needed.", state: "ready", args: []string{"--image", repository + "1.5.10"}, code: exit.Usage, want: "--yes"},
		"DryRun":     {reason: "A dry run of the client changes nothing.", state: "ready", args: []string{"--image", repository + "1.5.10", "--dry-run", "client"}, want: "would be applied"},
		"ServerDry":  {reason: "A dry run of the server changes nothing.", state: "ready", args: []string{"--image", repository + "1.5.10", "--dry-run", "server"}, want: "applied (server dry run)"},
		"PodRefused": {reason: "A Pod that the API server would refuse stops it.", state: "ready", args: []string{"--image", repository + "1.5.10", "--yes"}, fault: post(fixture.Forbid("/pods")), code: exit.Refused, want: `cannot create resource "pods"`},
		"File":       {reason: "Who applied a file is told to change it there too.", state: "ready", args: []string{"--image", repository + "1.5.10", "--yes"}, want: "change it there too", writes: 1},
		"GitOps":     {reason: "A controller that would set it back is named, and --yes is no answer to that.", state: "ready", change: argo, args: []string{"--image", repository + "1.5.10", "--yes"}, code: exit.Refused, want: "written by argocd-controller"},
		"GitOpsDry":  {reason: "A dry run says so too.", state: "ready", change: argo, args: []string{"--image", repository + "1.5.10", "--dry-run", "server"}, code: exit.Refused, want: "written by argocd-controller"},
		"Forced":     {reason: "It can be taken over.", state: "ready", change: argo, args: []string{"--image", repository + "1.5.10", "--yes", "--force-conflicts"}, want: "chroma default/demo applied", writes: 1},
		"Vectors":    {reason: "A distributed Chroma has a version and no image.", state: "distributed-ready", args: []string{"--image", repository + "1.5.10", "--yes"}, code: exit.Usage, want: "spec.distributed.version"},
		"NoImage":    {reason: "An image is needed.", state: "ready", code: exit.Usage, want: "--image"},
		"BadDryRun":  {reason: "Another value of --dry-run is a usage error.", state: "ready", args: []string{"--image", "x", "--dry-run", "maybe"}, code: exit.Usage, want: "--dry-run"},
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
