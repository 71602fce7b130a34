package simulator

import (
	"slices"
	"time"

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
	At    time.Time
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

func (c *Cluster) open(claim string, pod *container, now time.Time) {
	v, found := c.volumes[claim]
	if !found {
		v = &Volume{Claim: types.UID(claim)}
		c.volumes[claim] = v
	}
	v.Openings = append(v.Openings, Opening{Pod: types.UID(pod.uid), PodName: pod.key.Name, Node: pod.node, Image: pod.image, At: now})
}

func (c *Cluster) close(claim, pod string, now time.Time) {
	v := c.volumes[claim]
	if v == nil {
		return
	}
	for i := range v.Openings {
		if string(v.Openings[i].Pod) == pod && v.Openings[i].Closed.IsZero() {
			v.Openings[i].Closed = now
		}
	}
}
