package distributed_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/previous"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

const manager = previous.ManagerPrefix + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// managed gives an object as the API server keeps it: with a record of who applied which field.
func managed(t *testing.T, c *cluster, role string, change func(*unstructured.Unstructured), hand func(*unstructured.Unstructured)) {
	t.Helper()
	s, err := store.New(store.Config{Now: func() time.Time { return c.now }})
	if err != nil {
		t.Fatal(err)
	}
	intent := c.observed[role].DeepCopy()
	status := intent.Object["status"]
	delete(intent.Object, "status")
	intent.SetGeneration(0)
	change(intent)
	live, err := s.Apply(intent, store.Options{Actor: "crossplane", Manager: manager})
	if err != nil {
		t.Fatal(err)
	}
	if hand != nil {
		edited := live.DeepCopy()
		hand(edited)
		if live, err = s.Update(edited, store.Options{Actor: "person", Manager: "kubectl-edit"}); err != nil {
			t.Fatal(err)
		}
	}
	live = live.DeepCopy()
	live.Object["status"] = status
	live.SetGeneration(c.observed[role].GetGeneration())
	c.observed[role] = live
}

func container(t *testing.T, object *unstructured.Unstructured) map[string]any {
	t.Helper()
	containers, _, err := unstructured.NestedFieldNoCopy(object.Object, "spec", "template", "spec", "containers")
	if err != nil {
		t.Fatal(err)
	}
	return containers.([]any)[0].(map[string]any)
}

// otherRelease is what another release of the function would have composed.
func otherRelease(t *testing.T) func(*unstructured.Unstructured) {
	return func(intent *unstructured.Unstructured) {
		annotations := intent.GetAnnotations()
		annotations["chroma.chromadotnet.org/rendering"] = "other"
		intent.SetAnnotations(annotations)
		c := container(t, intent)
		c["terminationMessagePolicy"] = "FallbackToLogsOnError"
	}
}

// TestOtherRelease: another release of the function alone rolls nothing. Its template is taken when the user decides
// something new.
func TestOtherRelease(t *testing.T) {
	for _, name := range []string{chart.SysDB, chart.QueryService} {
		t.Run(name, func(t *testing.T) {
			c := running(t, "52ce844")
			role := workloadRole(name)
			managed(t, c, role, otherRelease(t), nil)
			for range 2 {
				c.pass()
			}
			if container(t, c.observed[role])["terminationMessagePolicy"] != "FallbackToLogsOnError" {
				t.Fatal("the template of the other release stays")
			}
			if !c.last.Ready {
				t.Errorf("and the system is ready")
			}
			c.spec()["objectStorage"].(map[string]any)["s3"].(map[string]any)["bucket"] = "other"
			for range 8 {
				c.pass()
				c.settle()
			}
			if _, there := container(t, c.observed[role])["terminationMessagePolicy"]; there {
				t.Errorf("with something new of the user the new template is taken")
			}
		})
	}
}

// TestHandEdit: an image that was changed by hand is taken back.
func TestHandEdit(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.SysDB)
	managed(t, c, role, otherRelease(t), func(live *unstructured.Unstructured) {
		container(t, live)["image"] = "docker.io/chromadb/sysdb-service:0000000"
	})
	c.pass()
	if got := c.commit(role); got != "52ce844" {
		t.Errorf("the image is that of the spec, got %s", got)
	}
}

// TestRepairOfAKeptWorkload: the work queue is restarted while its tier has to wait, and while the spec is refused.
func TestRepairOfAKeptWorkload(t *testing.T) {
	c := running(t, "52ce844")
	role := workloadRole(chart.WorkQueue)
	managed(t, c, role, func(*unstructured.Unstructured) {}, nil)
	c.unready(role, workQueuePod)
	c.spec()["version"] = "0123456"
	c.pass()
	c.after(180 * time.Second)
	if c.replicas(role) != 0 || !strings.Contains(c.observed[role].GetAnnotations()["chroma.chromadotnet.org/restarted-at"], "12:03:00Z") {
		t.Errorf("got %d replicas, annotations %v", c.replicas(role), c.observed[role].GetAnnotations())
	}
}

// TestOfOtherSteps: Crossplane shows every step of a pipeline what all of them compose. What another one composes is not sent
// back: it would undo what that step changes, and keep alive what it no longer wants.
func TestOfOtherSteps(t *testing.T) {
	for name, version := range map[string]string{"Settled": "52ce844", "Updating": "93652ec", "Held": "0123456"} {
		t.Run(name, func(t *testing.T) {
			c := running(t, "52ce844")
			other := c.add("s3.aws.upbound.io/v1beta1", "Bucket", "vectors", map[string]any{"spec": map[string]any{"forProvider": map[string]any{"region": "eu"}}})
			c.observed["bucket"] = other
			other.SetAnnotations(map[string]string{"crossplane.io/external-name": "of-before"})
			// Ours, although somebody took the label off, and of a version that this release does not know.
			c.observed["service-sysdb"].SetLabels(nil)
			c.observed["job-sysdb-migration-fffffff"] = c.add("batch/v1", "Job", "sysdb-migration-fffffff", nil)
			later := c.add("v1", "ConfigMap", "of-a-later-version", nil)
			later.SetLabels(map[string]string{v1alpha1.LabelChroma: "demo"})
			c.observed["configmap-of-a-later-version"] = later
			c.spec()["version"] = version
			c.held[workloadRole(chart.SysDB)] = true
			request := c.request(c.last.Requirements)
			answer, err := distributed.Decide(request, c.checks)
			if err != nil {
				t.Fatal(err)
			}
			sent := map[string]bool{}
			for _, object := range answer.Objects {
				sent[object.Role] = true
			}
			if sent["bucket"] {
				t.Error("the Bucket is of another step")
			}
			if !sent["service-sysdb"] {
				t.Error("a Service of ours is dropped")
			}
			if name != "Settled" && (!sent["configmap-of-a-later-version"] || !sent["job-sysdb-migration-fffffff"]) {
				t.Error("what another version of ours has is dropped")
			}
		})
	}
}
