package remove_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
)

const (
	chromas   = "/apis/chroma.chromadotnet.org/v1alpha1/namespaces/default/chromas/demo"
	claims    = "/persistentvolumeclaims/demo-1"
	lose      = `"spec":{"pvcDeletionPolicy":"Delete"}`
	takenBack = `kubectl patch chroma.chroma.chromadotnet.org -n default demo --type merge -p '{"spec":{"pvcDeletionPolicy":"Retain"}}'`
)

func TestDelete(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"delete", "demo"}, more...) }
	cases := map[string]fixture.Change{
		"Keep": {
			Reason: "With Retain in effect the Chroma is deleted at once, and the claim is looked at.", State: "ready", Args: args("--keep-data", "--wait", "--yes"),
			Writes: 1,
		},
		"Lose": {
			Reason: "Until the policy Delete is in effect nothing is deleted, and that it was set is said.", State: "ready", Args: args("--delete-data", "--timeout", "100ms", "--yes"),
			Code: exit.TimedOut, Want: takenBack, Writes: 1,
		},
		"Neither": {Reason: "What becomes of the data has to be said.", State: "ready", Args: args("--yes"), Code: exit.Usage},
		"Release": {
			Reason: "How a ValdOperatorRelease is deleted is said before what becomes of the data is asked for.", State: "vald-completed", Args: []string{"delete", "vor/demo"},
			Code: exit.Usage, Want: "kubectl delete valdoperatorrelease -n default demo",
		},
		"Kind":     {Reason: "So is that a kind is not known.", State: "ready", Args: []string{"delete", "pod/demo"}, Code: exit.Usage, Want: "neither a Chroma"},
		"Both":     {Reason: "The two contradict each other.", State: "ready", Args: args("--keep-data", "--delete-data"), Code: exit.Usage},
		"NotAsked": {Reason: "Without a terminal --yes is needed.", State: "ready", Args: args("--delete-data"), Code: exit.Usage},
		"Client":   {Reason: "A dry run of the client says what would be changed.", State: "ready", Args: args("--delete-data", "--dry-run", "client")},
		"Server":   {Reason: "A dry run of the server has it checked.", State: "ready", Args: args("--delete-data", "--dry-run", "server")},
		"KeepDry":  {Reason: "With Retain in effect there is no policy to change.", State: "ready", Args: args("--keep-data", "--dry-run", "server")},
		"Vectors": {
			Reason: "A distributed Chroma is deleted, and its data is elsewhere.", State: "distributed-ready", Args: args("--keep-data", "--yes"),
			Writes: 1,
		},
		"VectorsWaitUnread": {
			Reason: "Whether its namespace can be deleted is not known when the Objects of its MemberLists cannot be read.", State: "distributed-ready",
			Args: args("--keep-data", "--yes", "--wait"), Fault: fixture.Forbid("/objects"), Code: exit.Error, Want: "do not delete the namespace", Writes: 1,
		},
		"VectorsHeld": {
			Reason: "Objects that provider-kubernetes does not let go are named.", State: "distributed-ready",
			Args: args("--keep-data", "--yes", "--wait", "--timeout", "1500ms"), Code: exit.TimedOut, Want: "are left: compaction-service-memberlist, ", Writes: 1,
		},
		"VectorsServer":   {Reason: "Its deletion can be tried.", State: "distributed-ready", Args: args("--keep-data", "--dry-run", "server")},
		"VectorsNotAsked": {Reason: "A distributed Chroma is not deleted without a question either.", State: "distributed-ready", Args: args("--keep-data"), Code: exit.Usage},
		"VectorsLose":     {Reason: "The data of a distributed Chroma is never deleted.", State: "distributed-ready", Args: args("--delete-data", "--yes"), Code: exit.Refused},
		"KeepUnread": {
			Reason: "Whether the claim would stay is not known when it cannot be read.", State: "ready", Args: args("--keep-data", "--yes"), Fault: fixture.Forbid("/persistentvolumeclaims"),
			Code: exit.Error,
		},
		"LoseUnread": {
			Reason: "Whether the claim would go is not known when it cannot be read.", State: "ready", Args: args("--delete-data", "--yes", "--wait"), Fault: fixture.Break("/persistentvolumeclaims"),
			Code: exit.Error,
		},
		"Hangs": {
			Reason: "A claim that is not read in time is not known.", State: "ready", Args: args("--keep-data", "--yes", "--request-timeout", "1s"), Fault: fixture.Hang("/persistentvolumeclaims"),
			Code: exit.TimedOut,
		},
		"PatchHangs": {
			Reason: "A patch without an answer may have been done.", State: "ready", Args: args("--delete-data", "--yes", "--request-timeout", "2s"), Fault: fixture.Writing(fixture.Hang("/")),
			Code: exit.TimedOut, Want: takenBack,
		},
		"PatchForbidden": {
			Reason: "A patch that was refused leaves nothing behind.", State: "ready", Args: args("--delete-data", "--yes"), Fault: fixture.Writing(fixture.Forbid("/")),
			Code: exit.Error, Want: `cannot patch resource "chromas"`,
		},
		"CompositeUnread": {
			Reason: "The policy of the composite behind a claim is the one that counts.", State: "claim-backed", Args: args("--keep-data", "--yes", "--wait"), Fault: fixture.Forbid("/xchromas"),
			Code: exit.Error,
		},
		"Claim": {
			Reason: "A claim of XChroma is deleted like any Chroma.", State: "claim-backed", Args: args("--keep-data", "--yes"),
			Writes: 1,
		},
	}
	for name, tc := range cases {
		t.Run(name, tc.Test)
	}
}

// A crossplane that carries out what a command writes, a few requests later.
type crossplane struct {
	server *fixture.Server
	// composite and its UID.
	kind, name, uid string
	// patched and deleted are the looks since then, at the Chroma and at the claim; gone those at the composite.
	patched, deleted, gone atomic.Int64
	// terminating claims are seen so often before they are gone.
	terminating int64
	// also decides what else happens to a request.
	also fixture.Fault
}

// of a state.
func of(t *testing.T, state, kind, name string) *crossplane {
	t.Helper()
	c := &crossplane{server: fixture.Serve(t, fixture.Load(t, state)...), kind: kind, name: name}
	c.server.Edit(kind, name, func(u *unstructured.Unstructured) { c.uid = string(u.GetUID()) })
	c.server.Fault = c.serve
	return c
}

func (c *crossplane) serve(w http.ResponseWriter, r *http.Request) bool {
	if c.also != nil && c.also(w, r) {
		return true
	}
	switch {
	case r.Method == http.MethodPatch:
		c.patched.Store(1)
	case r.Method == http.MethodDelete:
		c.deleted.Store(1)
	case strings.HasSuffix(r.URL.Path, claims) && c.deleted.Load() > 0:
		c.collect(c.deleted.Add(1))
	case strings.HasSuffix(r.URL.Path, "chromas/demo") && c.patched.Load() > 0 && c.deleted.Load() == 0:
		c.carryOut(c.patched.Add(1))
	case strings.HasSuffix(r.URL.Path, c.name) && c.deleted.Load() > 0 && c.kind == "XChroma":
		if c.gone.Add(1) == 2 {
			c.server.Edit(c.kind, c.name, nil)
		}
	}
	return false
}

// carryOut the policy: first in the spec of the composite, then in its status, and last on the claim.
func (c *crossplane) carryOut(look int64) {
	switch look {
	case 2:
		c.server.Edit(c.kind, c.name, func(u *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(u.Object, "Delete", "spec", "pvcDeletionPolicy")
		})
		for _, kind := range []string{"Chroma", c.kind} {
			name := map[string]string{"Chroma": "demo", c.kind: c.name}[kind]
			c.server.Edit(kind, name, func(u *unstructured.Unstructured) {
				_ = unstructured.SetNestedField(u.Object, "Delete", "status", "pvcDeletionPolicy")
			})
		}
	case 3:
		c.server.Edit("PersistentVolumeClaim", "demo-1", func(u *unstructured.Unstructured) {
			_ = unstructured.SetNestedSlice(u.Object, []any{map[string]any{"uid": c.uid, "kind": c.kind, "name": c.name}}, "metadata", "ownerReferences")
		})
	}
}

// collect the claim, which a Pod holds for a while.
func (c *crossplane) collect(look int64) {
	switch look {
	case 2:
		c.server.Edit("PersistentVolumeClaim", "demo-1", func(u *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(u.Object, "2026-01-01T01:00:00Z", "metadata", "deletionTimestamp")
		})
	case 2 + c.terminating:
		c.server.Edit("PersistentVolumeClaim", "demo-1", nil)
	}
}

// deletions that were sent.
func deletions(server *fixture.Server) int {
	count := 0
	for _, write := range server.Writes() {
		if write.Method == http.MethodDelete {
			count++
		}
	}
	return count
}

// told runs the command, and compares all that it says and writes.
func told(t *testing.T, server *fixture.Server, args ...string) fixture.Result {
	t.Helper()
	got := fixture.Run(t, server, "", args...)
	fixture.Told(t, server, "Crossplane carries out what is written, a few looks later.", got, args...)
	return got
}

// TestDeleteWaitsForTheObjectsOfMemberLists, which go one after the other when the Chroma is gone.
func TestDeleteWaitsForTheObjectsOfMemberLists(t *testing.T) {
	t.Parallel()
	objects := fixture.Load(t, "distributed-ready")
	var names []string
	for _, object := range objects {
		if object.GetKind() != "Object" {
			continue
		}
		names = append(names, object.GetName())
		if len(names) == 1 {
			again := object.DeepCopy()
			again.SetName("another-memberlist")
			again.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "chroma.chromadotnet.org/v1alpha1", Kind: "Chroma", Name: "demo", UID: "another"}})
			objects = append(objects, again)
		}
	}
	server := fixture.Serve(t, objects...)
	var looks atomic.Int64
	server.Fault = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/objects") {
			return false
		}
		switch looks.Add(1) {
		case 2:
			server.Edit("Object", names[0], nil)
		case 3:
			for _, name := range names[1:] {
				server.Edit("Object", name, nil)
			}
		}
		return false
	}
	got := told(t, server, "delete", "demo", "-n", "default", "--keep-data", "--wait", "-y", "--timeout", "20s")
	if got.Code != exit.Fine || looks.Load() != 3 || !strings.HasSuffix(got.Out, "is gone. What is in its Postgres and its bucket stays.\n") {
		t.Errorf("want its Objects waited for, and none of another Chroma, after %d looks got:\n%s", looks.Load(), got)
	}
}

func TestDeleteData(t *testing.T) {
	t.Parallel()
	t.Run("TheClaimWentOnlyWhenItIsGone", func(t *testing.T) {
		t.Parallel()
		c := of(t, "ready", "Chroma", "demo")
		c.terminating = 2
		got := told(t, c.server, "delete", "demo", "-n", "default", "--delete-data", "--wait", "-y", "--timeout", "20s")
		if got.Code != exit.Fine || !strings.HasSuffix(got.Out, "The claim demo-1 went too.\n") || c.deleted.Load() < 4 {
			t.Errorf("want the end of the claim waited for, after %d looks got:\n%s", c.deleted.Load(), got)
		}
	})
	t.Run("AClaimThatIsHeldDidNotGo", func(t *testing.T) {
		t.Parallel()
		c := of(t, "ready", "Chroma", "demo")
		c.terminating = 1000
		got := told(t, c.server, "delete", "demo", "-n", "default", "--delete-data", "--wait", "-y", "--timeout", "3s")
		if got.Code != exit.TimedOut || !strings.Contains(got.Err, "something still holds it") {
			t.Errorf("want a claim that is held, got:\n%s", got)
		}
	})
	t.Run("AReadThatFailsOnceIsTriedAgain", func(t *testing.T) {
		t.Parallel()
		c := of(t, "ready", "Chroma", "demo")
		c.also = fixture.Once("/chromas/demo", 2, fixture.Break("/"))
		got := told(t, c.server, "delete", "demo", "-n", "default", "--delete-data", "-y", "--timeout", "20s")
		if got.Code != exit.Fine || deletions(c.server) != 1 || !strings.Contains(got.Err, "cannot look at the moment") {
			t.Errorf("want one deletion after another look, got %d and:\n%s", deletions(c.server), got)
		}
	})
	t.Run("ADeletionThatIsRefusedLeavesThePolicy", func(t *testing.T) {
		t.Parallel()
		c := of(t, "ready", "Chroma", "demo")
		c.also = func(w http.ResponseWriter, r *http.Request) bool {
			return r.Method == http.MethodDelete && fixture.Forbid("/")(w, r)
		}
		got := told(t, c.server, "delete", "demo", "-n", "default", "--delete-data", "-y")
		if got.Code != exit.Error || !strings.Contains(got.Err, "cannot delete resource") || !strings.Contains(got.Err, takenBack) {
			t.Errorf("want the policy told, got:\n%s", got)
		}
	})
	t.Run("AnInterruptLeavesThePolicy", func(t *testing.T) {
		t.Parallel()
		server := fixture.Serve(t, fixture.Load(t, "ready")...)
		ctx, stop := context.WithCancel(t.Context())
		var patched atomic.Bool
		server.Fault = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPatch {
				patched.Store(true)
			} else if patched.Load() {
				stop()
			}
			return false
		}
		got := fixture.Stopped(ctx, server, "delete", "demo", "-n", "default", "--delete-data", "-y")
		if got.Code != exit.Error || !strings.Contains(got.Err, "interrupted while waiting") || !strings.Contains(got.Err, takenBack) {
			t.Errorf("want an interrupt that is no timeout, got:\n%s", got)
		}
		if deletions(server) > 0 {
			t.Errorf("it was deleted: %v", server.Writes())
		}
	})
	t.Run("BehindAClaimTheCompositeCounts", func(t *testing.T) {
		t.Parallel()
		c := of(t, "claim-backed", "XChroma", "demo-6a5fb")
		c.terminating = 1
		got := told(t, c.server, "delete", "demo", "-n", "default", "--delete-data", "--wait", "-y", "--timeout", "20s")
		if got.Code != exit.Fine || !strings.HasSuffix(got.Out, "The claim demo-1 went too.\n") {
			t.Errorf("want the claim gone, got:\n%s", got)
		}
		if !c.server.Has("XChroma", "demo-6a5fb") && deletions(c.server) == 1 {
			return
		}
		t.Errorf("want one deletion, and the composite gone: %v", c.server.Writes())
	})
}
