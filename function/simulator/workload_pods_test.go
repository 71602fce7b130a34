package simulator

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func withPods(config *Config) { config.Pods = true }

func kindStatefulSet() schema.GroupVersionKind {
	return appsv1.SchemeGroupVersion.WithKind("StatefulSet")
}

// workloadOf a kind, with one container of an image.
func workloadOf(kind schema.GroupVersionKind, app, image string, replicas int64, labels map[string]any) *unstructured.Unstructured {
	all := map[string]any{"app": app}
	maps.Copy(all, labels)
	template := map[string]any{
		"metadata": map[string]any{"labels": all},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": app, "image": image}}},
	}
	spec := map[string]any{"template": template}
	if kind.Kind == kindJob {
		template["spec"].(map[string]any)["restartPolicy"] = "OnFailure"
	} else {
		spec["replicas"], spec["selector"] = replicas, map[string]any{"matchLabels": map[string]any{"app": app}}
	}
	return object(kind, Namespace, app, map[string]any{"spec": spec})
}

// podsOf a workload as "name image ready".
func podsOf(c *Cluster, app string) []string {
	var out []string
	for _, pod := range c.PodsOf(Namespace, app) {
		out = append(out, fmt.Sprintf("%s %s %t", pod.GetName(), image(pod), podIsReady(pod)))
	}
	return out
}

func TestStatefulSetMakesPodsInOrder(t *testing.T) {
	c := newFake(t, &fake{}, withPods)
	applied(t, c, workloadOf(kindStatefulSet(), "query", older, 2, nil))
	if diff := cmp.Diff([]string{"query-0 " + older + " true", "query-1 " + older + " true"}, podsOf(c, "query")); diff != "" {
		t.Fatalf("-want, +got:\n%s", diff)
	}
	applied(t, c, workloadOf(kindStatefulSet(), "query", newer, 2, nil))
	if diff := cmp.Diff([]string{"query-0 " + newer + " true", "query-1 " + newer + " true"}, podsOf(c, "query")); diff != "" {
		t.Errorf("a template rolls: -want, +got:\n%s", diff)
	}
	set := c.Get(kindStatefulSet(), Namespace, "query")
	if current, update := stringAt(set, "status", "currentRevision"), stringAt(set, "status", "updateRevision"); current == "" || current != update {
		t.Errorf("the roll-out is over: current revision %q, update revision %q", current, update)
	}
}

// TestStatefulSetDoesNotReplaceAPodThatNeverGotReady was seen on Kubernetes 1.35: the same Pod was there after its template
// was corrected, replicas 0 removed it, and replicas 1 made one of the new template.
func TestStatefulSetDoesNotReplaceAPodThatNeverGotReady(t *testing.T) {
	c := newFake(t, &fake{}, withPods)
	c.SetImageFault(older, ImageFault{NeverReady: true})
	applied(t, c, workloadOf(kindStatefulSet(), "queue", older, 1, nil))
	applied(t, c, workloadOf(kindStatefulSet(), "queue", newer, 1, nil))
	c.Advance(10 * time.Minute)
	if diff := cmp.Diff([]string{"queue-0 " + older + " false"}, podsOf(c, "queue")); diff != "" {
		t.Fatalf("the corrected template alone does nothing: -want, +got:\n%s", diff)
	}
	must(t, c.Scale(kindStatefulSet(), Namespace, "queue", 0))
	settled(t, c)
	if got := podsOf(c, "queue"); len(got) > 0 {
		t.Fatalf("replicas 0 removes it, got %v", got)
	}
	must(t, c.Scale(kindStatefulSet(), Namespace, "queue", 1))
	settled(t, c)
	if diff := cmp.Diff([]string{"queue-0 " + newer + " true"}, podsOf(c, "queue")); diff != "" {
		t.Errorf("replicas 1 makes a new one: -want, +got:\n%s", diff)
	}
}

func TestDeploymentReplacesAPodThatNeverGotReady(t *testing.T) {
	c := newFake(t, &fake{}, withPods)
	c.SetImageFault(older, ImageFault{NeverReady: true})
	applied(t, c, workloadOf(kindDeployment(), "frontend", older, 2, nil))
	applied(t, c, workloadOf(kindDeployment(), "frontend", newer, 2, nil))
	pods := c.PodsOf(Namespace, "frontend")
	if len(pods) != 2 {
		t.Fatalf("want 2 Pods, got %v", podsOf(c, "frontend"))
	}
	for _, pod := range pods {
		if image(pod) != newer || !podIsReady(pod) {
			t.Errorf("want ready Pods of the new template, got %v", podsOf(c, "frontend"))
		}
	}
	status := mapAt(c.Get(kindDeployment(), Namespace, "frontend"), "status")
	if status["replicas"] != int64(2) || status["updatedReplicas"] != int64(2) || status["availableReplicas"] != int64(2) {
		t.Errorf("status: got %v", status)
	}
}

func TestJobs(t *testing.T) {
	cases := map[string]struct {
		reason string
		fault  ImageFault
		want   string
	}{
		"Complete": {reason: "Its container ends.", want: "Complete"},
		"Failed":   {reason: "Its container fails again and again.", fault: ImageFault{Exits: true, ExitCode: 1}, want: "Failed"},
		"Stuck":    {reason: "Its image cannot be had.", fault: ImageFault{Pull: true}},
		"Hangs":    {reason: "Its container does not end.", fault: ImageFault{NeverReady: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newFake(t, &fake{}, withPods)
			c.SetImageFault(older, tc.fault)
			kind := batchv1.SchemeGroupVersion.WithKind(kindJob)
			must(t, c.Apply(workloadOf(kind, "migration", older, 0, nil)))
			c.Advance(time.Hour)
			got := ""
			for _, o := range listAt(c.Get(kind, Namespace, "migration"), "status", "conditions") {
				got = o.(map[string]any)["type"].(string)
			}
			if got != tc.want {
				t.Errorf("\n%s\ncondition: want %q, got %q", tc.reason, tc.want, got)
			}
			changed := workloadOf(kind, "migration", newer, 0, nil)
			if err := c.Apply(changed); err == nil {
				t.Errorf("\n%s\nthe template of a Job cannot change", tc.reason)
			}
		})
	}
}

func TestSysDBListsMembers(t *testing.T) {
	c := newFake(t, &fake{}, withPods)
	list := object(kindMemberList(), Namespace, "query-service-memberlist", map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"of": "somebody"}, "annotations": map[string]any{"crossplane.io/composition-resource-name": "list"}},
		"spec":     map[string]any{"members": []any{}},
	})
	members := func() []string {
		out := []string{}
		for _, o := range listAt(c.Get(kindMemberList(), Namespace, list.GetName()), "spec", "members") {
			out = append(out, o.(map[string]any)["member_id"].(string))
		}
		return out
	}
	query := workloadOf(kindStatefulSet(), "query", older, 2, map[string]any{"member-type": "query-service"})
	applied(t, c, list, query)
	if diff := cmp.Diff([]string{}, members()); diff != "" {
		t.Errorf("without a sysdb nobody lists: -want, +got:\n%s", diff)
	}
	applied(t, c, workloadOf(kindDeployment(), "sysdb", older, 1, nil))
	if diff := cmp.Diff([]string{"query-0", "query-1"}, members()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if of := c.Get(kindMemberList(), Namespace, list.GetName()); of.GetLabels() != nil || of.GetAnnotations() != nil {
		t.Errorf("its PUT strips labels and annotations, got %v, %v", of.GetLabels(), of.GetAnnotations())
	}
	c.LoseLeader(Namespace)
	query = workloadOf(kindStatefulSet(), "query", older, 3, map[string]any{"member-type": "query-service"})
	applied(t, c, query)
	if diff := cmp.Diff([]string{"query-0", "query-1"}, members()); diff != "" {
		t.Errorf("a sysdb that leads no more lists nobody: -want, +got:\n%s", diff)
	}
	applied(t, c, workloadOf(kindDeployment(), "sysdb", newer, 1, nil))
	if diff := cmp.Diff([]string{"query-0", "query-1", "query-2"}, members()); diff != "" {
		t.Errorf("another one does: -want, +got:\n%s", diff)
	}
	c.SetSilent(Namespace, "query-2")
	must(t, c.ForceDeletePod(Namespace, "query-2"))
	settled(t, c)
	if diff := cmp.Diff([]string{"query-0", "query-1", "query-2"}, members()); diff != "" {
		t.Errorf("another Pod of the name is not silent: -want, +got:\n%s", diff)
	}
}
