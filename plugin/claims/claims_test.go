package claims_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

func TestClaims(t *testing.T) {
	for _, state := range []string{"ready", "retained", "claim-lost"} {
		t.Run(state, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, state)...)
			fixture.Golden(t, state+".txt", fixture.Run(t, server, "", "claims", "-A").String())
			fixture.Golden(t, state+".unused.json", fixture.Run(t, server, "", "claims", "-A", "--unused", "-o", "json").Out)
		})
	}
}

func TestAdopt(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"adopt"}, more...) }
	cases := map[string]fixture.Change{
		"Retained":  {Reason: "A claim that nobody uses gets the labels of its next Chroma.", State: "retained", Args: args("demo-1", "--as", "demo"), Writes: 1},
		"InUse":     {Reason: "A claim in use is refused, and its users are named.", State: "ready", Args: args("demo-1", "--as", "demo"), Code: exit.Refused},
		"OtherName": {Reason: "A claim of another name is to be cloned.", State: "retained", Args: args("demo-1", "--as", "shop"), Code: exit.Refused},
		"NoName":    {Reason: "A name is needed.", State: "retained", Args: args("demo-1"), Code: exit.Usage},
		"Absent":    {Reason: "A claim that is not there is an error.", State: "retained", Args: args("nobody-1", "--as", "nobody"), Code: exit.Error},
		"Client":    {Reason: "A dry run of the client says what would be written.", State: "retained", Args: args("demo-1", "--as", "demo", "--dry-run", "client")},
		"Server":    {Reason: "A dry run does not say that it was done.", State: "retained", Args: args("demo-1", "--as", "demo", "--dry-run", "server")},
		"Unread":    {Reason: "Users that cannot be read may be there.", State: "retained", Args: args("demo-1", "--as", "demo"), Fault: fixture.Forbid("/pods"), Code: exit.Error},
		"Unwritten": {Reason: "A change that is refused is no change.", State: "retained", Args: args("demo-1", "--as", "demo"), Fault: fixture.Writing(fixture.Forbid("/")), Code: exit.Error},
		"Elsewhere": {
			Reason: "Whoever may not read Objects of other namespaces is told what is not known.", State: "retained", Args: args("demo-1", "--as", "demo"), Fault: elsewhere,
			Writes: 1,
		},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}

// elsewhere is a fault for whoever has a namespace only.
func elsewhere(w http.ResponseWriter, r *http.Request) bool {
	return !strings.Contains(r.URL.Path, "/namespaces/") && fixture.Forbid("/objects")(w, r)
}

func TestAdoptRefusesWhatIsUsed(t *testing.T) {
	object := func(content map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: content}
	}
	cases := map[string]struct {
		reason string
		add    *unstructured.Unstructured
		edit   func(*unstructured.Unstructured)
		want   string
	}{
		"Pod": {reason: "A Pod mounts it.", want: "is used by Pod copy", add: object(map[string]any{
			"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "copy", "namespace": "default"},
			"spec": map[string]any{"volumes": []any{map[string]any{"name": "data", "persistentVolumeClaim": map[string]any{"claimName": "demo-1"}}}},
		})},
		"Object": {reason: "An Object of another namespace manages it.", want: "is used by Object team/keeper", add: object(map[string]any{
			"apiVersion": "kubernetes.m.crossplane.io/v1alpha1", "kind": "Object", "metadata": map[string]any{"name": "keeper", "namespace": "team"},
			"spec": map[string]any{"forProvider": map[string]any{"manifest": map[string]any{
				"kind": "PersistentVolumeClaim", "metadata": map[string]any{"name": "demo-1", "namespace": "default"},
			}}},
		})},
		"Owner": {reason: "It would go with its owner, and the function does not take it.", want: "is owned by ConfigMap keeper and goes with it", edit: func(claim *unstructured.Unstructured) {
			claim.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "keeper", UID: "1"}})
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "retained")...)
			if tc.add != nil {
				server.Add(tc.add)
			}
			if tc.edit != nil {
				server.Edit("PersistentVolumeClaim", "demo-1", tc.edit)
			}
			args := []string{"adopt", "demo-1", "--as", "demo", "-n", "default"}
			got := fixture.Run(t, server, "", args...)
			fixture.Told(t, server, tc.reason, got, args...)
			if got.Code != exit.Refused || !strings.Contains(got.Err, tc.want) || len(server.Writes()) > 0 {
				t.Errorf("\n%s\nwant a refusal with %q, got %v and:\n%s", tc.reason, tc.want, server.Writes(), got)
			}
		})
	}
}

// TestAdoptAsAnotherUser impersonates: --as has another meaning here.
func TestAdoptAsAnotherUser(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "retained")...)
	var user atomic.Value
	server.Fault = func(_ http.ResponseWriter, r *http.Request) bool {
		user.Store(r.Header.Get("Impersonate-User"))
		return false
	}
	got := fixture.Run(t, server, "", "adopt", "demo-1", "--as", "demo", "--impersonate", "jane", "-n", "default")
	if got.Code != exit.Fine || user.Load() != "jane" {
		t.Errorf("want the requests to be jane's, got %v and:\n%s", user.Load(), got)
	}
}
