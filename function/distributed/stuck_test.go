package distributed_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/reason"
)

func TestPodProblems(t *testing.T) {
	ended := func(code int64, because, message string) map[string]any {
		return map[string]any{"containerStatuses": []any{map[string]any{"name": "query-service", "lastState": map[string]any{
			"terminated": map[string]any{"exitCode": code, "reason": because, "message": message},
		}}}}
	}
	waiting := func(because string) map[string]any {
		return map[string]any{"containerStatuses": []any{map[string]any{
			"name": "query-service", "image": "docker.io/chromadb/query-service:52ce844", "state": map[string]any{"waiting": map[string]any{"reason": because}},
		}}}
	}
	cases := map[string]struct {
		reason string
		status map[string]any
		want   reason.Reason
		says   string
	}{
		"Starting": {reason: "nobody has to help", status: map[string]any{}, want: reason.ComponentsStarting, says: "StatefulSet query-service is starting or rolling."},
		"Unschedulable": {reason: "the scheduler's words", status: map[string]any{"conditions": []any{
			map[string]any{"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available."},
		}}, want: reason.Unschedulable, says: "No node takes Pod query-service-0. 0/3 nodes are available."},
		"Pull":        {reason: "the image cannot be had", status: waiting("ImagePullBackOff"), want: reason.ImagePullBackOff, says: "The image docker.io/chromadb/query-service:52ce844 of Pod query-service-0 cannot be pulled."},
		"Config":      {reason: "a Secret is missing, perhaps", status: waiting("CreateContainerConfigError"), want: reason.ContainerError, says: "(CreateContainerConfigError). See: kubectl describe pod -n vectors query-service-0"},
		"OutOfMemory": {reason: "its limit is too low", status: ended(137, "OOMKilled", ""), want: reason.OOMKilled, says: "Raise the limit"},
		"NoAVX512":    {reason: "exit code 132 is SIGILL", status: ended(132, "Error", ""), want: reason.IllegalInstruction, says: "AVX-512"},
		"Completed":   {reason: "Chroma's services exit 0 when their configuration is not valid", status: ended(0, "Completed", ""), want: reason.Completed, says: "exit code 0"},
		"Crash":       {reason: "its own last words", status: ended(1, "Error", "no bucket"), want: reason.CrashLoopBackOff, says: "ends with exit code 1. It says: no bucket See: kubectl logs -n vectors query-service-0 --previous"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := running(t, "52ce844")
			c.unready(workloadRole(chart.QueryService), "Pod/query-service-0")
			c.others["Pod/query-service-0"].Object["status"] = tc.status
			c.pass()
			if got := c.condition(reason.ServerReady); got.Reason != tc.want || !strings.Contains(got.Message, tc.says) {
				t.Errorf("\n%s\nServerReady: want %s %q, got %+v", tc.reason, tc.want, tc.says, got)
			}
		})
	}
}

// TestRolloutStuckIsConstant: what others say about a Pod has times and counts in it, and a message that changes starts
// another pass.
func TestRolloutStuckIsConstant(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.LogService)
	c.unready(role, "Pod/rust-log-service-0")
	pod := c.others["Pod/rust-log-service-0"]
	labels := pod.GetLabels()
	labels["controller-revision-hash"] = "before"
	pod.SetLabels(labels)
	_ = unstructured.SetNestedField(c.observed[role].Object, "after", "status", "updateRevision")
	say := func(words string, restarts int64) string {
		_ = unstructured.SetNestedSlice(pod.Object, []any{map[string]any{
			"name": "rust-log-service", "restartCount": restarts, "lastState": map[string]any{"terminated": map[string]any{"exitCode": int64(1), "message": words}},
		}}, "status", "containerStatuses")
		c.pass()
		return c.condition(reason.ServerReady).Message
	}
	first := say("12:00:01 try 1 of 10", 1)
	if second := say("12:00:07 try 2 of 10", 2); second != first || !strings.Contains(first, "ends with exit code 1.") {
		t.Errorf("the message is constant:\n%s\n%s", first, second)
	}
}

// TestWorkQueueOnALostNode: its restart waits for a Pod that nobody removes.
func TestWorkQueueOnALostNode(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.WorkQueue)
	c.unready(role, workQueuePod)
	c.pass()
	c.after(180 * time.Second)
	if c.replicas(role) != 0 {
		t.Fatal("the work queue is restarted")
	}
	pod := c.others[workQueuePod]
	_ = unstructured.SetNestedField(pod.Object, "node-7", "spec", "nodeName")
	deleted := metav1.NewTime(c.now.Add(30 * time.Second))
	pod.SetDeletionTimestamp(&deleted)
	c.after(40 * time.Second)
	if got := c.condition(reason.ServerReady); got.Reason != reason.ComponentsStarting || !strings.Contains(got.Message, "is restarted: it starts again when its Pod is gone") {
		t.Errorf("within its grace period it is waited for, got %+v", got)
	}
	c.after(20 * time.Second)
	got := c.condition(reason.ServerReady)
	if got.Reason != reason.NodeLost || !strings.Contains(got.Message, "Pod work-queue-service-0 is being deleted and node node-7 does not say that it is gone") {
		t.Errorf("then a person is asked for help, got %+v", got)
	}
	if c.after(time.Hour); c.condition(reason.ServerReady).Message != got.Message || c.replicas(role) != 0 {
		t.Errorf("the message is constant, and no other Pod is asked for, got %+v", c.condition(reason.ServerReady))
	}
}

// TestNoPods: what the API refuses when a controller makes a Pod shows in no Pod.
func TestNoPods(t *testing.T) {
	c := running(t, "52ce844")
	set, deployment := workloadRole(chart.QueryService), workloadRole(chart.Frontend)
	gone := func(role, app string) {
		for name, other := range c.others {
			if other.GetKind() == "Pod" && other.GetLabels()["app"] == app {
				delete(c.others, name)
			}
		}
		c.observed[role].Object["status"] = map[string]any{"observedGeneration": c.observed[role].GetGeneration()}
		c.pass()
	}
	gone(set, "query-service")
	if got := c.condition(reason.ServerReady); !strings.HasSuffix(got.Message, "No Pod of it exists yet. See: kubectl describe statefulset -n vectors query-service") {
		t.Errorf("a StatefulSet, got %+v", got)
	}
	c.rollOut(c.observed[set])
	gone(deployment, "rust-frontend-service")
	if got := c.condition(reason.ServerReady); !strings.HasSuffix(got.Message, "No Pod of it exists yet. See: kubectl describe deployment -n vectors rust-frontend-service") {
		t.Errorf("a Deployment, got %+v", got)
	}
	c.observed[deployment].Object["status"].(map[string]any)["conditions"] = []any{map[string]any{
		"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "pods is forbidden: exceeded quota: few",
	}}
	c.pass()
	if got := c.condition(reason.ServerReady); !strings.Contains(got.Message, "The API refuses its Pods: pods is forbidden: exceeded quota: few See: kubectl") {
		t.Errorf("it has the words of the API, got %+v", got)
	}
	c.rollOut(c.observed[deployment])
	c.spec()["postgres"].(map[string]any)["database"] = "other"
	c.held[job] = true
	for range 3 {
		c.pass()
	}
	if got := c.condition(reason.ServerReady); !strings.HasSuffix(got.Message, "No Pod of it exists yet. See: kubectl describe job -n vectors sysdb-migration-52ce844") {
		t.Errorf("a Job, got %+v", got)
	}
}

// TestRolloutIsPatient: a Pod that merely starts when its template changes gets ready, and is replaced then.
func TestRolloutIsPatient(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.LogService)
	c.unready(role, "Pod/rust-log-service-0")
	pod := c.others["Pod/rust-log-service-0"]
	pod.SetLabels(map[string]string{"app": "rust-log-service", "controller-revision-hash": "before"})
	_ = unstructured.SetNestedField(c.observed[role].Object, "after", "status", "updateRevision")
	for name, since := range map[string]func(){
		"Starting": func() { pod.SetCreationTimestamp(metav1.NewTime(c.now)); pod.Object["status"] = map[string]any{} },
		"NotReady": func() {
			pod.SetCreationTimestamp(metav1.NewTime(c.now.Add(-time.Hour)))
			pod.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "False", "lastTransitionTime": c.now.Format(time.RFC3339)}}}
		},
	} {
		since()
		c.after(179 * time.Second)
		if got := c.condition(reason.ServerReady); got.Reason != reason.ComponentsStarting {
			t.Errorf("%s: it may get ready, got %+v", name, got)
		}
		c.after(time.Second)
		if got := c.condition(reason.ServerReady); got.Reason != reason.RolloutStuck {
			t.Errorf("%s: it does not get ready, got %+v", name, got)
		}
	}
}

// TestWordsWithoutCredentials: the sysdb logs its flags, the password among them, and a Pod can be set to end with its log as
// its last words.
func TestWordsWithoutCredentials(t *testing.T) {
	c := running(t, "52ce844")
	c.unready(workloadRole(chart.SysDB), "Pod/sysdb-0")
	c.others["Pod/sysdb-0"].Object["status"] = map[string]any{"containerStatuses": []any{map[string]any{"name": "sysdb", "lastState": map[string]any{
		"terminated": map[string]any{"exitCode": int64(1), "reason": "Error", "message": "--username=chroma --password=s3cret s3://AKIA:a/b+c@bucket"},
	}}}}
	c.pass()
	got := c.condition(reason.ServerReady)
	if got.Reason != reason.CrashLoopBackOff || !strings.Contains(got.Message, "It says: --username=chroma --password=*** s3://***:***@bucket See: kubectl logs") {
		t.Errorf("got %+v", got)
	}
	c.secret("pg", map[string]string{"username": "chroma"})
	c.pass()
	if got := c.condition(reason.ServerReady); strings.Contains(got.Message, "It says") || !strings.Contains(got.Message, "See: kubectl logs") {
		t.Errorf("without the Secret nobody knows what is one of its values, got %+v", got)
	}
}
