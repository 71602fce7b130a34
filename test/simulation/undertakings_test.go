package simulation

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
)

// undertakings of people in calm times.
func undertakings() []action {
	return []action{
		{"upgrade", (*run).upgrade},
		{"upgrade", (*run).upgrade},
		{"upgrade", (*run).upgrade},
		{"image back", (*run).downgrade},
		{"image back", (*run).downgrade},
		{"image back", (*run).downgrade},
		{"deleted and created again", (*run).startOver},
		{"deleted and created again", (*run).startOver},
		{"another Chroma of the name meanwhile", (*run).makeRoom},
		{"another Chroma of the name meanwhile", (*run).makeRoom},
		{"another Chroma of the name meanwhile", (*run).makeRoom},
		{"another Chroma of the name meanwhile", (*run).makeRoom},
		{"newer function tried and rolled back", (*run).tryNewer},
		{"newer function tried and rolled back", (*run).tryNewer},
		{"image by hand, and declared", (*run).editAndDeclare},
		{"to the other product", (*run).changeProduct},
		{"to the other product", (*run).changeProduct},
		{"to the other product", (*run).changeProduct},
		{"Pod deleted on a node that is lost and found", (*run).loseAndFind},
		{"Pod deleted on a node that is lost and found", (*run).loseAndFind},
		{"claim deleted with its Pod, and a new one accepted", (*run).beginAnew},
		{"image by hand, and declared", (*run).editAndDeclare},
	}
}

// startOver deletes the Chroma and creates it again when it is gone.
func (r *run) startOver(c *choice) bool {
	return r.deleteXR(c) && r.until(200, func() bool { return !r.exists() }) && r.createXR(c)
}

// makeRoom for another Chroma of the name, and come back when that was ready.
func (r *run) makeRoom(c *choice) bool {
	if r.backed || r.Delete(kindChroma, namespace, "demo", metav1.DeletePropagationBackground) != nil {
		return false
	}
	r.until(200, func() bool { return !r.exists() })
	if !r.createRival(c) {
		return r.createXR(c)
	}
	r.until(400, func() bool {
		status, _, _ := simulator.Condition(r.Get(kindRival, namespace, "demo"), string(reason.ServerReady))
		return status == string(metav1.ConditionTrue)
	})
	r.deleteRival(c)
	r.until(200, func() bool { return r.Get(kindRival, namespace, "demo") == nil })
	return r.createXR(c)
}

// changeProduct from Chroma to VecturaDB on the way that was tried, or back with a word.
func (r *run) changeProduct(c *choice) bool {
	switch image := r.spec.Spec.Image; {
	case image == image159:
		return r.upgrade(c)
	case strings.HasPrefix(image, "docker.io/chromadb/"):
		return r.ask(image159)
	}
	r.spec.Spec.Image = images()[slices.Index(images(), image159)+1] // The oldest VecturaDB, one before which Chroma stands.
	return r.downgrade(c)
}

// loseAndFind a Node whose Pod somebody deletes meanwhile.
func (r *run) loseAndFind(c *choice) bool {
	r.SetNodeLost("node-1", true)
	r.until(40, func() bool { return r.away("node-1") })
	r.deletePod(c)
	r.until(100, func() bool { return r.because(reason.ServerReady) == reason.NodeLost })
	r.SetNodeLost("node-1", false)
	return true
}

// beginAnew on a new claim, as a person does who deletes the old one.
func (r *run) beginAnew(c *choice) bool {
	return r.deleteClaim(c) && r.deletePod(c) && r.until(200, func() bool { return r.because(reason.ServerReady) == reason.ClaimLost })
}

// editAndDeclare has somebody put an image without a version on the Pod, and say later what it was.
func (r *run) editAndDeclare(*choice) bool {
	if r.SetImage(namespace, "demo-1", "docker.io/chromadb/chroma:latest") != nil {
		return false
	}
	return r.until(200, func() bool { return r.because(reason.UpgradeBlocked) == reason.DataVersionUnknown })
}

// tryNewer is a function of a newer schema that is installed, rolled back, and installed again.
func (r *run) tryNewer(*choice) bool {
	written := func() bool { return r.chroma("demo").Status.DataSchema > 1 }
	r.newer, r.writtenNewer = true, true
	r.must(r.Annotate(kindChroma, namespace, "demo", "look", r.Now().String()))
	if !r.until(100, written) {
		return false
	}
	r.newer = false
	r.must(r.Annotate(kindChroma, namespace, "demo", "look", r.Now().String()))
	r.until(100, func() bool { return r.because(reason.UpgradeBlocked) == reason.LedgerNewer })
	r.newer = true
	return r.Annotate(kindChroma, namespace, "demo", "look", "") == nil
}
