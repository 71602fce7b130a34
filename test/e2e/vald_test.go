//go:build e2e && linux

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
)

var (
	kindValdOperatorRelease = kindOf(valdv1.Group, "v1", "valdoperatorreleases", valdv1.Kind)
	kindValdRelease         = kindOf(valdv1.Group, "v1", "valdreleases", valdv1.KindValdRelease)
)

// TestVald generates ValdReleases under Vald's own definition: one for each cluster, again when it is deleted or edited by
// hand, none for a cluster that is no longer wanted, nor over somebody else's.
func TestVald(t *testing.T) {
	s := newScene(t, 0)
	s.installValdRelease()
	search := s.valdManifest()
	release := func(cluster string) string { return s.namespace + "-" + cluster }

	s.apply(search)
	s.waitVald("search", valdv1.PhaseCompleted, release("tokyo"), release("osaka"), release("taiwan"))
	first, err := s.get(t.Context(), kindValdRelease, s.namespace, release("tokyo"))
	if err != nil {
		t.Fatal(err)
	}
	if got, _, _ := unstructured.NestedFieldNoCopy(first.Object, "spec", "agent", "ngt", "dimension"); fmt.Sprint(got) != "768" {
		t.Errorf("the ValdRelease has dimension %v, want 768", got)
	}
	generation := s.kubectl("get", "valdoperatorrelease", "search", "-o", "jsonpath={.status.managedGeneration}")
	if got := first.GetLabels()[valdv1.LabelManagedGeneration]; got == "" || got != generation {
		t.Errorf("label %s: want %s, got %q", valdv1.LabelManagedGeneration, generation, got)
	}

	s.kubectl("delete", "valdrelease", release("tokyo"), "--wait=false")
	took := s.wait("deleted ValdRelease made again", patience, func() (string, bool) {
		now, err := s.get(t.Context(), kindValdRelease, s.namespace, release("tokyo"))
		return fmt.Sprint(err), err == nil && now != nil && now.GetUID() != first.GetUID()
	})
	s.sayf("TestVald: a ValdRelease deleted by hand is back after %.2f s", took.Seconds())
	s.waitVald("search", valdv1.PhaseCompleted, release("tokyo"), release("osaka"), release("taiwan"))

	s.kubectl("patch", "valdrelease", release("osaka"), "--type=merge", "-p", `{"spec":{"agent":{"ngt":{"dimension":3}}}}`)
	s.wait("edited ValdRelease set back", patience, func() (string, bool) {
		now, err := s.get(t.Context(), kindValdRelease, s.namespace, release("osaka"))
		if err != nil || now == nil {
			return fmt.Sprint(err), false
		}
		got, _, _ := unstructured.NestedFieldNoCopy(now.Object, "spec", "agent", "ngt", "dimension")
		return fmt.Sprint(got), fmt.Sprint(got) == "768"
	})

	// What Crossplane writes to the spec is no change of it.
	if now := s.kubectl("get", "valdoperatorrelease", "search", "-o", "jsonpath={.status.managedGeneration}"); now != generation {
		t.Errorf("the managed generation went from %s to %s, though nobody changed the spec", generation, now)
	}
	// A cluster without its id is not there yet: nothing goes meanwhile. Then the entry is no longer active: its release goes.
	infrastructure := search["spec"].(map[string]any)["infrastructure"].([]any)
	taiwan := infrastructure[1].(map[string]any)
	taiwan["clusters"].([]any)[0].(map[string]any)["id"] = ""
	s.apply(search)
	s.waitConditionOf(kindValdOperatorRelease, "search", "WaitingClusterCreate", "Unknown", "Pending")
	s.waitVald("search", valdv1.PhaseWaitingClusterCreate, release("tokyo"), release("osaka"), release("taiwan"))
	taiwan["active"] = false
	s.apply(search)
	s.waitVald("search", valdv1.PhaseCompleted, release("tokyo"), release("osaka"))
	taiwan["active"], taiwan["clusters"].([]any)[0].(map[string]any)["id"] = true, "gke-taiwan-1"

	// Somebody else's is not taken over.
	s.kubectl("delete", "valdoperatorrelease", "search")
	s.waitNoValdReleases()
	s.apply(foreignRelease(release("taiwan")))
	s.apply(search)
	s.wait("others refused", patience, func() (string, bool) {
		seen := s.kubectl("get", "valdoperatorrelease", "search", "-o", "jsonpath={.status.conditions[?(@.status=='False')].message}")
		return seen, strings.Contains(seen, release("taiwan"))
	})
	foreign, err := s.get(t.Context(), kindValdRelease, s.namespace, release("taiwan"))
	if err != nil || foreign == nil {
		t.Fatalf("the ValdRelease of somebody else is gone: %v", err)
	}
	if got, _, _ := unstructured.NestedFieldNoCopy(foreign.Object, "spec", "agent", "ngt", "dimension"); fmt.Sprint(got) != "4" || len(foreign.GetOwnerReferences()) > 0 {
		t.Errorf("the ValdRelease of somebody else was taken over: dimension %v, owners %v", got, foreign.GetOwnerReferences())
	}
}

// valdManifest is the example with three clusters.
func (s *scene) valdManifest() map[string]any {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.root, "examples", "vald-clusters.yaml"))
	if err != nil {
		s.Fatal(err)
	}
	out := map[string]any{}
	if err := yaml.Unmarshal(text, &out); err != nil {
		s.Fatal(err)
	}
	out["metadata"].(map[string]any)["namespace"] = s.namespace
	return out
}

// foreignRelease is one that somebody else has made.
func foreignRelease(name string) map[string]any {
	return map[string]any{
		"apiVersion": valdv1.GroupVersion().String(), "kind": valdv1.KindValdRelease,
		"metadata": map[string]any{"name": name}, "spec": map[string]any{"agent": map[string]any{"ngt": map[string]any{"dimension": 4}}},
	}
}

func (s *scene) waitNoValdReleases() {
	s.Helper()
	s.wait("ValdReleases gone", patience, func() (string, bool) {
		seen := s.kubectl("get", "valdreleases", "-o", "name")
		return seen, strings.TrimSpace(seen) == ""
	})
}

// installValdRelease from Vald's own module, where the shared folder with the newer definition is not here.
func (s *scene) installValdRelease() {
	s.Helper()
	path := filepath.Join(sharedFolder(s.root), "vald", "valdrelease-crd.yaml")
	if _, err := os.Stat(path); err != nil {
		module, err := s.download(s.Context(), "test/tools/vald", "github.com/vdaas/vald")
		if err != nil {
			s.Fatal(err)
		}
		path = filepath.Join(module, "charts", "vald-helm-operator", "crds", "valdrelease.yaml")
	}
	// Too large for the annotation of a client-side apply.
	if _, err := s.run(s.Context(), nil, "kubectl", "apply", "--server-side", "--force-conflicts", "-f", path); err != nil {
		s.Fatal(err)
	}
	s.wait("kind ValdRelease served", time.Minute, func() (string, bool) {
		output, err := s.tryKubectl("get", "valdreleases")
		return output, err == nil
	})
}

// sharedFolder of recordings, beside the repository or where CHROMA_SHARED says.
func sharedFolder(root string) string {
	if folder := os.Getenv("CHROMA_SHARED"); folder != "" {
		return folder
	}
	return filepath.Join(root, "..", "shared")
}

// download a module that a folder's go.mod names, and say where its sources are.
func (e *environment) download(ctx context.Context, folder, path string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", path)
	cmd.Dir = filepath.Join(e.root, folder)
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("cannot download %s: %w: %s", path, err, output)
	}
	module := struct{ Dir string }{}
	if err := json.Unmarshal(output, &module); err != nil {
		return "", fmt.Errorf("cannot download %s: %w", path, err)
	}
	return module.Dir, nil
}

// waitVald until the ValdOperatorRelease is in a phase, and exactly the given ValdReleases are there.
func (s *scene) waitVald(name string, phase valdv1.Phase, releases ...string) {
	s.Helper()
	slices.Sort(releases)
	s.wait(fmt.Sprintf("%s %s with %d ValdReleases", name, phase, len(releases)), patience, func() (string, bool) {
		vor := read[valdv1.ValdOperatorRelease](s, kindValdOperatorRelease, name)
		list, err := s.client.Resource(kindValdRelease.resource).Namespace(s.namespace).List(s.Context(), listAll)
		if err != nil || vor == nil {
			return fmt.Sprint(err), false
		}
		var got []string
		for _, item := range list.Items {
			got = append(got, item.GetName())
		}
		slices.Sort(got)
		var conditions []string
		for _, condition := range vor.Status.Conditions {
			conditions = append(conditions, fmt.Sprintf("%s=%s %s %s", condition.Type, condition.Status, condition.Reason, condition.Message))
		}
		return fmt.Sprintf("phase %s, %v, %s", vor.Status.Phase, got, strings.Join(conditions, "; ")),
			vor.Status.Phase == phase && vor.Status.ObservedGeneration == vor.Generation && cmp.Equal(releases, got)
	})
}
