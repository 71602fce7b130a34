package upgrade_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

// answer creations with a status of the API server.
func answer(code int, because metav1.StatusReason, message string) fixture.Fault {
	return post(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: int32(code), Reason: because, Message: message,
		})
		return true
	})
}

func TestTheTrialOfThePod(t *testing.T) {
	const stopped = "nothing was changed"
	cases := map[string]struct {
		reason string
		fault  fixture.Fault
		code   exit.Code
		want   string
		not    string
	}{
		"Policy":   {reason: "A policy of the namespace refuses it.", fault: answer(http.StatusForbidden, metav1.StatusReasonForbidden, `pods "demo-1-try" is forbidden: violates PodSecurity "restricted:latest"`), code: exit.Refused, want: "would refuse the new Pod, so " + stopped},
		"Invalid":  {reason: "A Pod that is not valid is refused.", fault: answer(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, `Pod "demo-1-try" is invalid`), code: exit.Refused, want: "would refuse the new Pod"},
		"Webhook":  {reason: "A webhook refuses with any code.", fault: answer(http.StatusTeapot, "", `admission webhook "images.example.org" denied the request: not signed`), code: exit.Refused, want: "not signed"},
		"NoRight":  {reason: "That the person may not create Pods is no answer about the Pod.", fault: post(fixture.Forbid("/pods")), code: exit.Error, want: "cannot try the new Pod, so " + stopped, not: "would refuse"},
		"Broken":   {reason: "A server that cannot answer now has refused nothing.", fault: post(fixture.Break("/pods")), code: exit.Error, want: "cannot try the new Pod", not: "would refuse"},
		"Hangs":    {reason: "A server that hangs is given up.", fault: post(fixture.Hang("/pods")), code: exit.TimedOut, want: "did not answer within", not: "would refuse"},
		"Quota":    {reason: "The running Pod is counted beside the one that is tried, so that is no refusal.", fault: answer(http.StatusForbidden, metav1.StatusReasonForbidden, `pods "demo-1-try" is forbidden: exceeded quota: few`), want: "no room for a second Pod"},
		"Possible": {reason: "A Pod that can be created stops nothing.", want: "chroma default/demo applied"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "ready")...)
			server.Fault = tc.fault
			args := []string{"upgrade", "apply", "demo", "-n", "default", "--check-registry=false", "--image", repository + "1.5.10", "--yes", "--request-timeout", "2s"}
			got := fixture.Run(t, server, "", args...)
			fixture.Told(t, server, tc.reason, got, args...)
			if got.Code != tc.code || !strings.Contains(got.Out+got.Err, tc.want) || (tc.not != "" && strings.Contains(got.Err, tc.not)) {
				t.Errorf("\n%s\nwant exit code %d and %q, got:\n%s", tc.reason, tc.code, tc.want, got)
			}
			applied := false
			for _, write := range server.Writes() {
				applied = applied || write.Method == http.MethodPatch
			}
			if applied != (tc.code == exit.Fine) {
				t.Errorf("\n%s\nthe image was changed: %v", tc.reason, applied)
			}
		})
	}
}

func TestThePodThatIsTriedIsOneThatCouldBeCreated(t *testing.T) {
	objects := fixture.Load(t, "ready")
	for _, object := range objects {
		if object.GetKind() == "Pod" {
			object.SetLabels(map[string]string{"team": "search"})
			object.SetAnnotations(map[string]string{"sidecar.example.org/status": "injected"})
			containers, _, _ := unstructured.NestedSlice(object.Object, "spec", "containers")
			proxy := map[string]any{"name": "proxy", "image": "registry.example.org/proxy:1"}
			_ = unstructured.SetNestedSlice(object.Object, append([]any{proxy}, containers...), "spec", "containers")
			_ = unstructured.SetNestedSlice(object.Object, []any{map[string]any{"name": "debugger", "image": "busybox:1"}}, "spec", "ephemeralContainers")
		}
	}
	server := fixture.Serve(t, objects...)
	if got := fixture.Run(t, server, "", "upgrade", "apply", "demo", "-n", "default", "--check-registry=false", "--image", repository+"1.5.10", "--yes"); got.Code != exit.Fine {
		t.Fatal(got)
	}
	type pod struct {
		Images      map[string]string
		Labels      map[string]string
		Annotations map[string]string
		Fields      []string
	}
	var got pod
	for _, write := range server.Writes() {
		if write.Method != http.MethodPost {
			continue
		}
		tried := &unstructured.Unstructured{}
		if err := json.Unmarshal([]byte(write.Body), &tried.Object); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(write.Query, "dryRun=All") {
			t.Errorf("the trial is a dry run: %v", write)
		}
		got = pod{Images: map[string]string{}, Labels: tried.GetLabels(), Annotations: tried.GetAnnotations()}
		for _, field := range []string{"nodeName", "ephemeralContainers"} {
			if _, found, _ := unstructured.NestedFieldNoCopy(tried.Object, "spec", field); found {
				got.Fields = append(got.Fields, field)
			}
		}
		containers, _, _ := unstructured.NestedSlice(tried.Object, "spec", "containers")
		for _, one := range containers {
			container, _ := one.(map[string]any)
			got.Images[container["name"].(string)] = container["image"].(string)
		}
	}
	want := pod{
		Images:      map[string]string{"proxy": "registry.example.org/proxy:1", "chroma": repository + "1.5.10"},
		Labels:      map[string]string{"team": "search", "chroma.chromadotnet.org/chroma": "demo"},
		Annotations: map[string]string{"sidecar.example.org/status": "injected"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the tried Pod: -want, +got:\n%s", diff)
	}
}
