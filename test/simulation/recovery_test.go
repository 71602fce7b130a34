package simulation

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
)

const chromas = "docker.io/chromadb/chroma"

// allow only some repositories from now on.
func (w *world) allow(repositories ...any) {
	w.t.Helper()
	input, err := structpb.NewStruct(map[string]any{
		"apiVersion": "chroma.fn.crossplane.io/v1beta1", "kind": "Input", "images": map[string]any{"allowed": repositories},
		"claims": map[string]any{"providerConfigRef": map[string]any{"kind": "ProviderConfig", "name": "default"}},
	})
	w.must(err)
	w.SetInput(kindChroma, input)
	w.settle()
}

// losePod as somebody who deletes it.
func (w *world) losePod() {
	w.t.Helper()
	w.must(w.Delete(kindPod, namespace, "demo-1", metav1.DeletePropagationBackground))
	w.settle()
}

func (w *world) wantRecovery(why, image string) {
	w.t.Helper()
	if got := w.chroma("demo").Status.RecoveryImage; got != image {
		w.t.Errorf("%s: want the recovery image %s, got %q", why, image, got)
	}
}

func TestARefusedServerThatNeedsAPodStartsWithTheRecoveryImage(t *testing.T) {
	w := ready(t, image159)
	w.apply(chromaOf("demo", image158, nil))
	w.settle()
	before := w.pod("demo").GetUID()
	w.losePod()
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.Downgrade)
	w.want("demo", reason.ServerReady, metav1.ConditionTrue, reason.PodReady)
	if got := w.running("demo"); got != image159 || w.pod("demo").GetUID() == before {
		t.Errorf("want a new Pod with the recovery image %s, got %q", image159, got)
	}
	w.wantRecovery("it ran", image159)
}

func TestTheRecoveryImageIsTheNewestSeenThatIsAllowed(t *testing.T) {
	const newer, elsewhere = chromas + ":1.5.10", "ghcr.io/chroma-core/chroma:1.5.11"
	w := ready(t, image158)
	w.wantRecovery("created", image158)
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	w.wantRecovery("upgraded", image159)
	w.apply(chromaOf("demo", image158, nil))
	w.annotate("demo", chroma.AnnotationAllowDowngrade, chroma.AnnotationTrue)
	w.settle()
	if got := w.running("demo"); got != image158 {
		t.Fatalf("running: want %s, got %q", image158, got)
	}
	w.wantRecovery("what runs is older than the data", image159)
	w.edit(newer)
	w.wantRecovery("a newer one was set by hand", newer)
	w.allow(chromas)
	w.edit(elsewhere)
	if got := w.chroma("demo").Status.DataVersion; got != "1.5.11" {
		t.Errorf("data version: want 1.5.11, got %s", got)
	}
	w.wantRecovery("the one set by hand is not allowed", newer)
	// What was the newest before is older than the data now, so that nothing can be started.
	w.losePod()
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.DowngradeChangesFormat)
	if pod := w.pod("demo"); pod != nil {
		t.Errorf("a Pod was started: %v", pod.Spec.Containers)
	}
}

func TestARecoveryImageThatIsNoLongerAllowedIsNotStarted(t *testing.T) {
	w := ready(t, image159)
	before := w.pod("demo").GetUID()
	w.allow("ghcr.io/vecturadb/vecturadb")
	w.want("demo", reason.UpgradeBlocked, metav1.ConditionTrue, reason.ImageNotAllowed)
	if w.running("demo") != image159 || w.pod("demo").GetUID() != before {
		t.Errorf("the running Pod was touched")
	}
	w.losePod()
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.ImageNotAllowed)
	if w.pod("demo") != nil {
		t.Errorf("a Pod was started")
	}
	w.allow(chromas)
	if got := w.running("demo"); got != image159 {
		t.Errorf("allowed again: want %s, got %q", image159, got)
	}
}

// TestAPodThatVanishesWithItsNodeIsNotStartedElsewhere, since the server may still run there.
func TestAPodThatVanishesWithItsNodeIsNotStartedElsewhere(t *testing.T) {
	w := newWorld(t, func(c *simulator.Config) { c.Nodes = []string{"node-1", "node-2"} })
	w.apply(chromaOf("demo", image159, nil))
	w.settle()
	node := w.pod("demo").Spec.NodeName
	w.SetNodeLost(node, true)
	w.settle()
	w.must(w.ForceDeletePod(namespace, "demo-1"))
	w.settle()
	w.want("demo", reason.ServerReady, metav1.ConditionFalse, reason.NodeLost)
	if w.pod("demo") != nil {
		t.Errorf("a Pod was started")
	}
	w.SetNodeLost(node, false)
	w.settle()
	if got := w.running("demo"); got != image159 {
		t.Errorf("with the node back: want %s, got %q", image159, got)
	}
}
