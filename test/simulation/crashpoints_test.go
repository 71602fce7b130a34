package simulation

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/simulator"
)

// A deed that Crossplane crashes in.
type deed struct {
	reason string
	// prepare comes before, do begins it, and done is when it is finished.
	prepare, do func(*run)
	done        func(*run) bool
	// image that runs in the end.
	image string
}

func deeds() map[string]deed {
	return map[string]deed{
		"Creation": {
			reason: "Objects, pinned claim, record and Pod are made in several passes.", image: image158,
			do: func(r *run) { r.spec.Spec.Image = image158; r.createXR(nil) },
		},
		"Upgrade": {
			reason: "The record is raised in two places before the old Pod goes.", image: image159,
			prepare: func(r *run) { r.create(image158) },
			do:      func(r *run) { r.ask(image159) },
		},
		"Adoption": {
			reason: "A claim that was handed over is pinned, and its record merged.", image: image159,
			prepare: func(r *run) { r.restore(handedOver(), "1.5.8") },
			do:      func(r *run) { r.spec.Spec.Image = image159; r.createXR(nil) },
		},
		"Deletion": {
			reason: "The Chroma goes, its claim stays, and the next Chroma of the name knows what has run.", image: image159,
			prepare: func(r *run) { r.create(image159) },
			do: func(r *run) {
				r.must(r.Delete(kindChroma, namespace, "demo", metav1.DeletePropagationBackground))
				r.Until(3000, func() bool { return !r.exists() })
				r.spec.Spec.Image = image158 // It is refused, since 1.5.9 has run.
				r.createXR(nil)
			},
			done: func(r *run) bool { return metav1.IsControlledBy(r.pod("demo"), r.chroma("demo")) },
		},
		"DeclarationOfAnIncident": {
			reason: "The word ends the incident in both places, and the edited Pod is replaced.", image: image159,
			prepare: func(r *run) {
				r.create(image159)
				r.must(r.SetImage(namespace, "demo-1", "docker.io/chromadb/chroma:latest"))
				r.Advance(time.Minute)
			},
			do: func(r *run) {
				code := r.chroma("demo").Status.DataVersionUnknownIncident
				r.annotate("demo", chroma.AnnotationDeclaredDataVersion, "1.5.9/"+code)
			},
			done: func(r *run) bool { return !r.chroma("demo").Status.DataVersionUnknown },
		},
	}
}

// begin the deed in a run of its own, Crossplane crashing after its n-th write from then on: never when that is 0. It
// tells how many writes Crossplane made.
func (d deed) begin(t *testing.T, n int) (*run, int) {
	t.Helper()
	r := newRun(t, 7, realFunction)
	if d.prepare != nil {
		d.prepare(r)
	}
	writes := 0
	r.InterruptWrites(func(actor string) {
		if actor == simulator.ActorCrossplane {
			writes++
		}
	})
	r.CrashCrossplane(n, true)
	d.do(r)
	finished := r.Until(3000, func() bool { return r.exists() && r.running("demo") == d.image && (d.done == nil || d.done(r)) })
	made := writes
	r.Advance(30 * time.Second)
	r.check(t)
	if !finished || r.running("demo") != d.image {
		t.Errorf("\n%s\ncrash after write %d: want %s to run, got %q", d.reason, n, d.image, r.running("demo"))
	}
	return r, made
}

func TestACrashAfterEverySingleWriteLosesNothing(t *testing.T) {
	t.Parallel()
	for name, d := range deeds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, writes := d.begin(t, 0)
			if writes == 0 {
				t.Fatalf("Crossplane wrote nothing")
			}
			step := 1
			if testing.Short() {
				step = 7
			}
			for n := 1; n <= writes; n += step {
				t.Run(fmt.Sprintf("Write%d", n), func(t *testing.T) {
					r, _ := d.begin(t, n)
					if r.counts[passCrashed] == 0 {
						t.Errorf("Crossplane did not crash")
					}
				})
			}
		})
	}
}
