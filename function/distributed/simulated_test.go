package distributed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// simulated is a cluster with Crossplane, provider-kubernetes and the whole function in it, and real server-side apply.
type simulated struct {
	*simulator.Cluster
	t      *testing.T
	writes []store.Change
}

func simulate(t *testing.T) *simulated {
	t.Helper()
	s := &simulated{t: t}
	function, err := composition.New(logging.NewNopLogger(), settings.Environment{ChecksDisabled: true}, func() time.Time { return s.Now() })
	if err != nil {
		t.Fatal(err)
	}
	input, err := structpb.NewStruct(map[string]any{"apiVersion": "chroma.fn.crossplane.io/v1beta1", "kind": "Input"})
	if err != nil {
		t.Fatal(err)
	}
	s.Cluster, err = simulator.New(simulator.Config{
		Composites: []simulator.Composite{{Kind: v1alpha1.GroupVersionKind(), Function: function, Input: input}},
		Changed:    func(change store.Change) { s.writes = append(s.writes, change) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// create a distributed Chroma.
func (s *simulated) create(name, version string) {
	s.t.Helper()
	chroma := newCluster(s.t, version).xr
	chroma["metadata"] = map[string]any{"name": name, "namespace": simulator.Namespace}
	if err := s.Apply(&unstructured.Unstructured{Object: chroma}); err != nil {
		s.t.Fatal(err)
	}
}

// settle lets every workload roll out and every Job complete, for longer than anything of the function waits.
func (s *simulated) settle() {
	s.t.Helper()
	for range 30 {
		s.Advance(4 * time.Second)
		for _, object := range s.Objects() {
			s.rollOut(object)
		}
	}
}

// rollOut what has not rolled out in its newest generation.
func (s *simulated) rollOut(live *unstructured.Unstructured) {
	count, _, _ := unstructured.NestedInt64(live.Object, "spec", "replicas")
	observed, _, _ := unstructured.NestedInt64(live.Object, "status", "observedGeneration")
	done := observed == live.GetGeneration()
	status := map[string]any{}
	switch live.GetKind() {
	case "Job":
		done = live.Object["status"] != nil
		status["conditions"] = []any{map[string]any{"type": "Complete", "status": "True"}}
	case "Deployment", "StatefulSet":
		status["observedGeneration"] = live.GetGeneration()
		for _, field := range []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"} {
			status[field] = count
		}
	default:
		return
	}
	if done || live.GetDeletionTimestamp() != nil {
		return
	}
	changed := live.DeepCopy()
	changed.Object["status"] = status
	if _, err := s.Store().Update(changed, store.Options{Actor: "controllers", Manager: "kube-controller-manager", Subresource: "status"}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *simulated) of(name string) *unstructured.Unstructured {
	return s.Get(v1alpha1.GroupVersionKind(), simulator.Namespace, name)
}

// kinds counts the objects of the chart by kind.
func (s *simulated) kinds() map[string]int {
	out := map[string]int{}
	for _, object := range s.Objects() {
		switch object.GetKind() {
		case "ConfigMap", "Deployment", "StatefulSet", "Job", "MemberList", "Role", "RoleBinding", "Service":
			out[object.GetKind()]++
		case "ServiceAccount":
			if strings.Contains(object.GetName(), "service") {
				out[object.GetKind()]++
			}
		}
	}
	return out
}

func (s *simulated) ready(name string) string {
	status, because, message := simulator.Condition(s.of(name), "ServerReady")
	return fmt.Sprintf("%s %s %s", status, because, message)
}

// TestSimulated creates, updates and deletes a system on real server-side apply.
func TestSimulated(t *testing.T) {
	s := simulate(t)
	s.create("demo", "93652ec")
	s.settle()
	if got := s.ready("demo"); !strings.HasPrefix(got, "True ComponentsReady") {
		t.Fatalf("the system gets ready, got %s", got)
	}
	want := map[string]int{"ConfigMap": 7, "Deployment": 3, "StatefulSet": 5, "Job": 1, "MemberList": 4, "Role": 6, "RoleBinding": 21, "Service": 6, "ServiceAccount": 8}
	if diff := cmp.Diff(want, s.kinds()); diff != "" {
		t.Errorf("the objects of the chart: -want, +got:\n%s", diff)
	}
	writes := len(s.writes)
	s.settle()
	if after := len(s.writes); after != writes {
		t.Errorf("a settled system is not written to, got %d writes, the last %+v", after-writes, s.writes[after-1])
	}

	// A sysdb that strips all but the members.
	list := schema.GroupVersionKind{Group: "chroma.cluster", Version: "v1", Kind: "MemberList"}
	members := []any{map[string]any{"member_id": "query-service-0", "member_ip": "10.0.0.9", "member_node_name": "n"}}
	if err := s.Edit(list, simulator.Namespace, "query-service-memberlist", "coordinator", func(object *unstructured.Unstructured) {
		object.SetLabels(nil)
		object.SetAnnotations(nil)
		object.Object["spec"] = map[string]any{"members": members}
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Edit(v1alpha1.GroupVersionKind(), simulator.Namespace, "demo", "kubectl", func(object *unstructured.Unstructured) {
		object.Object["spec"].(map[string]any)["distributed"].(map[string]any)["version"] = "52ce844"
	}); err != nil {
		t.Fatal(err)
	}
	s.settle()
	if got := s.ready("demo"); !strings.HasPrefix(got, "True ComponentsReady") {
		t.Fatalf("the update gets ready, got %s", got)
	}
	if version, _, _ := unstructured.NestedString(s.of("demo").Object, "status", "version"); version != "52ce844" {
		t.Errorf("version: got %s", version)
	}
	want["MemberList"], want["Role"], want["RoleBinding"] = 5, 8, 23
	if diff := cmp.Diff(want, s.kinds()); diff != "" {
		t.Errorf("the objects of the later chart: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(members, s.Get(list, simulator.Namespace, "query-service-memberlist").Object["spec"].(map[string]any)["members"]); diff != "" {
		t.Errorf("a MemberList is never emptied: -want, +got:\n%s", diff)
	}

	if err := s.Delete(v1alpha1.GroupVersionKind(), simulator.Namespace, "demo", metav1.DeletePropagationBackground); err != nil {
		t.Fatal(err)
	}
	s.settle()
	if left := s.kinds(); len(left) > 0 {
		t.Errorf("all goes with the Chroma, the MemberLists included, got %v", left)
	}
}

// TestSimulatedRace creates two in one namespace at once.
func TestSimulatedRace(t *testing.T) {
	s := simulate(t)
	s.create("one", "52ce844")
	s.create("two", "52ce844")
	s.settle()
	got := []string{strings.Fields(s.ready("one"))[1], strings.Fields(s.ready("two"))[1]}
	if diff := cmp.Diff([]string{"ComponentsReady", "DistributedNamespaceTaken"}, got); diff != "" {
		if diff := cmp.Diff([]string{"DistributedNamespaceTaken", "ComponentsReady"}, got); diff != "" {
			t.Fatalf("one has the namespace, the other says so: %v", got)
		}
	}
	for _, object := range s.Objects() {
		if owner := metav1.GetControllerOf(object); owner != nil && strings.Fields(s.ready(owner.Name))[1] != "ComponentsReady" {
			t.Errorf("the loser composed %s %s", object.GetKind(), object.GetName())
		}
	}
}
