//go:build e2e && linux

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/test/e2e/cluster"
)

// vectura is the image of the other product. A Chroma stands in for it: what is tested is who may open the data.
const vectura = "ghcr.io/vecturadb/vecturadb:1.0.0-preview.3"

// TestProductChange goes from Chroma to VecturaDB along the passage that was tried, and back only with a person's consent.
func TestProductChange(t *testing.T) {
	s := newScene(t, 1)
	s.apply(manifest("demo", "1.5.0", nil))
	s.waitReady("demo", "1.5.0")
	s.write("demo")

	s.apply(manifest("demo", "1.5.0", func(spec map[string]any) { spec["image"] = vectura }))
	s.waitCondition("demo", "UpgradeBlocked", "True", "ProductChangeNotKnown")
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.apply(manifest("demo", "1.5.9", func(spec map[string]any) { spec["image"] = vectura }))
	s.wait("Ready with "+vectura, 2*time.Minute, func() (string, bool) { return s.settled("demo", vectura) })
	s.verify("demo")
	if now := s.chroma("demo").Status; now.DataProduct != chroma.ProductVecturaDB || now.DataVersions[chroma.ProductChroma] != "1.5.9" {
		t.Errorf("the record has product %s and versions %v", now.DataProduct, now.DataVersions)
	}

	s.apply(manifest("demo", "1.5.9", nil))
	s.waitCondition("demo", "UpgradeBlocked", "True", "ProductChange")
	if pod := s.pod("demo"); pod == nil || pod.Spec.Containers[0].Image != vectura {
		t.Fatal("the running server was touched")
	}
	s.kubectl("annotate", "chroma", "demo", chroma.AnnotationAllowProductChange+"=true")
	s.waitReady("demo", "1.5.9")
	s.waitCondition("demo", "UpgradeBlocked", "False", "ProductChangeAllowed")
	s.verify("demo")
}

// TestDowngrade goes back to a version of the same data format, with a person's consent, and not to one of another format.
func TestDowngrade(t *testing.T) {
	s := newScene(t, 1)
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.write("demo")
	before := s.pod("demo").UID
	s.kubectl("annotate", "chroma", "demo", chroma.AnnotationAllowDowngrade+"=true")
	s.apply(manifest("demo", "1.1.1", nil))
	message := s.waitCondition("demo", "UpgradeBlocked", "True", "DowngradeChangesFormat")
	if !strings.Contains(message, chroma.AnnotationAllowFormatDowngrade) {
		t.Errorf("the condition says what else is needed, got %q", message)
	}
	if s.pod("demo").UID != before {
		t.Fatal("the running server was touched")
	}
	s.apply(manifest("demo", "1.5.0", nil))
	s.waitReady("demo", "1.5.0")
	s.verify("demo")
	if got := s.claim("demo").Annotations[chroma.AnnotationDataVersion]; got != "1.5.9" {
		t.Errorf("the record does not sink: want 1.5.9, got %s", got)
	}
}

// TestLimitRange refuses a Pod that wants more than the namespace allows, and one that goes back to what it had.
func TestLimitRange(t *testing.T) {
	s := newScene(t, 1)
	s.apply(map[string]any{
		"apiVersion": "v1", "kind": "LimitRange", "metadata": map[string]any{"name": "small"},
		"spec": map[string]any{"limits": []any{map[string]any{"type": "Container", "max": map[string]any{"memory": "1Gi"}}}},
	})
	with := func(memory string) map[string]any {
		return manifest("demo", "1.5.9", func(spec map[string]any) {
			spec["resources"] = map[string]any{"requests": map[string]any{"cpu": "20m", "memory": "64Mi"}, "limits": map[string]any{"memory": memory}}
		})
	}
	s.apply(with("2Gi"))
	message := s.waitCondition("demo", "ServerReady", "False", "PodRefused")
	if !strings.Contains(message, "maximum memory usage per Container is 1Gi") {
		t.Errorf("the condition has the API's words, got %q", message)
	}
	s.apply(with("1Gi"))
	s.waitReady("demo", "1.5.9")
	s.write("demo")
	s.apply(with("3Gi"))
	s.wait("3Gi refused", patience, func() (string, bool) {
		object, err := s.get(t.Context(), kindChroma, s.namespace, "demo")
		if err != nil || object == nil {
			return "no Chroma", false
		}
		_, _, server := conditionOf(object, "ServerReady")
		_, _, blocked := conditionOf(object, "UpgradeBlocked")
		return server + blocked, strings.Contains(server+blocked, "maximum memory usage per Container is 1Gi")
	})
	s.sayf("TestLimitRange: the server is there while 3Gi is refused: %t", s.pod("demo") != nil)
	s.apply(with("1Gi"))
	s.waitReady("demo", "1.5.9")
	s.verify("demo")
}

// TestCompositionSwitched moves a Chroma to another Composition and back. Its server runs on.
func TestCompositionSwitched(t *testing.T) {
	s := newScene(t, 1)
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.write("demo")
	pod, claim := s.pod("demo").UID, s.claim("demo").UID

	name := "chromas." + s.namespace
	composition, err := s.get(t.Context(), kindComposition, "", "chromas."+chroma.Group)
	if err != nil || composition == nil {
		t.Fatalf("cannot find the Composition: %v", err)
	}
	step := composition.Object["spec"].(map[string]any)["pipeline"].([]any)[0].(map[string]any)
	step["input"] = map[string]any{
		"apiVersion": "chroma.fn.crossplane.io/v1beta1", "kind": "Input",
		"images": map[string]any{"allowed": []any{repository}},
	}
	s.applyGlobal(map[string]any{
		"apiVersion": composition.GetAPIVersion(), "kind": composition.GetKind(), "metadata": map[string]any{"name": name}, "spec": composition.Object["spec"],
	})
	t.Cleanup(func() {
		if _, err := s.run(contextOf(t), nil, "kubectl", "delete", "composition", name, "--wait=false"); err != nil {
			t.Error(err)
		}
	})
	for _, to := range []string{name, composition.GetName()} {
		s.kubectl("patch", "chroma", "demo", "--type=merge", "-p", `{"spec":{"crossplane":{"compositionRef":{"name":"`+to+`"},"compositionRevisionRef":null}}}`)
		s.wait("Composition "+to+" in use", patience, func() (string, bool) {
			seen := s.kubectl("get", "chroma", "demo", "-o", "jsonpath={.spec.crossplane.compositionRevisionRef.name}")
			return seen, strings.HasPrefix(seen, to+"-")
		})
		// What the second Composition does not allow is refused under it alone.
		s.apply(manifest("demo", "1.5.9", func(spec map[string]any) { spec["image"] = vectura }))
		if to == name {
			s.waitCondition("demo", "UpgradeBlocked", "True", "ImageNotAllowed")
		}
		s.apply(manifest("demo", "1.5.9", nil))
		s.waitCondition("demo", "UpgradeBlocked", "False", "NotBlocked")
		s.waitReady("demo", "1.5.9")
		if to == name && s.pod("demo").UID != pod {
			t.Error("the Pod was replaced")
		}
		if s.claim("demo").UID != claim {
			t.Error("the claim was replaced")
		}
		s.verify("demo")
	}
}

// otherTemplate is a release whose Pods differ from those of the release under test.
const otherTemplate = "v0.1.1"

// TestFunctionTemplate installs a function that renders other Pods. No server is restarted for it; the next replacement
// takes the new template.
func TestFunctionTemplate(t *testing.T) {
	s := newScene(t, 1)
	if s.node == nil {
		t.Skip("a package of another function is made for the node's own registry alone")
	}
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.write("demo")
	before := s.pod("demo").UID

	s.pushFunction(otherTemplate, "WithStartupProbe(probe(1, 600))", "WithStartupProbe(probe(1, 599))")
	t.Cleanup(func() { s.setFunction(release) })
	s.setFunction(otherTemplate)
	s.kubectl("annotate", "chroma", "demo", "e2e/look=1")
	s.waitQuiet()
	if s.pod("demo").UID != before {
		t.Fatal("another template restarts a server")
	}
	s.apply(manifest("demo", "1.5.9", func(spec map[string]any) { spec["config"] = map[string]any{"maxPayloadSizeBytes": 1 << 20} }))
	s.wait("a Pod of the new template", patience, func() (string, bool) {
		pod := s.pod("demo")
		return "", pod != nil && pod.UID != before && pod.Spec.Containers[0].StartupProbe.FailureThreshold == 599
	})
	s.waitReady("demo", "1.5.9")
	s.verify("demo")

	before = s.pod("demo").UID
	s.setFunction(release)
	s.kubectl("annotate", "chroma", "demo", "e2e/look-", "e2e/again=1")
	s.waitQuiet()
	if s.pod("demo").UID != before {
		t.Fatal("the earlier template restarts a server")
	}
}

// pushFunction builds the function with one change to its Pods, under a release of its own.
func (s *scene) pushFunction(version, what, instead string) {
	s.Helper()
	folder, source := s.TempDir(), filepath.Join(s.root, "function", "singlenode", "objects", "pod.go")
	text, err := os.ReadFile(source)
	if err != nil {
		s.Fatal(err)
	}
	if strings.Count(string(text), what) != 1 {
		s.Fatalf("%s has not %q exactly once", source, what)
	}
	changed, overlay := filepath.Join(folder, "pod.go"), filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), what, instead, 1)), 0o600); err != nil {
		s.Fatal(err)
	}
	encoded, err := json.Marshal(map[string]any{"Replace": map[string]string{source: changed}})
	if err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(overlay, encoded, 0o600); err != nil {
		s.Fatal(err)
	}
	builder := filepath.Join(folder, "build")
	if err := s.goBuild(s.Context(), builder, "./package/build"); err != nil {
		s.Fatal(err)
	}
	arguments := []string{
		"-root", s.root, "-crossplane", filepath.Join(s.binaries, "crossplane"), "-output", filepath.Join(folder, "dist"),
		"-version", version, "-registry", cluster.Registry, "-native",
	}
	cmd := exec.CommandContext(s.Context(), builder, arguments...)
	cmd.Env = append(os.Environ(), strings.TrimSpace("GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay))
	if output, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("cannot build the function: %v: %s", err, output)
	}
	if _, err := s.run(s.Context(), nil, builder, append(arguments, "-push")...); err != nil {
		s.Fatal(err)
	}
}

// setFunction to a release, and wait until only its Pods serve.
func (s *scene) setFunction(version string) {
	s.Helper()
	ctx := contextOf(s.T)
	list, err := s.client.Resource(kindFunction.resource).List(ctx, listAll)
	if err != nil || len(list.Items) != 1 {
		s.Fatalf("cannot find the one function: %v", err)
	}
	name := list.Items[0].GetName()
	if _, err := s.run(ctx, nil, "kubectl", "patch", "function.pkg.crossplane.io", name, "--type=merge", "-p", `{"spec":{"package":"`+cluster.Registry+`/function-chroma:`+version+`"}}`); err != nil {
		s.Fatal(err)
	}
	err = s.until(ctx, "function "+version, 2*time.Minute, func(context.Context) (string, bool) {
		output, err := s.run(ctx, nil, "kubectl", "-n", crossplaneNamespace, "get", "pod", "-l", "app.kubernetes.io/name=function-chroma",
			"-o", `jsonpath={range .items[*]}{.spec.containers[0].image} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}`)
		if err != nil {
			return err.Error(), false
		}
		one := cluster.Registry + "/function-chroma:" + version + " True\n"
		return output, output == one+one
	})
	if err != nil {
		s.Fatal(err)
	}
}
