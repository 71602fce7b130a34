package lifecycle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// short form of an answer's conditions: Type=Status/Reason.
func short(answer pass.Answer) string {
	var out []string
	for _, c := range answer.Conditions {
		out = append(out, fmt.Sprintf("%s=%s/%s", c.Type, c.Status, c.Reason))
	}
	return strings.Join(out, " ")
}

const (
	provisioned = "WaitingClusterCreate=True/Succeeded"
	atRest      = provisioned + " WaitingCreateVrs=True/Succeeded Completed=True/Succeeded"
)

// TestTheStoryOfTheDocumentation: created in one pass, seen in the next, and made again after a deletion from outside.
func TestTheStoryOfTheDocumentation(t *testing.T) {
	c := newCrossplane(object())

	answer := c.pass(t)
	if want := provisioned + " WaitingCreateVrs=Unknown/Progressing"; short(answer) != want || answer.Ready || len(c.created) != 4 {
		t.Fatalf("first pass: want %s and four ValdReleases, got %s and %v", want, short(answer), c.created)
	}
	if status := c.status(t); status.Phase != "WaitingCreateVrs" || *status.Progress != (valdv1.Progress{Total: 3, Completed: 1}) {
		t.Fatalf("first pass: got phase %s, progress %+v", status.Phase, status.Progress)
	}
	answer = c.pass(t)
	if short(answer) != atRest || !answer.Ready || len(c.created) != 0 {
		t.Fatalf("second pass: want %s, got %s, created %v", atRest, short(answer), c.created)
	}
	if status := c.status(t); status.Phase != "Completed" || *status.Progress != (valdv1.Progress{Total: 3, Completed: 3}) {
		t.Fatalf("second pass: got phase %s, progress %+v", status.Phase, status.Progress)
	}

	c.remove("ValdRelease/search-prod-green-a")
	answer = c.pass(t)
	want := provisioned + " WaitingCreateVrs=False/Failed Completed=True/Succeeded"
	if short(answer) != want || answer.Ready {
		t.Fatalf("the pass that notices: want %s, got %s", want, short(answer))
	}
	if diff := cmp.Diff([]string{"ValdRelease/search-prod-green-a"}, c.created); diff != "" {
		t.Fatalf("the pass that notices: created: -want, +got:\n%s", diff)
	}
	if status := c.status(t); status.Phase != "WaitingCreateVrs" || *status.Progress != (valdv1.Progress{Total: 3, Completed: 2}) {
		t.Fatalf("the pass that notices: got phase %s, progress %+v", status.Phase, status.Progress)
	}
	if message := answer.Conditions[1].Message; message != "failed: search-prod-green-a was deleted from outside and is created again" {
		t.Fatalf("the pass that notices: got %q", message)
	}
	if answer = c.pass(t); short(answer) != atRest || !answer.Ready {
		t.Fatalf("recovered: want %s, got %s", atRest, short(answer))
	}
}

// TestANewClusterIsProgressingNotFailed: only what existed before can have been deleted.
func TestANewClusterIsProgressingNotFailed(t *testing.T) {
	c := newCrossplane(object())
	c.settle(t)
	c.edit(func(v *valdv1.ValdOperatorRelease) {
		v.Spec.Infrastructure[0].Clusters = append(v.Spec.Infrastructure[0].Clusters, valdv1.Cluster{ID: "id", Name: "green-c"})
	})
	answer := c.pass(t)
	if want := provisioned + " WaitingCreateVrs=Unknown/Progressing Completed=True/Succeeded"; short(answer) != want {
		t.Errorf("want %s, got %s", want, short(answer))
	}
	if answer = c.pass(t); short(answer) != atRest {
		t.Errorf("want %s, got %s", atRest, short(answer))
	}
}

// TestWhileItWaitsOrFailsWhatExistsStaysUntouched for every way in which it can: no write changes an object, none is
// deleted, none is made, and once it goes on the change takes effect.
func TestWhileItWaitsOrFailsWhatExistsStaysUntouched(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*crossplane)
		// want is the condition that says so.
		want string
	}{
		"NoID":   {"One cluster without an id holds back all.", edited(func(v *valdv1.ValdOperatorRelease) { v.Spec.Infrastructure[2].Clusters[0].ID = "" }), "WaitingClusterCreate=Unknown/Pending"},
		"NoName": {"A missing name is pending like a missing id.", edited(func(v *valdv1.ValdOperatorRelease) { v.Spec.Infrastructure[2].Clusters[0].Name = "" }), "WaitingClusterCreate=Unknown/Pending"},
		"NothingActive": {"Pending, since somebody will activate one.", edited(func(v *valdv1.ValdOperatorRelease) {
			v.Spec.Infrastructure[0].Active, v.Spec.Infrastructure[2].Active = false, false
		}), "WaitingClusterCreate=Unknown/Pending"},
		"Nothing":    {"Failed, since nothing will fill it in.", edited(func(v *valdv1.ValdOperatorRelease) { v.Spec.Infrastructure = nil }), "WaitingClusterCreate=False/Failed"},
		"NoClusters": {"Failed.", edited(func(v *valdv1.ValdOperatorRelease) { v.Spec.Infrastructure[0].Clusters = nil }), "WaitingClusterCreate=False/Failed"},
		"Inactive":   {"The build looks at inactive entries too.", edited(func(v *valdv1.ValdOperatorRelease) { v.Spec.Infrastructure[1].Clusters = nil }), "WaitingCreateVrs=False/Failed"},
		"TooLongName": {"The build refuses it.", edited(func(v *valdv1.ValdOperatorRelease) {
			v.Spec.Infrastructure[0].Clusters[0].Name = strings.Repeat("a", 60)
		}), "WaitingCreateVrs=False/Failed"},
		"Config":         {"A configuration that cannot be read.", func(c *crossplane) { c.settings.Config = map[string]any{"operator": map[string]any{"x": 1}} }, "WaitingCreateVrs=False/Failed"},
		"Template":       {"A template that cannot be read.", func(c *crossplane) { c.settings.DefaultTemplate = map[string]any{"spec": 1} }, "WaitingCreateVrs=False/Failed"},
		"TemplateFile":   {"A template that cannot be read.", func(c *crossplane) { c.settings.DefaultTemplateFile = []byte("{") }, "WaitingCreateVrs=False/Failed"},
		"NoConfigMap":    {"A template that is not there.", func(c *crossplane) { c.settings.DefaultTemplateFrom.Name = "gone" }, "WaitingCreateVrs=False/Failed"},
		"NoGeneralNode":  {"Matching finds no node.", func(c *crossplane) { c.settings.Environment.RequireNodePoolMatch = "true" }, "WaitingCreateVrs=False/Failed"},
		"ProviderConfig": {"An id that names no ProviderConfig.", func(c *crossplane) { c.settings.DeliverObjects, c.settings.ProviderConfigName = true, "{nothing}" }, "WaitingCreateVrs=False/Failed"},
		"NobodysOverlay": {"An overlay of a wrong type.", edited(func(v *valdv1.ValdOperatorRelease) {
			v.Spec.VectorEngine.Vald.Overlay = overlay(`{"spec":{"agent":1}}`)
		}), "WaitingCreateVrs=False/Failed"},
		"OverlayNoObject": {"An overlay of a wrong root.", edited(func(v *valdv1.ValdOperatorRelease) { v.Spec.VectorEngine.Vald.Overlay = overlay(`[]`) }), "WaitingCreateVrs=False/Failed"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCrossplane(object())
			c.settle(t)
			before := c.snapshotOfObjects()
			good, settings := c.xr.DeepCopy(), c.settings

			tc.change(c)
			// Beside what makes it wait, a change that would change every ValdRelease.
			c.edit(func(v *valdv1.ValdOperatorRelease) { v.Spec.VectorEngine.Vald.Agent.NGT.Dimension = 3 })
			answer := c.settle(t)
			if !strings.Contains(short(answer), tc.want) || answer.Ready || len(answer.Conditions) != 3 {
				t.Errorf("\n%s\nwant %s among three conditions, not ready; got %s", tc.reason, tc.want, short(answer))
			}
			if diff := cmp.Diff(before, c.snapshotOfObjects()); diff != "" {
				t.Errorf("\n%s\nobjects: -before, +after:\n%s", tc.reason, diff)
			}

			c.settings = settings
			c.xr.Object["spec"] = good.Object["spec"]
			c.edit(func(v *valdv1.ValdOperatorRelease) { v.Spec.VectorEngine.Vald.Agent.NGT.Dimension = 4 })
			if answer = c.settle(t); short(answer) != atRest || !answer.Ready {
				t.Errorf("\n%s\nafterwards: want %s, got %s", tc.reason, atRest, short(answer))
			}
			for _, object := range c.objects {
				if !strings.Contains(fmt.Sprint(object.Object), "dimension:4") {
					t.Errorf("\n%s\nafterwards: %s is not changed", tc.reason, object.GetName())
				}
			}
		})
	}
}

// TestWhatIsNoLongerBuiltGoesOnlyWhenEveryBuiltOneIsObserved since Crossplane deletes before it applies.
func TestWhatIsNoLongerBuiltGoesOnlyWhenEveryBuiltOneIsObserved(t *testing.T) {
	c := newCrossplane(object())
	c.settle(t)
	c.edit(func(v *valdv1.ValdOperatorRelease) {
		v.Spec.Infrastructure[0].Clusters = []valdv1.Cluster{{ID: "id", Name: "green-new"}}
	})
	c.pass(t)
	if len(c.deleted) != 0 || len(c.created) != 1 {
		t.Fatalf("first pass: want one created and none deleted, got %v and %v", c.created, c.deleted)
	}
	answer := c.pass(t)
	if diff := cmp.Diff([]string{"ValdRelease/search-prod-green-a", "ValdRelease/search-prod-green-b"}, c.deleted); diff != "" {
		t.Errorf("second pass: deleted: -want, +got:\n%s", diff)
	}
	if short(answer) != atRest {
		t.Errorf("second pass: want %s, got %s", atRest, short(answer))
	}
}

// TestAReleaseBeingDeletedIsLeftOutAndMadeAgain: a kept intent would make it again while the helm operator uninstalls it.
func TestAReleaseBeingDeletedIsLeftOutAndMadeAgain(t *testing.T) {
	c := newCrossplane(object())
	c.settle(t)
	const name = "ValdRelease/search-prod-green-a"
	c.objects[name].SetFinalizers([]string{"helm.sdk.operatorframework.io/uninstall-release"})
	c.remove(name)
	for range 3 {
		answer := c.pass(t)
		if _, ok := c.refs["valdrelease-green-a"]; ok {
			t.Fatalf("it is composed while it is being deleted")
		}
		if want := provisioned + " WaitingCreateVrs=False/Failed Completed=True/Succeeded"; short(answer) != want || answer.TTL != vanishingTTL {
			t.Fatalf("want %s and to look again soon, got %s after %s", want, short(answer), answer.TTL)
		}
	}
	delete(c.objects, name)
	if answer := c.settle(t); short(answer) != atRest || c.objects[name] == nil {
		t.Errorf("want %s and the release, got %s", atRest, short(answer))
	}
}

// TestConditionsThatCrossplaneMarkedUnknownAreNotTakenForOurs: an aborted pass sets them to FatalError.
func TestConditionsThatCrossplaneMarkedUnknownAreNotTakenForOurs(t *testing.T) {
	c := newCrossplane(object())
	c.settle(t)
	for _, item := range c.xr.Object["status"].(map[string]any)["conditions"].([]any) {
		condition := item.(map[string]any)
		condition["status"], condition["reason"], condition["message"] = "Unknown", "FatalError", "A fatal error occurred"
	}
	c.edit(func(v *valdv1.ValdOperatorRelease) { v.Spec.Infrastructure[0].Clusters[0].ID = "" })
	answer := c.pass(t)
	if want := "WaitingClusterCreate=Unknown/Pending WaitingCreateVrs=Unknown/Progressing Completed=Unknown/Progressing"; short(answer) != want {
		t.Errorf("want %s, got %s", want, short(answer))
	}
}

// TestEventsTellTransitionsOnly.
func TestEventsTellTransitionsOnly(t *testing.T) {
	c := newCrossplane(object())
	c.settings.Config = map[string]any{"version": "v0", "operator": map[string]any{"controller": map[string]any{}}}
	events := func(answer pass.Answer) (out []reason.Reason) {
		for _, event := range answer.Events {
			out = append(out, event.Reason)
		}
		return out
	}
	steps := []struct {
		name   string
		change func(*crossplane)
		want   []reason.Reason
	}{
		{"first", func(*crossplane) {}, []reason.Reason{reason.ConfigWithoutMeaning}},
		{"complete", func(*crossplane) {}, []reason.Reason{reason.Succeeded}},
		{"at rest", func(*crossplane) {}, nil},
		{"deleted", func(c *crossplane) { c.remove("ValdRelease/search-prod-green-a") }, []reason.Reason{reason.Failed}},
		{"recovered", func(*crossplane) {}, nil},
		{"emptied", edited(func(v *valdv1.ValdOperatorRelease) { v.Spec.Infrastructure = nil }), []reason.Reason{reason.Failed}},
		{"still empty", func(*crossplane) {}, nil},
	}
	for _, step := range steps {
		step.change(c)
		if diff := cmp.Diff(step.want, events(c.pass(t))); diff != "" {
			t.Errorf("%s: events: -want, +got:\n%s", step.name, diff)
		}
	}
}
