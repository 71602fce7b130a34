package lifecycle

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
)

// TestAWriteThatTheAPIRefusesDoesNotHoldUpTheRest: it ends Crossplane's pass before the status is written, so what was
// refused is left out, told, and tried again later.
func TestAWriteThatTheAPIRefusesDoesNotHoldUpTheRest(t *testing.T) {
	const words = `valdreleases "search-prod-blue-a" is forbidden: exceeded quota: few`
	c := newCrossplane(object())
	c.forbidden = map[string]string{"ValdRelease/search-prod-blue-a": words}

	c.pass(t) // It ends at blue-a: nothing of the status is written.
	answer := c.pass(t)
	if want := provisioned + " WaitingCreateVrs=False/Failed"; short(answer) != want || answer.Conditions[1].Message != "failed: the API refuses a write: "+words {
		t.Fatalf("want %s with the API's words, got %s: %s", want, short(answer), answer.Conditions[1].Message)
	}
	if len(c.names("ValdRelease")) != 0 || answer.TTL != vanishingTTL {
		t.Fatalf("want only the status written, and the rest soon, got %v after %s", c.names("ValdRelease"), answer.TTL)
	}
	answer = c.pass(t)
	if len(c.names("ValdRelease")) != 3 || answer.TTL != 10*time.Second {
		t.Fatalf("want the other three and to look again after 10 s, got %v after %s", c.names("ValdRelease"), answer.TTL)
	}
	retry := c.status(t).Retries
	if len(retry) != 1 || retry[0].Refused == "" {
		t.Fatalf("want one retry in the status, got %+v", retry)
	}
	want := []valdv1.Retry{{Role: "valdrelease-blue-a", Attempts: 1, Last: metav1.NewTime(time.Unix(1000, 0)), Refused: retry[0].Refused, Message: words}}
	if diff := cmp.Diff(want, retry); diff != "" {
		t.Fatalf("status.retries: -want, +got:\n%s", diff)
	}

	c.now = c.now.Add(10 * time.Second)
	c.pass(t) // Tried, and refused.
	c.pass(t)
	if answer = c.pass(t); answer.TTL != 20*time.Second {
		t.Fatalf("refused again: want to look again after 20 s, got %s", answer.TTL)
	}

	c.forbidden = nil
	c.now = c.now.Add(20 * time.Second)
	c.pass(t)
	if answer = c.pass(t); short(answer) != atRest || len(c.status(t).Retries) != 0 {
		t.Errorf("allowed: want %s and no retry, got %s and %v", atRest, short(answer), c.status(t).Retries)
	}
}

// TestARefusedChangeIsTriedAtOnceWhenItBecomesAnother.
func TestARefusedChangeIsTriedAtOnceWhenItBecomesAnother(t *testing.T) {
	c := newCrossplane(object())
	c.settle(t)
	c.forbidden = map[string]string{"ValdRelease/search-prod-blue-a": "no"}
	c.edit(func(v *valdv1.ValdOperatorRelease) { v.Spec.VectorEngine.Vald.Agent.NGT.Dimension = 3 })
	c.pass(t)
	if answer := c.pass(t); short(answer) != provisioned+" WaitingCreateVrs=False/Failed Completed=True/Succeeded" || c.objects["ValdRelease/search-prod-blue-a"] == nil {
		t.Fatalf("want it refused and kept, got %s", short(answer))
	}
	c.forbidden = nil
	c.edit(func(v *valdv1.ValdOperatorRelease) { v.Spec.VectorEngine.Vald.Agent.NGT.Dimension = 4 })
	if answer := c.settle(t); short(answer) != atRest {
		t.Errorf("want %s, got %s: %s", atRest, short(answer), answer.Conditions[1].Message)
	}
}
