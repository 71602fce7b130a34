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

// patch has a fault for what is applied only.
func patch(fault fixture.Fault) fixture.Fault {
	return func(w http.ResponseWriter, r *http.Request) bool {
		return r.Method == http.MethodPatch && fault(w, r)
	}
}

// argo is a GitOps controller that writes the image.
func argo(s *fixture.Server) {
	s.Edit("Chroma", "demo", func(demo *unstructured.Unstructured) {
		entries := demo.GetManagedFields()
		for i := range entries {
			if strings.HasPrefix(entries[i].Manager, "kubectl") {
				entries[i].Manager = "argocd-controller"
			}
		}
		demo.SetManagedFields(entries)
	})
}

func TestApply(t *testing.T) {
	args := func(more ...string) []string {
		return append([]string{"upgrade", "apply", "demo", "--check-registry=false"}, more...)
	}
	newer := func(more ...string) []string { return append(args("--image", repository+"1.5.10"), more...) }
	cases := map[string]fixture.Change{
		"Allowed":  {Reason: "One field is applied as the plugin's own.", State: "ready", Args: newer("--yes"), Writes: 1},
		"Same":     {Reason: "The image that runs already can be asked for.", State: "ready", Args: args("--image", repository+"1.5.9", "--yes"), Writes: 1},
		"Refused":  {Reason: "A refused image changes nothing.", State: "ready", Args: args("--image", repository+"1.5.8", "--yes"), Code: exit.Refused},
		"Format":   {Reason: "Nor does one with another data format.", State: "ready", Args: args("--image", repository+"1.4.1", "--yes"), Code: exit.Refused},
		"Incident": {Reason: "Nothing is replaced while the version of the data is not known.", State: "incident", Args: newer("--yes"), Code: exit.Refused},
		"SetBack":  {Reason: "What is held back is set back to the image that runs.", State: "blocked-downgrade", Args: args("--image", repository+"1.5.9", "--yes"), Writes: 1},
		"NotAsked": {Reason: "Without a terminal --yes is needed.", State: "ready", Args: newer(), Code: exit.Usage},
		"Client":   {Reason: "A dry run of the client changes nothing.", State: "ready", Args: newer("--dry-run", "client")},
		"Server":   {Reason: "A dry run of the server changes nothing.", State: "ready", Args: newer("--dry-run", "server")},
		"Notes":    {Reason: "What the plugin could not read is told before the question.", State: "ready", Args: newer("--yes"), Fault: fixture.Forbid("/compositionrevisions/"), Want: "Note  the function's settings are not known", Writes: 1},
		"GitOps": {
			Reason: "A controller that would set it back is named, and --yes is no answer to that.", State: "ready", Before: argo, Args: newer("--yes"),
			Code: exit.Refused, Want: "written by argocd-controller",
		},
		"GitOpsDry": {Reason: "A dry run says so too.", State: "ready", Before: argo, Args: newer("--dry-run", "server"), Code: exit.Refused},
		"Forced":    {Reason: "It can be taken over.", State: "ready", Before: argo, Args: newer("--yes", "--force-conflicts"), Writes: 1},
		"Claim":     {Reason: "People change their claim.", State: "claim-backed", Args: newer("--yes"), Writes: 1},
		"Vectors":   {Reason: "A distributed Chroma has a version and no image.", State: "distributed-ready", Args: newer("--yes"), Code: exit.Usage},
		"Unwritten": {Reason: "A change that is refused is no change.", State: "ready", Args: newer("--yes"), Fault: patch(fixture.Forbid("/")), Code: exit.Error},
		"NoImage":   {Reason: "An image is needed.", State: "ready", Args: args(), Code: exit.Usage},
		"BadDryRun": {Reason: "Another value of --dry-run is a usage error.", State: "ready", Args: args("--image", "x", "--dry-run", "maybe"), Code: exit.Usage},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}

func TestApplyToItsEnd(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	args := []string{"upgrade", "apply", "demo", "--check-registry=false", "--image", repository + "1.5.9", "--yes", "--wait", "-n", "default"}
	got := fixture.Run(t, server, "", args...)
	fixture.Told(t, server, "With --wait the whole status comes at the end.", got, args...)
	if got.Code != exit.Fine {
		t.Errorf("want the end, got:\n%s", got)
	}
}
