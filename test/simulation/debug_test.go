package simulation

import (
	"fmt"
	"os"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// debug prints what matters of every write, with SIM_DEBUG set.
func (r *run) debug(c store.Change) {
	if os.Getenv("SIM_DEBUG") == "" || c.After == nil {
		return
	}
	at := r.Now().Format("15:04:05.000")
	switch c.Key.GVK.Kind {
	case "PersistentVolumeClaim":
		a := c.After.GetAnnotations()
		fmt.Fprintf(os.Stderr, "%s %s %s claim: record %s versions %s last %s ahead %q unknown %q\n", at, c.Actor, c.Outcome, a[chroma.AnnotationDataRecord], a[chroma.AnnotationDataVersions], a[chroma.AnnotationDataProduct], a[chroma.AnnotationDataAhead], a[chroma.AnnotationDataVersionUnknown])
	case "Pod":
		pod := decode[podLike](r.t, c.After)
		if len(pod.Spec.Containers) > 0 {
			fmt.Fprintf(os.Stderr, "%s %s %s pod %s: image %s wanted %s\n", at, c.Actor, c.Outcome, c.After.GetUID(), pod.Spec.Containers[0].Image, c.After.GetAnnotations()[chroma.AnnotationWantedImage])
		}
	case kindChroma.Kind:
		of := decode[chroma.Chroma](r.t, c.After)
		fmt.Fprintf(os.Stderr, "%s %s %s chroma %s: spec %s record %s versions %v last %s ahead %v unknown %s\n", at, c.Actor, c.Outcome, c.After.GetUID(), of.Spec.Image, of.Status.DataRecord, of.Status.DataVersions, of.Status.DataProduct, of.Status.DataAhead, of.Status.DataVersionUnknownIncident)
	}
}

type podLike struct {
	Spec struct {
		Containers []struct {
			Image string `json:"image"`
		} `json:"containers"`
	} `json:"spec"`
}
