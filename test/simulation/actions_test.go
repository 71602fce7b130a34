package simulation

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/simulator"
)

// An action is a disturbance. It says whether it did anything.
type action struct {
	name string
	do   func(*run, *rapid.T) bool
}

// run is one random sequence.
type run struct {
	*world
	oracle *oracle
	spec   *chroma.Chroma
	counts map[string]int
	// recent passes, for the story of a failure.
	recent []*simulator.Pass
	// log of the disturbances.
	log []string
}

func images() []string {
	return []string{
		"docker.io/chromadb/chroma:1.0.20", "docker.io/chromadb/chroma:1.2.2", image141, "docker.io/chromadb/chroma:1.5.7", image158, image159,
		"ghcr.io/vecturadb/vecturadb:1.0.0-preview.2", "ghcr.io/vecturadb/vecturadb:1.0.0-preview.3",
	}
}

func handImages() []string {
	return append(images(), "docker.io/chromadb/chroma:latest", "docker.io/chromadb/chroma:1.5.10.dev37", "busybox:1", image159+"@sha256:"+strings.Repeat("b", 64))
}

// disturbances of all kinds. Those that come several times are more likely.
func disturbances() []action {
	return []action{
		{"spec: image", (*run).setImage}, {"spec: image", (*run).setImage}, {"spec: image", (*run).setImage},
		{"spec: image upwards", (*run).upgrade}, {"spec: image upwards", (*run).upgrade}, {"spec: image upwards", (*run).upgrade},
		{"spec: config", (*run).setConfig},
		{"spec: policy", (*run).setPolicy},
		{"spec: size", (*run).setSize},
		{"annotation: overrides", (*run).setOverrides}, {"annotation: overrides", (*run).setOverrides},
		{"annotation: declaration", (*run).declare}, {"annotation: declaration", (*run).declare},
		{"annotation: accept-claim", (*run).acceptClaim}, {"annotation: accept-claim", (*run).acceptClaim},
		{"hand: image of the Pod", (*run).editImage}, {"hand: image of the Pod", (*run).editImage},
		{"hand: image in the middle of a pass", (*run).editInsidePass},
		{"hand: Pod deleted", (*run).deletePod},
		{"hand: claim deleted", (*run).deleteClaim},
		{"hand: Object deleted", (*run).deleteObject},
		{"hand: record removed from the claim", (*run).eraseRecord},
		{"webhook switched", (*run).switchWebhook},
		{"Crossplane crashes", (*run).crash}, {"Crossplane crashes", (*run).crash}, {"Crossplane crashes", (*run).crash},
		{"stale caches", (*run).staleCaches}, {"stale caches", (*run).staleCaches},
		{"write refused", (*run).refuse}, {"write refused", (*run).refuse},
		{"a pass that applies late", (*run).holdPass},
		{"Pod crashes", (*run).crashPod},
		{"Pod evicted", (*run).evictPod},
		{"node lost", (*run).loseNode},
		{"provider down", (*run).providerDown},
		{"function down", (*run).functionDown},
		{"XR deleted", (*run).deleteXR}, {"XR deleted", (*run).deleteXR},
		{"XR created again", (*run).createXR}, {"XR created again", (*run).createXR}, {"XR created again", (*run).createXR},
		{"XR deleted and created at once", (*run).recreateXR}, {"XR deleted and created at once", (*run).recreateXR},
		{"all well again", (*run).heal}, {"all well again", (*run).heal},
	}
}

func (r *run) exists() bool { return r.Get(kindChroma, namespace, "demo") != nil }

func (r *run) applySpec() bool {
	of := r.Get(kindChroma, namespace, "demo")
	if of == nil || of.GetDeletionTimestamp() != nil {
		return false
	}
	return r.Apply(chromaOf("demo", r.spec.Spec.Image, func(c *chroma.Chroma) { c.Spec = *r.spec.Spec.DeepCopy() })) == nil
}

func (r *run) setImage(t *rapid.T) bool {
	r.spec.Spec.Image = rapid.SampledFrom(images()).Draw(t, "image")
	return r.applySpec()
}

// upgrade to the next image of the same product, if any.
func (r *run) upgrade(*rapid.T) bool {
	list := images()
	for i, name := range list[:len(list)-1] {
		if name == r.spec.Spec.Image {
			r.spec.Spec.Image = list[i+1]
			return r.applySpec()
		}
	}
	return false
}

func (r *run) setConfig(t *rapid.T) bool {
	size := rapid.Int64Range(1, 3).Draw(t, "payload")
	r.spec.Spec.Config = &chroma.Config{MaxPayloadSizeBytes: &size}
	return r.applySpec()
}

func (r *run) setPolicy(t *rapid.T) bool {
	r.spec.Spec.PVCDeletionPolicy = rapid.SampledFrom([]chroma.PVCDeletionPolicy{chroma.PVCRetain, chroma.PVCDelete}).Draw(t, "policy")
	return r.applySpec()
}

func (r *run) setSize(t *rapid.T) bool {
	r.spec.Spec.Storage = storageOf(rapid.SampledFrom([]string{"5Gi", "10Gi", "20Gi"}).Draw(t, "size"))
	return r.applySpec()
}

func (r *run) setOverrides(t *rapid.T) bool {
	if !r.exists() {
		return false
	}
	key := rapid.SampledFrom([]string{chroma.AnnotationAllowDowngrade, chroma.AnnotationAllowFormatDowngrade, chroma.AnnotationAllowProductChange}).Draw(t, "override")
	value := ""
	if rapid.Bool().Draw(t, "set") {
		value = "true"
		if key == chroma.AnnotationAllowFormatDowngrade {
			value = rapid.SampledFrom([]string{"1.4.1", "1.2.2", "1.0.20"}).Draw(t, "version")
		}
	}
	return r.Annotate(kindChroma, namespace, "demo", key, value) == nil
}

// declare what really ran: a person who looked.
func (r *run) declare(t *rapid.T) bool {
	of, claim := r.chroma("demo"), r.claim("demo")
	if of == nil || claim == nil || !of.Status.DataVersionUnknown {
		return false
	}
	code := of.Status.DataVersionUnknownIncident
	if rapid.IntRange(0, 3).Draw(t, "wrong") == 0 {
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

func (r *run) acceptClaim(*rapid.T) bool {
	of := r.chroma("demo")
	if of == nil || of.Status.ClaimUID == "" {
		return false
	}
	claim := r.claim("demo")
	value := chroma.AcceptNewClaimPrefix + of.Status.ClaimUID
	if claim != nil {
		if string(claim.GetUID()) == of.Status.ClaimUID {
			return false
		}
		value = string(claim.GetUID())
	}
	r.oracle.accepted[of.Status.ClaimUID] = true
	return r.Annotate(kindChroma, namespace, "demo", chroma.AnnotationAcceptClaim, value) == nil
}

func (r *run) editImage(t *rapid.T) bool {
	pod := r.Get(kindPod, namespace, "demo-1")
	if pod == nil {
		return false
	}
	return r.SetImage(namespace, "demo-1", rapid.SampledFrom(handImages()).Draw(t, "image")) == nil
}

// editInsidePass edits the Pod between two writes of the next pass.
func (r *run) editInsidePass(t *rapid.T) bool {
	image, after := rapid.SampledFrom(handImages()).Draw(t, "image"), rapid.IntRange(0, 4).Draw(t, "after")
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

func (r *run) deletePod(*rapid.T) bool {
	return r.Delete(kindPod, namespace, "demo-1", metav1.DeletePropagationBackground) == nil
}

func (r *run) deleteClaim(*rapid.T) bool {
	return r.Delete(kindClaim, namespace, "demo-1", metav1.DeletePropagationBackground) == nil
}

func (r *run) deleteObject(t *rapid.T) bool {
	name := rapid.SampledFrom([]string{"demo-claim", "demo-ledger"}).Draw(t, "object")
	return r.Delete(simulatorKindObject(), namespace, name, metav1.DeletePropagationBackground) == nil
}

// eraseRecord is an edit of the claim that takes a part of the record away.
func (r *run) eraseRecord(t *rapid.T) bool {
	if r.claim("demo") == nil {
		return false
	}
	key := rapid.SampledFrom([]string{chroma.AnnotationDataRecord, chroma.AnnotationDataVersion, chroma.AnnotationDataVersions, chroma.AnnotationRecoveryImage}).Draw(t, "annotation")
	return r.Annotate(kindClaim, namespace, "demo-1", key, "") == nil
}

func (r *run) switchWebhook(t *rapid.T) bool {
	r.SetImageWebhook(rapid.SampledFrom([]func(string) string{
		nil,
		func(image string) string { return strings.Replace(image, "docker.io", "mirror.example.org", 1) },
		func(image string) string {
			if strings.Contains(image, "@") {
				return image
			}
			return image + "@sha256:" + strings.Repeat("a", 64)
		},
	}).Draw(t, "webhook"), rapid.Bool().Draw(t, "on updates"))
	return true
}

func (r *run) crash(t *rapid.T) bool {
	r.CrashCrossplane(rapid.IntRange(1, 9).Draw(t, "write"), rapid.Bool().Draw(t, "after"))
	return true
}

func (r *run) staleCaches(t *rapid.T) bool {
	r.FreezeCaches(kindNamed(rapid.SampledFrom([]string{"Pod", "PersistentVolumeClaim", "ConfigMap", "Chroma", "Object"}).Draw(t, "kind")))
	return true
}

func (r *run) refuse(t *rapid.T) bool {
	r.Refuse(&simulator.Refusal{
		Actor: rapid.SampledFrom([]string{"crossplane", "provider-kubernetes"}).Draw(t, "actor"),
		Kind:  rapid.SampledFrom([]string{"Pod", "ConfigMap", "Service", "Object", "PersistentVolumeClaim"}).Draw(t, "kind"),
		Code:  rapid.SampledFrom([]int{403, 409, 422}).Draw(t, "code"), Message: "refused by the test", Times: rapid.IntRange(1, 3).Draw(t, "times"),
	})
	return true
}

func (r *run) holdPass(t *rapid.T) bool {
	r.HoldNextPass(time.Duration(rapid.IntRange(1, 40).Draw(t, "seconds")) * time.Second)
	return true
}

func (r *run) crashPod(t *rapid.T) bool {
	return r.Get(kindPod, namespace, "demo-1") != nil && r.CrashPod(namespace, "demo-1", int64(rapid.SampledFrom([]int{0, 101, 137, 139}).Draw(t, "code")), false)
}

func (r *run) evictPod(t *rapid.T) bool {
	return r.Get(kindPod, namespace, "demo-1") != nil && r.EvictPod(namespace, "demo-1", rapid.SampledFrom([]string{"Failed", "Succeeded"}).Draw(t, "phase"))
}

func (r *run) loseNode(t *rapid.T) bool {
	r.SetNodeLost("node-1", rapid.Bool().Draw(t, "lost"))
	return true
}

func (r *run) providerDown(t *rapid.T) bool {
	r.SetProviderDown(rapid.Bool().Draw(t, "down"))
	return true
}

func (r *run) functionDown(t *rapid.T) bool {
	r.SetFunctionDown(rapid.Bool().Draw(t, "down"))
	return true
}

func (r *run) deleteXR(t *rapid.T) bool {
	propagation := rapid.SampledFrom([]metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan}).Draw(t, "propagation")
	return r.Delete(kindChroma, namespace, "demo", propagation) == nil
}

func (r *run) createXR(*rapid.T) bool {
	if r.exists() {
		return false
	}
	return r.Apply(chromaOf("demo", "", func(c *chroma.Chroma) { c.Spec = *r.spec.Spec.DeepCopy() })) == nil
}

func (r *run) recreateXR(t *rapid.T) bool {
	if !r.exists() || !r.deleteXR(t) {
		return false
	}
	r.Until(200, func() bool { return !r.exists() })
	return r.createXR(t)
}

// heal everything that is not the Chroma's own.
func (r *run) heal(*rapid.T) bool {
	r.AcceptAll()
	r.InterruptWrites(nil)
	r.SetFunctionDown(false)
	r.SetProviderDown(false)
	r.SetNodeLost("node-1", false)
	r.ThawCaches()
	return true
}
