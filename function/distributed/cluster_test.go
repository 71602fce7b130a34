package distributed_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/image"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/settings"
)

const (
	namespace = "vectors"
	xrUID     = "11111111-1111-1111-1111-111111111111"
)

// A cluster is as much of Crossplane, provider-kubernetes and Chroma as the rules can tell apart: composed objects are
// taken over as they are sent, everything else happens when a test says so.
type cluster struct {
	t        testing.TB
	xr       map[string]any
	observed map[string]*unstructured.Unstructured
	// others are the objects that only a question shows, by "kind/name".
	others map[string]*unstructured.Unstructured
	checks distributed.Checks
	with   settings.Settings
	now    time.Time
	// held workloads do not roll out.
	held map[string]bool
	// admit is a webhook that changes what is applied. Nil: none.
	admit func(*unstructured.Unstructured)
	// lost writes of a pass that Crossplane does not live to finish, by role. Its status is lost too. Nil: it finishes.
	lost func(role string) bool
	// last answer.
	last pass.Answer
}

func newCluster(t testing.TB, version string) *cluster {
	t.Helper()
	good := distributed.Result{Status: pass.True, Reason: reason.CheckPassed}
	c := &cluster{
		t: t, observed: map[string]*unstructured.Unstructured{}, others: map[string]*unstructured.Unstructured{}, held: map[string]bool{},
		checks: distributed.Checks{Postgres: good, ObjectStorage: good},
		now:    time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
		xr: map[string]any{
			"apiVersion": v1alpha1.GroupVersion().String(), "kind": v1alpha1.Kind,
			"metadata": map[string]any{"name": "demo", "namespace": namespace, "uid": xrUID},
			"spec": map[string]any{"mode": "distributed", "distributed": map[string]any{
				"version":       version,
				"postgres":      map[string]any{"host": "postgres", "credentialsSecret": map[string]any{"name": "pg"}},
				"objectStorage": map[string]any{"s3": map[string]any{"endpoint": "http://10.0.0.1:9000", "credentialsSecret": map[string]any{"name": "s3"}}},
			}},
		},
	}
	c.allow(image.DefaultRepositories()...)
	c.secret("pg", map[string]string{"username": "chroma", "password": "s3cret"})
	c.secret("s3", map[string]string{"accessKeyId": "AKIA", "secretAccessKey": "a/b+c"})
	return c
}

// revised is the revision of a database that a version known here has migrated.
const revised = "20250101000000"

// running is a cluster whose system runs, settled.
func running(t testing.TB, version string) *cluster {
	t.Helper()
	c := newCluster(t, version)
	for range 20 {
		if c.pass(); c.last.Ready {
			c.checks.Revision = revised // As its migration Job leaves it.
			c.pass()
			return c
		}
		c.settle()
	}
	t.Fatalf("the system does not get ready: %v", c.last.Conditions)
	return nil
}

func (c *cluster) allow(repositories ...string) {
	c.t.Helper()
	allowed, err := image.ParseAllowList(repositories)
	if err != nil {
		c.t.Fatal(err)
	}
	c.with.Images.Allowed = allowed
}

func (c *cluster) spec() map[string]any {
	return c.xr["spec"].(map[string]any)["distributed"].(map[string]any)
}

func (c *cluster) secret(name string, values map[string]string) {
	data := map[string]any{}
	for key, value := range values {
		data[key] = base64.StdEncoding.EncodeToString([]byte(value))
	}
	c.add("v1", "Secret", name, map[string]any{"data": data})
}

// add an object that only a question shows.
func (c *cluster) add(apiVersion, kind, name string, content map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	maps.Copy(object.Object, content)
	object.SetAPIVersion(apiVersion)
	object.SetKind(kind)
	object.SetName(name)
	object.SetNamespace(namespace)
	c.others[kind+"/"+name] = object
	return object
}

// request of a call, with or without the answers to the questions of the call before.
func (c *cluster) request(asked map[string]pass.Requirement) pass.Request {
	request := pass.Request{
		XR: &unstructured.Unstructured{Object: numbers(c.xr)}, Name: "demo", Namespace: namespace,
		Observed: map[string]*unstructured.Unstructured{}, Required: map[string]pass.Found{},
		Settings: c.with, Now: c.now,
	}
	for role, object := range c.observed {
		request.Observed[role] = &unstructured.Unstructured{Object: numbers(object.Object)}
	}
	for question, requirement := range asked {
		if requirement.Namespace != namespace {
			c.t.Errorf("%s is asked for in namespace %q, which Crossplane answers with no items", question, requirement.Namespace)
		}
		found := pass.Found{Answered: true}
		for _, object := range c.matching(requirement) {
			found.Objects = append(found.Objects, &unstructured.Unstructured{Object: numbers(object.Object)})
		}
		request.Required[question] = found
	}
	return request
}

func (c *cluster) matching(requirement pass.Requirement) []*unstructured.Unstructured {
	var found []*unstructured.Unstructured
	candidates := slices.Collect(maps.Values(c.others))
	candidates = slices.AppendSeq(candidates, maps.Values(c.observed))
	for _, object := range candidates {
		if object.GetKind() != requirement.Kind || object.GetAPIVersion() != requirement.APIVersion {
			continue
		}
		if requirement.Name != "" && object.GetName() != requirement.Name {
			continue
		}
		matches := true
		for key, value := range requirement.Labels {
			matches = matches && object.GetLabels()[key] == value
		}
		if matches {
			found = append(found, object)
		}
	}
	slices.SortFunc(found, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return found
}

// pass of Crossplane: two calls, delete what left, apply the rest, write the status.
func (c *cluster) pass() pass.Answer {
	c.t.Helper()
	first, err := distributed.Decide(c.request(nil), c.checks)
	if err != nil {
		c.t.Fatal(err)
	}
	answer, err := distributed.Decide(c.request(first.Requirements), c.checks)
	if err != nil {
		c.t.Fatal(err)
	}
	if !reflect.DeepEqual(first.Requirements, answer.Requirements) {
		c.t.Errorf("the second call asks for other objects than the first: %v, then %v", first.Requirements, answer.Requirements)
	}
	c.last = answer
	desired := map[string]pass.Object{}
	for _, object := range answer.Objects {
		desired[object.Role] = object
	}
	for role, object := range c.observed {
		if _, stays := desired[role]; !stays && !c.loses(role) {
			delete(c.observed, role)
			if object.GetKind() == "Object" {
				delete(c.others, "MemberList/"+object.GetName())
			}
		}
	}
	for role, object := range desired {
		if !c.loses(role) {
			c.apply(role, object.Manifest)
		}
	}
	if c.lost == nil {
		c.writeStatus(answer)
	}
	return answer
}

func (c *cluster) loses(role string) bool { return c.lost != nil && c.lost(role) }

func (c *cluster) writeStatus(answer pass.Answer) {
	status := plain(c.t, answer.Status)
	var conditions []any
	for _, condition := range answer.Conditions {
		conditions = append(conditions, map[string]any{
			"type": string(condition.Type), "status": string(condition.Status), "reason": string(condition.Reason), "message": condition.Message,
			"lastTransitionTime": "2026-11-01T00:00:00Z",
		})
	}
	status["conditions"] = conditions
	c.xr["status"] = status
}

func (c *cluster) apply(role string, manifest any) {
	content := plain(c.t, manifest)
	before := c.observed[role]
	object := &unstructured.Unstructured{Object: content}
	if c.admit != nil {
		c.admit(object)
	}
	object.SetOwnerReferences(nil)
	_ = unstructured.SetNestedSlice(object.Object, []any{map[string]any{
		"apiVersion": v1alpha1.GroupVersion().String(), "kind": v1alpha1.Kind, "name": "demo", "uid": xrUID, "controller": true,
	}}, "metadata", "ownerReferences")
	object.SetGeneration(1)
	if before != nil {
		object.SetGeneration(before.GetGeneration())
		if !reflect.DeepEqual(numbers(map[string]any{"s": before.Object["spec"]}), numbers(map[string]any{"s": object.Object["spec"]})) {
			object.SetGeneration(before.GetGeneration() + 1)
		}
		object.SetManagedFields(before.GetManagedFields())
		if status, ok := before.Object["status"]; ok {
			object.Object["status"] = status
		}
	}
	c.observed[role] = object
	if object.GetKind() == "Object" && c.others["MemberList/"+object.GetName()] == nil {
		list, _, _ := unstructured.NestedMap(object.Object, "spec", "forProvider", "manifest")
		c.add("chroma.cluster/v1", "MemberList", object.GetName(), list)
	}
}

// settle lets everything that is not held roll out, the Job complete, and the sysdb list the ready Pods.
func (c *cluster) settle() {
	for role, object := range c.observed {
		if c.held[role] {
			continue
		}
		switch object.GetKind() {
		case "Job":
			object.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Complete", "status": "True"}}}
		case "Deployment", "StatefulSet":
			c.rollOut(object)
		}
	}
}

func (c *cluster) rollOut(object *unstructured.Unstructured) {
	count, _, _ := unstructured.NestedNumberAsFloat64(numbers(object.Object), "spec", "replicas")
	object.Object["status"] = map[string]any{
		"observedGeneration": object.GetGeneration(), "replicas": count, "updatedReplicas": count, "readyReplicas": count, "availableReplicas": count,
		"currentRevision": fmt.Sprint(object.GetGeneration()), "updateRevision": fmt.Sprint(object.GetGeneration()),
	}
	labels, _, _ := unstructured.NestedStringMap(object.Object, "spec", "template", "metadata", "labels")
	for name, other := range c.others {
		if other.GetKind() == "Pod" && other.GetLabels()["app"] == labels["app"] {
			delete(c.others, name)
		}
	}
	for i := range int(count) {
		c.pod(fmt.Sprintf("%s-%d", object.GetName(), i), labels, true)
	}
	c.listMembers()
}

func (c *cluster) pod(name string, labels map[string]string, ready bool) *unstructured.Unstructured {
	status := "False"
	if ready {
		status = "True"
	}
	pod := c.add("v1", "Pod", name, map[string]any{"status": map[string]any{
		"phase": "Running", "conditions": []any{map[string]any{"type": "Ready", "status": status}},
	}})
	pod.SetLabels(labels)
	return pod
}

// listMembers is what the sysdb does every 100 ms.
func (c *cluster) listMembers() {
	for _, component := range distributed.Versions()[1].Components {
		list := c.others["MemberList/"+component.MemberList]
		if list == nil {
			continue
		}
		members := []any{}
		for _, object := range c.others {
			if object.GetKind() == "Pod" && object.GetLabels()["app"] == component.Workload {
				members = append(members, map[string]any{"member_id": object.GetName()})
			}
		}
		_ = unstructured.SetNestedSlice(list.Object, members, "spec", "members")
	}
}

func (c *cluster) condition(kind reason.ConditionType) pass.Condition {
	for _, condition := range c.last.Conditions {
		if condition.Type == kind {
			return condition
		}
	}
	return pass.Condition{}
}

func (c *cluster) status() *v1alpha1.ChromaStatus {
	return c.last.Status.(*v1alpha1.ChromaStatus)
}

// has says whether an object of the role is composed.
func (c *cluster) has(role string) bool { return c.observed[role] != nil }

// images of the workloads by role.
func (c *cluster) commit(role string) string {
	containers, _, _ := unstructured.NestedSlice(c.observed[role].Object, "spec", "template", "spec", "containers")
	text := containers[0].(map[string]any)["image"].(string)
	return text[strings.LastIndex(text, ":")+1:]
}

func workloadRole(name string) string {
	component, _ := distributed.Versions()[0].Component(name)
	return chart.RoleOf(string(component.Kind), component.Workload)
}

// plain content of a manifest.
func plain(t testing.TB, manifest any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var content map[string]any
	if err := json.Unmarshal(raw, &content); err != nil {
		t.Fatal(err)
	}
	return content
}

// numbers copies an object with all numbers as float64, as protobuf carries them.
func numbers(object map[string]any) map[string]any {
	return float(object).(map[string]any)
}

func float(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(typed))
		for key, child := range typed {
			out[key] = float(child)
		}
		return out
	case []any:
		out := make([]any, len(typed))
		for i, child := range typed {
			out[i] = float(child)
		}
		return out
	case int:
		return float64(typed)
	case int64:
		return float64(typed)
	case int32:
		return float64(typed)
	}
	return value
}
