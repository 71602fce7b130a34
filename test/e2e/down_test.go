//go:build e2e && linux

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/test/e2e/cluster"
)

// Labels of the Pods of the system's parts.
const (
	functionPods = "app.kubernetes.io/name=function-chroma"
	providerPods = "pkg.crossplane.io/provider"
)

// TestDeletionWhileDown deletes Chromas while the function, or the provider, does not run. The claims go or stay as promised.
func TestDeletionWhileDown(t *testing.T) {
	for name, selector := range map[string]string{"function": functionPods, "provider": providerPods} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, 2)
			if s.node == nil {
				t.Skip("the parts of a developer's own cluster are not taken down")
			}
			s.apply(manifest("kept", "1.5.9", nil))
			s.apply(manifest("gone", "1.5.9", policy(chroma.PVCDelete)))
			for _, name := range []string{"kept", "gone"} {
				s.waitReady(name, "1.5.9")
			}
			s.waitEffective("kept", chroma.PVCRetain)
			s.waitEffective("gone", chroma.PVCDelete)
			kept := s.claim("kept").UID

			up := s.takeDown(selector)
			s.kubectl("delete", "chroma", "kept", "--wait=false")
			s.kubectl("delete", "chroma", "gone", "--wait=false")
			s.wait("both Chromas and a claim gone", patience, func() (string, bool) {
				seen := s.kubectl("get", "chromas,pvc", "-o", "name")
				return seen, strings.TrimSpace(seen) == "persistentvolumeclaim/"+chroma.ClaimName("kept")
			})
			up()
			s.waitGone("kept")
			s.waitGone("gone")
			time.Sleep(3 * time.Second)
			if claim := s.claim("kept"); claim == nil || claim.UID != kept || claim.DeletionTimestamp != nil {
				t.Errorf("the claim that was to stay is lost: %+v", claim)
			}
		})
	}
}

// TestRetainWhileDown switches to Retain while the function does not run: the deletion is refused with the way out, since
// the claim would still go.
func TestRetainWhileDown(t *testing.T) {
	s := newScene(t, 1)
	if s.node == nil {
		t.Skip("the parts of a developer's own cluster are not taken down")
	}
	s.apply(manifest("demo", "1.5.9", policy(chroma.PVCDelete)))
	s.waitReady("demo", "1.5.9")
	s.waitEffective("demo", chroma.PVCDelete)
	claim := s.claim("demo").UID

	up := s.takeDown(functionPods)
	s.kubectl("patch", "chroma", "demo", "--type=merge", "-p", `{"spec":{"pvcDeletionPolicy":"Retain"}}`)
	output, err := s.tryKubectl("delete", "chroma", "demo", "--wait=false")
	if err == nil {
		t.Fatal("the deletion takes the claim along, though the spec says Retain")
	}
	s.sayf("TestRetainWhileDown: %s", output)
	up()
	s.waitEffective("demo", chroma.PVCRetain)
	s.kubectl("delete", "chroma", "demo", "--wait=false")
	s.waitGone("demo")
	if got := s.claim("demo"); got == nil || got.UID != claim || got.DeletionTimestamp != nil {
		t.Error("the claim is lost")
	}
}

// takeDown Pods: they are ended, and the node takes no others until the returned function is called.
func (s *scene) takeDown(selector string) (up func()) {
	s.Helper()
	ctx := contextOf(s.T)
	if _, err := s.run(ctx, nil, "kubectl", "cordon", cluster.NodeName); err != nil {
		s.Fatal(err)
	}
	down := true
	up = func() {
		if !down {
			return
		}
		down = false
		if _, err := s.run(contextOf(s.T), nil, "kubectl", "uncordon", cluster.NodeName); err != nil {
			s.Fatal(err)
		}
		s.waitPods(selector, true)
	}
	s.Cleanup(up)
	s.killPods(selector)
	s.waitPods(selector, false)
	return up
}

// waitPods of the system until all are ready, or none is.
func (s *scene) waitPods(selector string, ready bool) {
	s.Helper()
	what := selector + " down"
	if ready {
		what = selector + " ready"
	}
	ctx := contextOf(s.T)
	err := s.until(ctx, what, time.Minute, func(context.Context) (string, bool) {
		output, err := s.run(ctx, nil, "kubectl", "-n", crossplaneNamespace, "get", "pod", "-l", selector,
			"-o", `jsonpath={range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}`)
		if err != nil {
			return err.Error(), false
		}
		if ready {
			return output, output != "" && strings.Count(output, " True\n") == strings.Count(output, "\n")
		}
		return output, !strings.Contains(output, " True\n")
	})
	if err != nil {
		s.Fatal(err)
	}
}
