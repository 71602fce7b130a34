//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
)

// TestPluginVald looks at a ValdOperatorRelease with every command that knows them.
func TestPluginVald(t *testing.T) {
	s := newScene(t, 0)
	s.installValdRelease()
	search := s.valdManifest()
	s.apply(search)

	t.Log("Looking")
	s.says(s.chromaCommand(fine, "status", "vor/search", "-w", "--timeout", "1m"), "search  Completed")
	release := func(cluster string) string { return s.namespace + "-" + cluster }
	s.matches(s.chromaCommand(fine, "status", "vor/search"), `tokyo +hot +active +gke-tokyo-1 +ValdRelease `+release("tokyo"),
		`osaka +hot +active +gke-osaka-1 +ValdRelease `+release("osaka"), `taiwan +standby +active +gke-taiwan-1 +ValdRelease `+release("taiwan"))
	s.matches(s.chromaCommand(fine, "status", "-A"), s.namespace+` +vor/search +Completed`)
	s.says(s.chromaCommand(fine, "tree", "vor/search"), "ValdOperatorRelease search", "ValdRelease "+release("tokyo"), "ValdRelease "+release("osaka"), "ValdRelease "+release("taiwan"))
	s.says(s.chromaCommand(fine, "events", "vor/search"), "ValdOperatorRelease search", "VRS creation completed successfully")
	s.says(s.chromaCommand(fine, "explain", "vor/search"), "Succeeded", "Completed")
	archive := filepath.Join(t.TempDir(), "report.zip")
	s.chromaCommand(fine, "report", "vor/search", "-f", archive)
	s.checkReport(archive, "valdoperatorrelease-search", "valdrelease-"+release("tokyo"), "function-function-chroma")
	s.says(s.chromaCommand(misused, "check", "vor/search"), "this command is for Chroma")

	t.Log("Rendering what is in the cluster")
	s.checkRendered(search, release("tokyo"), release("osaka"), release("taiwan"))

	t.Log("Waiting for a cluster")
	setTaiwan(search, "")
	s.apply(search)
	s.waitConditionOf(kindValdOperatorRelease, "search", "WaitingClusterCreate", "Unknown", "Pending")
	s.says(s.chromaCommand(unhealthy, "status", "vor/search"), "waiting for cluster", "taiwan", "no id yet", "kubectl edit valdoperatorrelease -n "+s.namespace+" search")
	s.says(s.chromaCommand(fine, "explain", "vor/search"), "Pending")

	t.Log("In the way of somebody else's")
	s.kubectl("delete", "valdoperatorrelease", "search")
	s.waitNoValdReleases()
	s.apply(foreignRelease(release("taiwan")))
	setTaiwan(search, "gke-taiwan-1")
	s.apply(search)
	s.waitConditionOf(kindValdOperatorRelease, "search", "WaitingCreateVrs", "False", "Failed")
	s.says(s.chromaCommand(unhealthy, "status", "vor/search"), release("taiwan"), "belongs to somebody else",
		"kubectl get valdrelease -n "+s.namespace+" "+release("taiwan")+" -o yaml", "kubectl edit valdoperatorrelease -n "+s.namespace+" search")
}

// setTaiwan gives the cluster in Taiwan an id.
func setTaiwan(search map[string]any, id string) {
	standby := search["spec"].(map[string]any)["infrastructure"].([]any)[1].(map[string]any)
	standby["clusters"].([]any)[0].(map[string]any)["id"] = id
}

// checkRendered compares what kubectl chroma render makes of a manifest with the ValdReleases in the cluster.
func (s *scene) checkRendered(search map[string]any, names ...string) {
	s.Helper()
	text, err := json.Marshal(search)
	if err != nil {
		s.Fatal(err)
	}
	file := filepath.Join(s.TempDir(), "search.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		s.Fatal(err)
	}
	rendered, live := map[string]any{}, map[string]any{}
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(s.chromaCommand(fine, "render", "-f", file)), 4096)
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(object); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			s.Fatalf("cannot read what was rendered: %v", err)
		}
		if object.GetKind() == valdv1.KindValdRelease {
			rendered[object.GetName()] = object.Object["spec"]
		}
	}
	for _, name := range names {
		object, err := s.get(s.Context(), kindValdRelease, s.namespace, name)
		if err != nil || object == nil {
			s.Fatalf("cannot find ValdRelease %s: %v", name, err)
		}
		live[name] = object.Object["spec"]
	}
	if diff := cmp.Diff(live, rendered); diff != "" {
		s.Errorf("ValdReleases: -in the cluster, +rendered:\n%s", diff)
	}
}
