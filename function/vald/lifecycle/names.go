package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	valdv1 "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/vald"
)

// The names of the questions.
const (
	askTemplate = "default-template"
	askNodes    = "nodes"
)

// askName is the question whether the name of what a role composes is free.
func askName(role string) string { return "name-of-" + role }

// ask for what the pass needs: the template's ConfigMap, the Nodes of the namespace, and the names of what is not
// composed yet, since server-side apply would take over what somebody else has there.
func (w world) ask(out map[string]pass.Requirement) {
	namespace := w.vor.GetNamespace()
	if from := w.settings.DefaultTemplateFrom; w.settings.DefaultTemplate == nil && from.Name != "" {
		out[askTemplate] = pass.Requirement{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: from.Name}
	}
	if w.config.NodePool.RequireMatch {
		out[askNodes] = pass.Requirement{APIVersion: "v1", Kind: "Node", Labels: map[string]string{w.config.NodePool.Key(valdv1.LabelNamespace): namespace}}
	}
	apiVersion, kind := valdv1.GroupVersion().String(), valdv1.KindValdRelease
	if w.settings.DeliverObjects {
		apiVersion, kind = objectAPIVersion, objectKind
	}
	for _, entry := range w.vor.Spec.Infrastructure {
		if !entry.Active {
			continue
		}
		for _, cluster := range entry.Clusters {
			if role := w.role(cluster.Name); w.observed[role] == nil {
				out[askName(role)] = pass.Requirement{
					APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: vald.ReleaseName(namespace, cluster.Name),
				}
			}
		}
	}
}

// A usage says whether a name may be used.
type usage int

const (
	// usageUnknown: it was not answered yet.
	usageUnknown usage = iota
	// usageFree: nobody has it, or what has it may be taken over.
	usageFree
	// usageWait: what has it is going away.
	usageWait
	// usageTaken: it belongs to somebody else.
	usageTaken
)

// mayUse says whether a name that is not composed may be. An object of an earlier ValdOperatorRelease of the same name
// goes away with it; one that the Vald Operator left behind without a controller is adopted.
func (w world) mayUse(found pass.Found) usage {
	if !found.Answered {
		return usageUnknown
	}
	object := found.Object()
	if object == nil {
		return usageFree
	}
	if isTerminating(object) {
		return usageWait
	}
	owner := metav1.GetControllerOf(object)
	switch {
	case owner == nil:
		if object.GetKind() == valdv1.KindValdRelease && object.GetLabels()[valdv1.LabelManagedResource] == valdv1.KindValdRelease {
			return usageFree
		}
		return usageTaken
	case owner.UID == w.vor.GetUID():
		return usageFree
	case owner.Kind == valdv1.Kind && owner.Name == w.vor.GetName() && isGroup(owner.APIVersion, valdv1.Group):
		return usageWait
	}
	return usageTaken
}

func isGroup(apiVersion, group string) bool {
	version, err := schema.ParseGroupVersion(apiVersion)
	return err == nil && version.Group == group
}

// role of a cluster's object, in the form that the settings ask for.
func (w world) role(cluster string) string {
	if w.settings.DeliverObjects {
		return deliveryRole(cluster)
	}
	return localRole(cluster)
}

func localRole(cluster string) string    { return shortened("valdrelease-" + cluster) }
func deliveryRole(cluster string) string { return shortened("delivery-" + cluster) }

// shortened to what a label can hold, with a hash of the whole so that two long names stay two.
func shortened(role string) string {
	const most, digits = 63, 10
	if len(role) <= most {
		return role
	}
	sum := sha256.Sum256([]byte(role))
	return role[:most-digits-1] + "-" + hex.EncodeToString(sum[:digits/2])
}
