package simulation

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
)

// An action is a disturbance. It says whether it did anything.
type action struct {
	name string
	do   func(*run, *choice) bool
}

// patient actions are those of which something comes when they are given time.
func (a action) patient() bool {
	return strings.HasPrefix(a.name, "spec: image") || a.name == "all well again" || a.name == "XR created again"
}

// run is one random sequence.
type run struct {
	*world
	oracle *oracle
	spec   *chroma.Chroma
	counts map[string]int
	// served is the last ready server of each claim.
	served map[types.UID]server
	// backed says that Chromas are claims here.
	backed bool
	// newer says that a function of a newer schema is installed; with writtenNewer one has been.
	newer, writtenNewer bool
	// status of an XR and snapshot of the cluster, saved to be restored later.
	savedStatus   *unstructured.Unstructured
	savedSnapshot []*unstructured.Unstructured
	savedForeign  map[types.UID]bool
	// recent passes, for the story of a failure.
	recent []*simulator.Pass
	// written are the last writes.
	written []string
	// log of the disturbances.
	log []string
}

// choice is a source of random choices.
type choice struct{ *rand.Rand }

// between two numbers, both included.
func (c *choice) between(low, high int) int { return low + c.IntN(high-low+1) }

func (c *choice) coin() bool { return c.IntN(2) == 0 }

func pick[T any](c *choice, from []T) T { return from[c.IntN(len(from))] }

func images() []string {
	return []string{
		"docker.io/chromadb/chroma:1.0.20", "docker.io/chromadb/chroma:1.2.2", image141, "docker.io/chromadb/chroma:1.5.7", image158, image159,
		"ghcr.io/vecturadb/vecturadb:1.0.0-preview.2", "ghcr.io/vecturadb/vecturadb:1.0.0-preview.3",
	}
}

func handImages() []string {
	return append(images(), "docker.io/chromadb/chroma:latest", "docker.io/chromadb/chroma:1.5.10.dev37", "busybox:1", image159+"@sha256:"+strings.Repeat("b", 64))
}

// disturbances of all kinds. Those with more weight are tried more often; one that finds nothing to disturb does not count.
func disturbances() []action {
	weighted := []struct {
		weight int
		action
	}{
		{8, action{"spec: image", (*run).setImage}},
		{30, action{"spec: image upwards", (*run).upgrade}},
		{20, action{"spec: image back, with the words it needs", (*run).downgrade}},
		{7, action{"spec: config", (*run).setConfig}},
		{7, action{"spec: policy", (*run).setPolicy}},
		{10, action{"spec: size", (*run).setSize}},
		{7, action{"spec: priority class", (*run).setPriority}},
		{7, action{"priority class deleted, or made again", (*run).switchClass}},
		{9, action{"annotation: overrides", (*run).setOverrides}},
		{700, action{"annotation: declaration", (*run).declare}},
		{600, action{"annotation: accept-claim", (*run).acceptClaim}},
		{12, action{"hand: image of the Pod", (*run).editImage}},
		{8, action{"hand: image in the middle of a pass", (*run).editInsidePass}},
		{11, action{"hand: Pod deleted", (*run).deletePod}},
		{20, action{"hand: claim deleted", (*run).deleteClaim}},
		{11, action{"hand: Object deleted", (*run).deleteObject}},
		{11, action{"hand: record removed from the claim", (*run).eraseRecord}},
		{6, action{"webhook switched", (*run).switchWebhook}},
		{14, action{"Crossplane crashes", (*run).crash}},
		{7, action{"Crossplane down and up", (*run).crossplaneDown}},
		{6, action{"stale caches", (*run).staleCaches}},
		{17, action{"write refused", (*run).refuse}},
		{9, action{"quota", (*run).setQuota}},
		{8, action{"a pass that applies late", (*run).holdPass}},
		{20, action{"Pod crashes", (*run).crashPod}},
		{14, action{"Pod evicted", (*run).evictPod}},
		{9, action{"image that does not work", (*run).breakImage}},
		{6, action{"no node fits", (*run).noNode}},
		{11, action{"node lost", (*run).loseNode}},
		{7, action{"provider down", (*run).providerDown}},
		{9, action{"function down", (*run).functionDown}},
		{8, action{"function of a newer schema, and rolled back", (*run).rollFunction}},
		{8, action{"XR deleted", (*run).deleteXR}},
		{90, action{"XR created again", (*run).createXR}},
		{10, action{"XR deleted and created at once", (*run).recreateXR}},
		{12, action{"namespace deleted", (*run).deleteNamespace}},
		{900, action{"namespace created again", (*run).createNamespace}},
		{300, action{"name taken by somebody else", (*run).takeName}},
		{22, action{"second Chroma of the name created", (*run).createRival}},
		{250, action{"second Chroma of the name deleted", (*run).deleteRival}},
		{38, action{"older status restored", (*run).restoreStatus}},
		{20, action{"snapshot of the cluster restored", (*run).restoreCluster}},
		{30, action{"all well again", (*run).heal}},
		{34, action{"a person follows the conditions", (*run).follow}},
	}
	var out []action
	for _, w := range weighted {
		for range w.weight {
			out = append(out, w.action)
		}
	}
	return out
}

func (r *run) exists() bool { return r.Get(kindChroma, namespace, "demo") != nil }

func (r *run) applySpec() bool {
	of := r.Get(kindChroma, namespace, "demo")
	if of == nil || of.GetDeletionTimestamp() != nil {
		return false
	}
	return r.Apply(chromaOf("demo", r.spec.Spec.Image, func(c *chroma.Chroma) { c.Spec = *r.spec.Spec.DeepCopy() })) == nil
}

func (r *run) setImage(t *choice) bool {
	r.spec.Spec.Image = pick(t, images())
	return r.applySpec()
}

// upgrade to the next image of the same product, if any.
func (r *run) upgrade(*choice) bool {
	list := images()
	for i, name := range list[:len(list)-1] {
		if name == r.spec.Spec.Image {
			r.spec.Spec.Image = list[i+1]
			return r.applySpec()
		}
	}
	return false
}

// downgrade by one image, with everything that a person may have to say about it.
func (r *run) downgrade(*choice) bool {
	list := images()
	at := slices.Index(list, r.spec.Spec.Image)
	if at < 1 || !r.exists() {
		return false
	}
	r.spec.Spec.Image = list[at-1]
	_, version, _ := strings.Cut(list[at-1], ":")
	for key, value := range map[string]string{
		chroma.AnnotationAllowDowngrade: chroma.AnnotationTrue, chroma.AnnotationAllowProductChange: chroma.AnnotationTrue, chroma.AnnotationAllowFormatDowngrade: version,
	} {
		if r.Annotate(kindChroma, namespace, "demo", key, value) != nil {
			return false
		}
	}
	return r.applySpec()
}

func (r *run) setConfig(t *choice) bool {
	size := int64(t.between(1, 3))
	r.spec.Spec.Config = &chroma.Config{MaxPayloadSizeBytes: &size}
	return r.applySpec()
}

func (r *run) setPolicy(t *choice) bool {
	r.spec.Spec.PVCDeletionPolicy = pick(t, []chroma.PVCDeletionPolicy{chroma.PVCRetain, chroma.PVCDelete})
	return r.applySpec()
}

func (r *run) setSize(t *choice) bool {
	r.spec.Spec.Storage = storageOf(pick(t, []string{"5Gi", "10Gi", "20Gi", "40Gi", "80Gi"}))
	return r.applySpec()
}

const (
	// someClass is a PriorityClass that is made, deleted and made again.
	someClass = "important"
	// absentClass is one that nobody has made.
	absentClass = "absent"
)

func (r *run) setPriority(t *choice) bool {
	r.spec.Spec.PriorityClassName = pick(t, []string{"", someClass, absentClass})
	return r.applySpec()
}

func (r *run) switchClass(*choice) bool {
	if r.Get(kindPriorityClass, "", someClass) != nil {
		return r.Delete(kindPriorityClass, "", someClass, metav1.DeletePropagationBackground) == nil
	}
	return r.Apply(priorityClass(someClass)) == nil
}

func (r *run) setOverrides(t *choice) bool {
	if !r.exists() {
		return false
	}
	key := pick(t, []string{chroma.AnnotationAllowDowngrade, chroma.AnnotationAllowFormatDowngrade, chroma.AnnotationAllowProductChange})
	value := ""
	if t.coin() {
		value = "true"
		if key == chroma.AnnotationAllowFormatDowngrade {
			value = pick(t, []string{"1.4.1", "1.2.2", "1.0.20"})
		}
	}
	return r.Annotate(kindChroma, namespace, "demo", key, value) == nil
}

// declare what really ran: a person who looked.
func (r *run) declare(t *choice) bool {
	of, claim := r.chroma("demo"), r.claim("demo")
	if of == nil || claim == nil || !of.Status.DataVersionUnknown {
		return false
	}
	code := of.Status.DataVersionUnknownIncident
	if t.between(0, 3) == 0 {
		code = "wrong"
	}
	known := r.oracle.truths[claim.GetUID()]
	declared := "chroma:1.5.9"
	if known != nil {
		if version, ok := known.Versions[known.Last]; ok {
			declared = string(known.Last) + ":" + version.String()
		}
	}
	return r.Annotate(kindChroma, namespace, "demo", chroma.AnnotationDeclaredDataVersion, declared+"/"+code) == nil
}

func (r *run) acceptClaim(*choice) bool {
	value := r.acceptance()
	if value == "" {
		return false
	}
	r.oracle.accepted[r.chroma("demo").Status.ClaimUID] = true
	return r.Annotate(kindChroma, namespace, "demo", chroma.AnnotationAcceptClaim, value) == nil
}

// acceptance of what is there in the place of the lost claim, empty when none is lost.
func (r *run) acceptance() string {
	of, claim := r.chroma("demo"), r.claim("demo")
	switch {
	case of == nil || of.Status.ClaimUID == "":
		return ""
	case claim == nil:
		return chroma.AcceptNewClaimPrefix + of.Status.ClaimUID
	case string(claim.GetUID()) == of.Status.ClaimUID:
		return ""
	}
	return string(claim.GetUID())
}

func (r *run) editImage(t *choice) bool {
	pod := r.Get(kindPod, namespace, "demo-1")
	if pod == nil {
		return false
	}
	return r.SetImage(namespace, "demo-1", pick(t, handImages())) == nil
}

// editInsidePass edits the Pod between two writes of the next pass.
func (r *run) editInsidePass(t *choice) bool {
	image, after := pick(t, handImages()), t.between(0, 4)
	r.InterruptWrites(func(actor string) {
		if actor != "crossplane" {
			return
		}
		if after--; after < 0 {
			r.InterruptWrites(nil)
			if r.Get(kindPod, namespace, "demo-1") != nil {
				_ = r.SetImage(namespace, "demo-1", image)
			}
		}
	})
	return true
}

func (r *run) deletePod(*choice) bool {
	return r.Delete(kindPod, namespace, "demo-1", metav1.DeletePropagationBackground) == nil
}

func (r *run) deleteClaim(*choice) bool {
	return r.Delete(kindClaim, namespace, "demo-1", metav1.DeletePropagationBackground) == nil
}

func (r *run) deleteObject(t *choice) bool {
	name := pick(t, []string{"demo-claim", "demo-ledger"})
	return r.Delete(simulatorKindObject(), namespace, name, metav1.DeletePropagationBackground) == nil
}

// eraseRecord is an edit of the claim that takes a part of the record away.
func (r *run) eraseRecord(t *choice) bool {
	if r.claim("demo") == nil {
		return false
	}
	key := pick(t, []string{chroma.AnnotationDataRecord, chroma.AnnotationDataVersion, chroma.AnnotationDataVersions, chroma.AnnotationRecoveryImage})
	if known := r.oracle.truths[r.claim("demo").GetUID()]; key == chroma.AnnotationDataVersions && known != nil {
		known.erased = true
	}
	return r.Annotate(kindClaim, namespace, "demo-1", key, "") == nil
}

func (r *run) switchWebhook(t *choice) bool {
	r.SetImageWebhook(pick(t, []func(string) string{
		nil,
		func(image string) string { return strings.Replace(image, "docker.io", "mirror.example.org", 1) },
		func(image string) string {
			if strings.Contains(image, "@") {
				return image
			}
			return image + "@sha256:" + strings.Repeat("a", 64)
		},
		// A digest alone, and another version.
		func(string) string { return "docker.io/chromadb/chroma@sha256:" + strings.Repeat("c", 64) },
		func(image string) string { return strings.Replace(image, ":1.5.8", ":1.5.9", 1) },
	}), t.coin())
	return true
}

func (r *run) crash(t *choice) bool {
	r.CrashCrossplane(t.between(1, 9), t.coin())
	return true
}

func (r *run) staleCaches(t *choice) bool {
	r.oracle.stale = true
	r.FreezeCaches(kindNamed(pick(t, []string{"Pod", "PersistentVolumeClaim", "ConfigMap", "Service", "Node", "StorageClass", "Chroma", "XChroma", "Object"})))
	return true
}

func (r *run) refuse(t *choice) bool {
	r.Refuse(&simulator.Refusal{
		Actor: pick(t, []string{"crossplane", "crossplane", "provider-kubernetes"}),
		Kind:  pick(t, []string{"Pod", "ConfigMap", "Service", "Object", "PersistentVolumeClaim", "Chroma", "XChroma"}),
		Code:  pick(t, []int{403, 409, 409, 409, 422}), Message: "refused by the test", Times: t.between(1, 3),
	})
	return true
}

func (r *run) holdPass(t *choice) bool {
	r.HoldNextPass(time.Duration(t.between(1, 40)) * time.Second)
	return true
}

func (r *run) crashPod(t *choice) bool {
	return r.Get(kindPod, namespace, "demo-1") != nil && r.CrashPod(namespace, "demo-1", int64(pick(t, []int{0, 101, 137, 139})), false)
}

func (r *run) evictPod(t *choice) bool {
	return r.Get(kindPod, namespace, "demo-1") != nil && r.EvictPod(namespace, "demo-1", pick(t, []string{"Failed", "Succeeded"}))
}

// loseNode or find it again. Somebody may delete the Pod of a Node that does not answer.
func (r *run) loseNode(t *choice) bool {
	if !r.away("node-1") {
		r.SetNodeLost("node-1", true)
		r.until(40, func() bool { return r.away("node-1") })
		if t.coin() {
			r.deletePod(t)
			r.until(60, func() bool { return r.because(reason.ServerReady) == reason.NodeLost })
		}
		return true
	}
	r.SetNodeLost("node-1", false)
	return true
}

// away tells whether a Node does not answer.
func (r *run) away(node string) bool {
	status, _, _ := simulator.Condition(r.Get(corev1.SchemeGroupVersion.WithKind("Node"), "", node), "Ready")
	return status != "True"
}

func (r *run) providerDown(t *choice) bool {
	r.SetProviderDown(t.coin())
	return true
}

func (r *run) functionDown(t *choice) bool {
	r.SetFunctionDown(t.coin())
	return true
}

func (r *run) deleteXR(t *choice) bool {
	propagation := pick(t, []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan})
	return r.Delete(kindChroma, namespace, "demo", propagation) == nil
}

func (r *run) createXR(*choice) bool {
	if r.exists() {
		return false
	}
	return r.Apply(chromaOf("demo", "", func(c *chroma.Chroma) { c.Spec = *r.spec.Spec.DeepCopy() })) == nil
}

func (r *run) recreateXR(t *choice) bool {
	if !r.exists() || !r.deleteXR(t) {
		return false
	}
	r.until(60, func() bool { return !r.exists() })
	return r.createXR(t)
}

// heal everything that is not the Chroma's own.
func (r *run) heal(*choice) bool {
	r.AcceptAll()
	r.InterruptWrites(nil)
	r.SetCrossplaneDown(false)
	r.SetUnschedulable(false)
	for _, image := range images() {
		r.SetImageFault(image, simulator.ImageFault{})
	}
	for _, o := range r.Objects() {
		if o.GetKind() == kindQuota().Kind || r.oracle.foreign[o.GetUID()] {
			_ = r.Delete(o.GroupVersionKind(), namespace, o.GetName(), metav1.DeletePropagationBackground)
		}
	}
	r.deleteRival(nil)
	r.createNamespace(nil)
	r.SetFunctionDown(false)
	r.SetProviderDown(false)
	r.SetNodeLost("node-1", false)
	r.ThawCaches()
	r.oracle.stale = false
	return true
}
