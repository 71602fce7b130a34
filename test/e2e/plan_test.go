//go:build e2e && linux

package e2e

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestPlan upgrades a server as the plugin has foretold it: Crossplane's writes in the audit log are those of the plan, in
// its order.
func TestPlan(t *testing.T) {
	if world.node == nil {
		t.Skip("the audit log is that of the node made for the tests")
	}
	s := newSceneIn(t, auditedNamespace, 1)
	s.apply(manifest("demo", "1.5.0", nil))
	s.waitReady("demo", "1.5.0")
	s.waitQuiet()
	before := s.versions()

	foretold := foretoldWrites(s.chromaCommand(fine, "upgrade", "plan", "demo", "--image", image("1.5.9")))
	if len(foretold) < 3 {
		t.Fatalf("the plan is empty: %v", foretold)
	}
	began := time.Now()
	s.chromaCommand(fine, "upgrade", "apply", "demo", "--image", image("1.5.9"), "--yes")
	s.waitReady("demo", "1.5.9")
	s.waitQuiet()
	if diff := cmp.Diff(foretold, s.composedWrites(began, before)); diff != "" {
		t.Errorf("Crossplane's writes to composed objects: -foretold, +audit log:\n%s", diff)
	}
	s.sayf("TestPlan: foretold and written: %s", strings.Join(foretold, ", "))
}

// waitQuiet until nothing of the scene changes for some seconds.
func (s *scene) waitQuiet() {
	s.Helper()
	last, since := s.versions(), time.Now()
	s.wait("quiet", 2*time.Minute, func() (string, bool) {
		time.Sleep(time.Second)
		now := s.versions()
		seen := changedNames(last, now)
		if len(seen) > 0 {
			last, since = now, time.Now()
		}
		return strings.Join(seen, ", "), time.Since(since) > 6*time.Second
	})
}

// changedNames of objects that differ, came or went.
func changedNames(before, after map[string]string) []string {
	var out []string
	for name, version := range after {
		if before[name] != version {
			out = append(out, name)
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// foretoldWrites of a plan. How often a pass looks again at one object is a matter of time: repetitions are one write.
func foretoldWrites(plan string) []string {
	line := regexp.MustCompile(`(?m)^ +(creates|changes|deletes) +\S+ +([A-Za-z]+) [^/ ]+/(\S+)$`)
	var out []string
	for _, found := range line.FindAllStringSubmatch(plan, -1) {
		out = append(out, found[1]+" "+found[2]+" "+found[3])
	}
	return slices.Compact(out)
}

// composedWrites are Crossplane's writes to what it composes that changed something.
func (s *scene) composedWrites(since time.Time, versions map[string]string) []string {
	s.Helper()
	kinds := map[string]string{"objects": "Object", "pods": "Pod", "configmaps": "ConfigMap", "services": "Service"}
	verbs := map[string]string{"patch": "changes", "delete": "deletes"}
	var out []string
	for _, w := range s.written(since) {
		kind, composed := kinds[w.Object.Resource]
		if w.User.Username != "system:serviceaccount:"+crossplaneNamespace+":crossplane" || !composed || w.Object.Subresource != "" {
			s.follow(w, kinds, versions)
			continue
		}
		verb, counts := verbs[w.Verb]
		if w.Response.Code == 201 {
			verb = "creates"
		}
		// An update takes Crossplane's label off, before a deletion.
		if counts && (verb != "changes" || versions[kind+" "+w.Object.Name] != w.Answer.Metadata.ResourceVersion) {
			out = append(out, verb+" "+kind+" "+w.Object.Name)
		}
		s.follow(w, kinds, versions)
	}
	return slices.Compact(out)
}

// follow the versions of objects through what others write.
func (s *scene) follow(w write, kinds, versions map[string]string) {
	if kind, composed := kinds[w.Object.Resource]; composed && w.Answer.Metadata.ResourceVersion != "" {
		versions[kind+" "+w.Object.Name] = w.Answer.Metadata.ResourceVersion
	}
}
