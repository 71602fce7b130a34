//go:build e2e && linux

package e2e

import (
	"strings"
	"testing"
	"time"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// TestRefusals asks for what may not run. The server that runs goes on.
func TestRefusals(t *testing.T) {
	s := newScene(t, 1)
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.write("demo")
	before := s.pod("demo").UID

	cases := []struct {
		name, image, reason string
		product             string
	}{
		{"older version", image("1.5.0"), "Downgrade", ""},
		{"older format", image("1.4.1"), "DowngradeChangesFormat", ""},
		{"foreign repository", "docker.io/library/nginx:1.27.0", "ImageNotAllowed", ""},
		{"product contradicts", image("1.5.9"), "ProductMismatch", "vecturadb"},
	}
	for _, tc := range cases {
		s.apply(manifest("demo", "1.5.9", func(spec map[string]any) {
			spec["image"] = tc.image
			if tc.product != "" {
				spec["product"] = tc.product
			}
		}))
		message := s.waitCondition("demo", "UpgradeBlocked", "True", tc.reason)
		s.sayf("TestRefusals: %s: %s", tc.name, message)
		if pod := s.pod("demo"); pod == nil || pod.UID != before || pod.DeletionTimestamp != nil {
			t.Fatalf("%s: the running server was touched", tc.name)
		}
	}
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitCondition("demo", "UpgradeBlocked", "False", "NotBlocked")
	s.verify("demo")

	// A Pod of a class that does not exist would be refused once the old one is gone.
	classed := func(class string) map[string]any {
		return manifest("demo", "1.5.9", func(spec map[string]any) { spec["priorityClassName"] = class })
	}
	s.apply(classed("no-such-class"))
	s.says(s.waitCondition("demo", "UpgradeBlocked", "True", "InvalidSpec"), `no PriorityClass "no-such-class"`)
	if pod := s.pod("demo"); pod == nil || pod.UID != before || pod.DeletionTimestamp != nil {
		t.Fatal("priority class: the running server was touched")
	}
	s.apply(classed("system-cluster-critical"))
	s.wait("a Pod of the class", patience, func() (string, bool) {
		pod := s.pod("demo")
		return "", pod != nil && pod.Spec.PriorityClassName == "system-cluster-critical"
	})
	s.waitReady("demo", "1.5.9")
	s.verify("demo")

	// What the API itself refuses is never seen by the function.
	for _, bad := range []string{repository + ":latest", repository + ":0.6.3", repository + ":v1.5.9"} {
		if err := s.tryApply(manifest("demo", "1.5.9", func(spec map[string]any) { spec["image"] = bad })); err == nil {
			t.Errorf("the API takes image %s", bad)
		}
	}
}

// TestQuota refuses the Pod for a while.
func TestQuota(t *testing.T) {
	s := newScene(t, 1)
	quota := map[string]any{
		"apiVersion": "v1", "kind": "ResourceQuota", "metadata": map[string]any{"name": "none"},
		"spec": map[string]any{"hard": map[string]any{"pods": "0"}},
	}
	s.apply(quota)
	s.wait("quota counted", 30*time.Second, func() (string, bool) {
		seen := s.kubectl("get", "resourcequota", "none", "-o", "jsonpath={.status.hard.pods}")
		return seen, seen == "0"
	})
	s.apply(manifest("demo", "1.5.9", nil))
	message := s.waitCondition("demo", "ServerReady", "False", "PodRefused")
	if !strings.Contains(message, "exceeded quota") {
		t.Errorf("the condition has the API's words, got %q", message)
	}
	s.kubectl("delete", "resourcequota", "none")
	s.waitReady("demo", "1.5.9")
}

// TestImageByHand changes the image of the Pod behind the function's back.
func TestImageByHand(t *testing.T) {
	s := newScene(t, 1)
	s.apply(manifest("demo", "1.5.0", nil))
	s.waitReady("demo", "1.5.0")
	s.write("demo")
	before := s.pod("demo").UID
	s.kubectl("set", "image", "pod/"+chroma.PodName("demo"), "chroma="+image("1.5.9"))
	// The newer version is on record now: 1.5.0 may not have the data back.
	s.waitCondition("demo", "UpgradeBlocked", "True", "Downgrade")
	s.wait("record of 1.5.9", patience, func() (string, bool) {
		got := s.claim("demo").Annotations[chroma.AnnotationDataVersion]
		return got, got == "1.5.9"
	})
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.verify("demo")
	s.sayf("TestImageByHand: Pod replaced: %t", s.pod("demo").UID != before)
}

// TestWebhook rewrites every image of a Chroma to a mirror, as admission in companies does.
func TestWebhook(t *testing.T) {
	s := newScene(t, 1)
	if s.node == nil {
		t.Skip("a developer's own cluster may not serve MutatingAdmissionPolicy")
	}
	name := s.namespace
	policy := map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1beta1", "kind": "MutatingAdmissionPolicy", "metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"reinvocationPolicy": "Never", "failurePolicy": "Fail",
			"matchConstraints": map[string]any{
				"namespaceSelector": map[string]any{"matchLabels": map[string]any{"kubernetes.io/metadata.name": s.namespace}},
				"resourceRules": []any{map[string]any{
					"apiGroups": []any{""}, "apiVersions": []any{"v1"}, "resources": []any{"pods"}, "operations": []any{"CREATE"},
				}},
			},
			"mutations": []any{map[string]any{"patchType": "JSONPatch", "jsonPatch": map[string]any{
				"expression": `[JSONPatch{op: "replace", path: "/spec/containers/0/image", value: object.spec.containers[0].image.replace("docker.io/", "mirror.example.org/")}]`,
			}}},
		},
	}
	binding := map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1beta1", "kind": "MutatingAdmissionPolicyBinding", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"policyName": name},
	}
	s.applyGlobal(policy)
	s.applyGlobal(binding)
	t.Cleanup(func() {
		if _, err := s.run(contextOf(t), nil, "kubectl", "delete", "mutatingadmissionpolicy,mutatingadmissionpolicybinding", name); err != nil {
			t.Error(err)
		}
	})
	mirrored := strings.Replace(image("1.5.9"), "docker.io", "mirror.example.org", 1)
	// A policy counts some moments after it was made.
	time.Sleep(2 * time.Second)
	s.apply(manifest("demo", "1.5.9", nil))
	s.wait("Ready with the mirrored image", 2*time.Minute, func() (string, bool) { return s.settled("demo", mirrored) })
	uid, version := s.pod("demo").UID, s.pod("demo").ResourceVersion
	time.Sleep(5 * time.Second)
	if pod := s.pod("demo"); pod == nil || pod.UID != uid {
		t.Errorf("a rewritten image replaces the Pod for ever")
	} else if pod.ResourceVersion != version {
		s.sayf("TestWebhook: the Pod changed meanwhile, from %s to %s", version, pod.ResourceVersion)
	}
	s.write("demo")
	s.verify("demo")
}
