package simulator

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Volume is the data behind a claim. It remembers every server that opened it.
type Volume struct {
	// Claim is the UID of the claim that the volume was made for.
	Claim types.UID
	// Openings in order.
	Openings []Opening
}

// Opening of a volume by a container that started.
type Opening struct {
	Pod     types.UID
	PodName string
	Node    string
	// Image that ran, as the Pod's spec had it when the container started.
	Image string
	// Managers are the field managers that own the image in the Pod's spec: Crossplane's composed one when the image is
	// what the function composed, a person's when it was edited.
	Managers []string
	At       time.Time
	// Closed is when the container ended, zero while it runs.
	Closed time.Time
	// Forced says that somebody removed the Pod by force while the container was still running.
	Forced bool
}

// Running servers on the volume.
func (v *Volume) Running() []Opening {
	var out []Opening
	for _, o := range v.Openings {
		if o.Closed.IsZero() {
			out = append(out, o)
		}
	}
	return out
}

// Volume of a claim, nil while no server has opened it.
func (c *Cluster) Volume(claim types.UID) *Volume { return c.volumes[string(claim)] }

// Volumes that were ever opened, by the UID of their claims. Data survives the claim only in this record.
func (c *Cluster) Volumes() map[string]*Volume { return c.volumes }

// attachedElsewhere says that a server on another Node has the volume open: it is attached to one Node at a time.
func (c *Cluster) attachedElsewhere(claim, node string) bool {
	v := c.volumes[claim]
	return v != nil && slices.ContainsFunc(v.Running(), func(o Opening) bool { return o.Node != node })
}

// ImageManagers are the field managers that own the image of a Pod's container.
func ImageManagers(pod *unstructured.Unstructured) []string {
	var managers []string
	for _, o := range listAt(pod, "metadata", "managedFields") {
		entry := &unstructured.Unstructured{}
		entry.Object, _ = o.(map[string]any)
		for _, fields := range mapAt(entry, "fieldsV1", "f:spec", "f:containers") {
			container, _ := fields.(map[string]any)
			if _, owns := container["f:image"]; owns {
				managers = append(managers, stringAt(entry, "manager"))
			}
		}
	}
	return managers
}

func (c *Cluster) open(claim string, k *container, pod *unstructured.Unstructured) {
	v, found := c.volumes[claim]
	if !found {
		v = &Volume{Claim: types.UID(claim)}
		c.volumes[claim] = v
	}
	v.Openings = append(v.Openings, Opening{
		Pod: types.UID(k.uid), PodName: k.key.Name, Node: k.node, Image: k.image, Managers: ImageManagers(pod), At: c.Now(),
	})
}

func (c *Cluster) close(claim, pod string) {
	v := c.volumes[claim]
	if v == nil {
		return
	}
	for i := range v.Openings {
		if string(v.Openings[i].Pod) == pod && v.Openings[i].Closed.IsZero() {
			v.Openings[i].Closed = c.Now()
		}
	}
}
