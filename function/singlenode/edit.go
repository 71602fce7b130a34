package singlenode

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/image"
	"github.com/function-chroma/function-chroma/function/ledger"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

// An edit is what others made of the image of our Pod: a webhook at its creation, or a hand after it.
type edit struct {
	// byHand: somebody changed the image after the creation. The Pod is replaced as soon as that is safe.
	byHand bool
	// admitted is the image that a webhook made of ours, to be written down on the Pod.
	admitted string
	// rewritten says that a webhook changed the version.
	rewritten finding
	// seen is what ran on the data although nobody recorded it before.
	seen *ledger.Sighting
	// allowed: the image seen may run here.
	allowed bool
	// opened is the version of a Pod of ours that is ready: its server has opened the data.
	opened compatibility.Version
}

// editOf the Pod. Which image is ours stands in managedFields: an image that is missing in our own extracted intent was
// taken over by another manager, one that is there and differs from what we sent was rewritten by a webhook.
func editOf(w World) edit {
	e := editSeen(w)
	if e.seen != nil {
		_, refusal := image.Resolve(e.seen.Image, w.Chroma.Spec.Product, w.Settings.Images.Allowed)
		e.allowed = refusal == nil
	}
	return e
}

func editSeen(w World) edit {
	pod := w.pod()
	if pod == nil || w.Intent == nil {
		return edit{} // Without managedFields (offline) nothing can be told.
	}
	wanted, observed := pod.GetAnnotations()[chroma.AnnotationWantedImage], imageOf(pod)
	switch {
	case ownImage(w.Intent) == "":
		return editByHand(pod, observed, wanted)
	case wanted != "" && observed != wanted:
		return editByWebhook(w, pod, observed, wanted)
	}
	return edit{opened: openedBy(pod, versionOf(w, pod, observed))}
}

// editByWebhook: the image is ours and is not what we sent. A tag that stayed keeps the version known; a digest alone has
// none.
func editByWebhook(w World, pod *corev1.Pod, observed, wanted string) edit {
	e := edit{}
	if pod.GetAnnotations()[chroma.AnnotationAdmittedImage] != observed {
		e.admitted = observed
	}
	ran := versionOf(w, pod, observed)
	e.seen = sighting(pod, observed, ran)
	if e.admitted == "" {
		e.opened = openedBy(pod, ran) // A rewrite noticed only now may not have been acted on by the kubelet.
	}
	if asked := versionOf(w, pod, wanted); !ran.IsZero() && !asked.Equal(ran) {
		e.rewritten = finding{reason: reason.ImageRewritten, message: fmt.Sprintf(
			"A webhook changed the image from %s to %s when the Pod was created, and with it the version. Let the webhook keep the tag, or ask for %s.", wanted, observed, ran)}
	}
	return e
}

// editByHand: the image belongs to another manager.
func editByHand(pod *corev1.Pod, observed, wanted string) edit {
	same := observed == wanted || observed == pod.GetAnnotations()[chroma.AnnotationAdmittedImage]
	if same && !restarted(pod) {
		return edit{} // Set to something else and back before the kubelet acted: nothing else ran.
	}
	e := edit{byHand: true, seen: sighting(pod, observed, compatibility.Version{})}
	if same {
		e.seen.Unwitnessed = true
		return e
	}
	// What ran, ran: the allow-list does not matter here. A product that the repository does not say is not known.
	if parsed, err := image.Parse(observed); err == nil {
		if product, refusal := image.Product(parsed, ""); refusal == nil {
			e.seen.Version, _ = image.ExactVersion(parsed, product)
		}
	}
	return e
}

func openedBy(pod *corev1.Pod, version compatibility.Version) compatibility.Version {
	if !isReady(pod) {
		return compatibility.Version{}
	}
	return version
}

func sighting(pod *corev1.Pod, observed string, version compatibility.Version) *ledger.Sighting {
	return &ledger.Sighting{PodUID: string(pod.GetUID()), Image: observed, Version: version}
}

// versionOf an image on the Pod, zero when it is not known: a mirror in front of the tag changes neither product nor
// version. The product is the one that the Pod was created with, unless the repository is known to hold the other one.
func versionOf(w World, pod *corev1.Pod, text string) compatibility.Version {
	product := chroma.Product(pod.GetAnnotations()[chroma.AnnotationWantedProduct])
	if product == "" {
		asked, err := image.Parse(pod.GetAnnotations()[chroma.AnnotationWantedImage])
		if err != nil {
			return compatibility.Version{}
		}
		var refusal *image.Refusal
		if product, refusal = image.Product(asked, w.Chroma.Spec.Product); refusal != nil {
			return compatibility.Version{}
		}
	}
	got, err := image.Parse(text)
	if err != nil {
		return compatibility.Version{}
	}
	if _, mismatch := image.Product(got, product); mismatch != nil {
		return compatibility.Version{}
	}
	version, _ := image.ExactVersion(got, product)
	return version
}

func restarted(pod *corev1.Pod) bool {
	status := containerOf(pod)
	return status != nil && status.RestartCount > 0
}

// ownImage is the image in our own extracted intent, empty when another manager owns it.
func ownImage(intent map[string]any) string {
	found, _, _ := unstructured.NestedFieldNoCopy(intent, "spec", "containers")
	containers, _ := found.([]any)
	for _, item := range containers {
		if container, _ := item.(map[string]any); container["name"] == objects.Container {
			own, _ := container["image"].(string)
			return own
		}
	}
	return ""
}
