package live_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/fixture"
	"github.com/function-chroma/function-chroma/plugin/live"
)

func client(t *testing.T, server *fixture.Server) *cluster.Client {
	t.Helper()
	out, err := cluster.New(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func gather(t *testing.T, server *fixture.Server, namespace string) *live.View {
	t.Helper()
	v, err := live.Gather(t.Context(), client(t, server), cluster.Chroma(), namespace, "demo", fixture.Now())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWhatCannotBeReadIsNotAbsent(t *testing.T) {
	cases := map[string]struct {
		reason, state string
		fault         fixture.Fault
		claim, pod    bool
	}{
		"All":       {reason: "What is there is read.", state: "ready"},
		"Lost":      {reason: "What is absent is no error.", state: "claim-lost"},
		"Claim":     {reason: "A claim that may not be read is not absent.", state: "ready", fault: fixture.Forbid("/persistentvolumeclaims"), claim: true},
		"Pod":       {reason: "Nor is a Pod.", state: "ready", fault: fixture.Forbid("/pods"), pod: true},
		"PodBroken": {reason: "Nor is one that the server cannot find out about.", state: "ready", fault: fixture.Break("/pods/demo-1"), pod: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.state)...)
			server.Fault = tc.fault
			v := gather(t, server, "default")
			if (v.ClaimError != nil) != tc.claim || (v.PodError != nil) != tc.pod {
				t.Errorf("\n%s\nclaim: %v\nPod: %v", tc.reason, v.ClaimError, v.PodError)
			}
			if v.ClaimError != nil && v.Claim != nil || v.PodError != nil && v.Pod != nil {
				t.Errorf("\n%s\nan object and an error: %v %v", tc.reason, v.Claim, v.Pod)
			}
		})
	}
}

// TestWhatFailsIsAskedForOnce: each time could take as long as a server that hangs.
func TestWhatFailsIsAskedForOnce(t *testing.T) {
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	server.Fault = fixture.Forbid("/persistentvolumeclaims")
	gather(t, server, "default")
	asked := slices.DeleteFunc(server.Requests(), func(r string) bool { return !strings.HasSuffix(r, "/persistentvolumeclaims/demo-1") })
	if len(asked) != 1 {
		t.Errorf("want one request, got %v", asked)
	}
}

// move what is in namespace default to another one. Events about what is in none stay.
func move(objects []*unstructured.Unstructured, to string) []*unstructured.Unstructured {
	var walk func(any)
	walk = func(value any) {
		switch of := value.(type) {
		case map[string]any:
			if of["namespace"] == "default" {
				of["namespace"] = to
			}
			for _, below := range of {
				walk(below)
			}
		case []any:
			for _, below := range of {
				walk(below)
			}
		}
	}
	for _, object := range objects {
		of, _, _ := unstructured.NestedString(object.Object, "involvedObject", "kind")
		if of != "XChroma" {
			walk(object.Object)
		}
	}
	return objects
}

func TestEventsOfACompositeElsewhere(t *testing.T) {
	server := fixture.Serve(t, move(fixture.Load(t, "claim-backed"), "team")...)
	kinds := func(events []live.Event) []string {
		var out []string
		for _, event := range events {
			out = append(out, event.Kind)
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	v := gather(t, server, "team")
	want := []string{"Chroma", "Object", "XChroma"}
	if diff := cmp.Diff(want, kinds(v.Events)); diff != "" {
		t.Errorf("the view's events: -want, +got:\n%s\n%v", diff, v.Notes)
	}
	events, err := live.Events(t.Context(), client(t, server), cluster.Chroma(), "team", "demo", fixture.Now())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, kinds(events)); diff != "" {
		t.Errorf("the events: -want, +got:\n%s", diff)
	}

	server.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		return fixture.Forbid("/namespaces/default/events")(w, r)
	}
	events, err = live.Events(t.Context(), client(t, server), cluster.Chroma(), "team", "demo", fixture.Now())
	if err != nil {
		t.Fatal(err)
	}
	if last := events[len(events)-1]; len(events) < 2 || last.Reason != live.NotRead || !strings.Contains(last.Message, `cannot list resource "events"`) {
		t.Errorf("want the other events, and what is missing: %v", events)
	}
}

func TestEventsOfAPredecessor(t *testing.T) {
	event := func(kind, name, uid, at string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"namespace": "default", "name": kind + uid}, "reason": uid, "type": "Normal", "lastTimestamp": at,
			"involvedObject": map[string]any{"kind": kind, "name": name, "namespace": "default", "uid": uid},
		}}
	}
	server := fixture.Serve(t, fixture.Load(t, "ready")...)
	var own string
	server.Edit("Chroma", "demo", func(u *unstructured.Unstructured) { own = string(u.GetUID()) })
	for _, one := range []*unstructured.Unstructured{
		event("Chroma", "demo", own, "2026-01-01T00:30:00Z"), event("Chroma", "demo", "before", "2026-01-01T00:30:00Z"),
		event("Pod", "demo-1", "earlier-pod", "2026-01-01T00:30:00Z"), event("Pod", "demo-1", "pod-of-predecessor", "2025-12-31T00:00:00Z"),
	} {
		server.Add(one)
	}
	got := map[string]bool{}
	for _, event := range gather(t, server, "default").Events {
		got[event.Reason] = true
	}
	if !got[own] || !got["earlier-pod"] || got["before"] || got["pod-of-predecessor"] {
		t.Errorf("want the events of this Chroma and its Pods alone, got %v", got)
	}
}

func TestPods(t *testing.T) {
	pod := func(name, app string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod"}}
		u.SetNamespace("default")
		u.SetName(name)
		u.SetLabels(map[string]string{"app": app})
		return u
	}
	others := slices.DeleteFunc(fixture.Load(t, "distributed-ready"), func(o *unstructured.Unstructured) bool { return o.GetKind() == "Pod" })
	server := fixture.Serve(t, append(others,
		pod("query-service-0", "query-service"), pod("rust-frontend-service-0", "rust-frontend-service"), pod("sysdb-migration-52ce844-x", "sysdb-migration"), pod("shop-0", "shop"))...)
	cases := map[string]struct {
		reason, component string
		want              []string
		code              exit.Code
	}{
		"All":       {reason: "Pods of others have the label app too.", want: []string{"query-service-0", "rust-frontend-service-0", "sysdb-migration-52ce844-x"}},
		"Spec":      {reason: "The spec's name.", component: "queryService", want: []string{"query-service-0"}},
		"Workload":  {reason: "The workload's name.", component: "frontend-service", want: []string{"rust-frontend-service-0"}},
		"Migration": {reason: "The migration has a log.", component: "migration", want: []string{"sysdb-migration-52ce844-x"}},
		"None":      {reason: "A component without Pods is told.", component: "sysdb", code: exit.Unhealthy},
		"Unknown":   {reason: "What is none is a usage error.", component: "shop", code: exit.Usage},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pods, err := live.Pods(t.Context(), client(t, server), "default", "demo", tc.component)
			var got []string
			for _, pod := range pods {
				got = append(got, pod.GetName())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || exit.CodeOf(err) != tc.code {
				t.Errorf("\n%s\nPods(%s): %v, -want, +got:\n%s", tc.reason, tc.component, err, diff)
			}
		})
	}
}

func TestEventsOfWhatWorkloadsMake(t *testing.T) {
	cases := map[string]struct {
		reason, kind, name string
		want               bool
	}{
		"StatefulSetsPod": {reason: "Why a Pod is not ready is told of it alone.", kind: "Pod", name: "query-service-1", want: true},
		"DeploymentsPod":  {reason: "So it is of a Deployment's.", kind: "Pod", name: "sysdb-5b878f6854-hdrkj", want: true},
		"JobsPod":         {reason: "And of the migration's.", kind: "Pod", name: "sysdb-migration-52ce844-t7njs", want: true},
		"ReplicaSet":      {reason: "That a quota refuses a Deployment's Pods is told of its ReplicaSet.", kind: "ReplicaSet", name: "sysdb-5b878f6854", want: true},
		"Stranger":        {reason: "Others have Pods whose names begin the same.", kind: "Pod", name: "query-service-cache-0"},
		"OtherKind":       {reason: "Not all that has such a name is made of a workload.", kind: "Shop", name: "query-service-1"},
		"Workload":        {reason: "A Pod has more than the name of its workload.", kind: "Pod", name: "query-service"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, "distributed-ready")...)
			server.Add(&unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"namespace": "default", "name": "one"}, "reason": "Probed", "type": "Warning",
				"lastTimestamp": "2026-01-01T00:30:00Z", "involvedObject": map[string]any{"kind": tc.kind, "name": tc.name, "namespace": "default", "uid": "some"},
			}})
			got := slices.ContainsFunc(gather(t, server, "default").Events, func(event live.Event) bool { return event.Reason == "Probed" })
			if got != tc.want {
				t.Errorf("\n%s\nwant the event of %s %s told %t, got %t", tc.reason, tc.kind, tc.name, tc.want, got)
			}
		})
	}
}
