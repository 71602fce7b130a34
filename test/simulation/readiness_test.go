package simulation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
)

// TestTheChromaIsReadyExactlyWhenItsServerIs: Crossplane alone would call it Ready once all that is composed is, and a Pod
// that was refused is not composed.
func TestTheChromaIsReadyExactlyWhenItsServerIs(t *testing.T) {
	refuse := func(kind string) func(*world) {
		return func(w *world) {
			w.Refuse(&simulator.Refusal{Actor: simulator.ActorCrossplane, Kind: kind, Code: 403, Message: "exceeded quota: few"})
		}
	}
	older := func(w *world) { w.apply(chromaOf("demo", image141, nil)) }
	cases := map[string]struct {
		reason string
		// before the Chroma is made, and when its server was ready or should have been.
		before, after func(*world)
		server        reason.Reason
	}{
		"Well":           {reason: "The server answers.", server: reason.PodReady},
		"RefusedByRules": {reason: "What is refused is told in UpgradeBlocked; the server runs on.", after: older, server: reason.PodReady},
		"RefusedByAPI":   {reason: "There is no Pod, and all else is ready.", before: refuse("Pod"), server: reason.PodRefused},
		"NoService":      {reason: "Nobody reaches a server without its Service.", before: refuse("Service"), server: reason.ServiceRefused},
		"NeverReady": {reason: "The server does not answer.", before: func(w *world) {
			w.SetImageFault(image159, simulator.ImageFault{NeverReady: true})
		}, server: reason.PodNotReady},
		"NoClaim": {reason: "The data is gone.", after: func(w *world) {
			w.must(w.Delete(kindClaim, namespace, "demo-1", metav1.DeletePropagationBackground))
			w.losePod()
		}, server: reason.ClaimLost},
		"Unknown": {reason: "The server runs, and nobody knows what.", after: func(w *world) { w.edit(chromas + ":latest") }, server: reason.PodReady},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			if tc.before != nil {
				tc.before(w)
			}
			w.apply(chromaOf("demo", image159, nil))
			w.Advance(5 * time.Minute)
			if tc.after != nil {
				tc.after(w)
				w.Advance(5 * time.Minute)
			}
			want := metav1.ConditionFalse
			if tc.server == reason.PodReady {
				want = metav1.ConditionTrue
			}
			w.want("demo", reason.ServerReady, want, tc.server)
			if ready, _, _ := simulator.Condition(w.Get(kindChroma, namespace, "demo"), "Ready"); ready != string(want) {
				t.Errorf("\n%s\nReady: want %s, got %s", tc.reason, want, ready)
			}
			if phase := w.chroma("demo").Status.Phase; (phase == chroma.PhaseReady) != (want == metav1.ConditionTrue) {
				t.Errorf("\n%s\nphase: %s while Ready is %s", tc.reason, phase, want)
			}
		})
	}
}
