package simulation

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/ledger"
	"github.com/function-chroma/function-chroma/function/previous"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

// truth of a volume: what really opened it, whoever knows of it.
type truth struct {
	compatibility.Data

	// ours is the highest version per product that a Pod as we composed it has run.
	ours map[chroma.Product]compatibility.Version
	// openings that were taken in.
	openings int
	// unseen are images of others that opened the data. They count from the first pass that observes them.
	unseen map[sighting]bool
	// words that allowed an image to change the product, by image. A word was acted on when the record was raised ahead of the
	// Pod, and holds until a server has opened the data, whoever takes it back meanwhile: what is recorded can have run.
	words map[string]bool
	// granted are the versions that were recorded when the rules allowed them: they may have run since.
	granted map[compatibility.Version]bool
	// settled are the Pods and images that a person has declared, maybe before their server opened the data.
	settled map[sighting]bool
	// erased says that somebody took the versions off the claim: when no status has them, what a person declares is all.
	erased bool
}

func newTruth() *truth {
	return &truth{
		Data: compatibility.Data{Versions: map[chroma.Product]compatibility.Version{}},
		ours: map[chroma.Product]compatibility.Version{}, unseen: map[sighting]bool{}, settled: map[sighting]bool{}, words: map[string]bool{},
		granted: map[compatibility.Version]bool{},
	}
}

// sighting is an image on a Pod.
type sighting struct {
	pod   types.UID
	image string
}

// composedPod is what was the case when we composed a Pod. It may start later, when a person has declared what he found
// meanwhile, or has taken a record away: that stops no Pod which is there.
type composedPod struct {
	image     string
	overrides compatibility.Overrides
	// claim that it was composed on, and what had truly run on it.
	claim types.UID
	data  compatibility.Data
	// restored with a snapshot of the cluster, and not composed on what is there now.
	restored bool
}

// compose notes a Pod that we have created.
func (o *oracle) compose(pod types.UID, image string, overrides compatibility.Overrides) {
	of := &composedPod{image: image, overrides: overrides}
	o.composed[pod] = of
	if claim := o.w.claim("demo"); claim != nil {
		of.claim, of.data = claim.GetUID(), copied(compatibility.Data{})
		if t := o.truths[of.claim]; t != nil {
			of.data = copied(t.Data)
		}
	}
}

func copied(data compatibility.Data) compatibility.Data {
	data.Versions, data.Ahead = maps.Clone(data.Versions), slices.Clone(data.Ahead)
	if data.Versions == nil {
		data.Versions = map[chroma.Product]compatibility.Version{}
	}
	return data
}

// openings takes in what opened a volume, and is invariant 2: no image that we composed opens data that the rules forbid.
func (o *oracle) openings(uid types.UID, volume *simulator.Volume) bool {
	t := o.truths[uid]
	if t == nil {
		t = newTruth()
		o.truths[uid] = t
	}
	opened := t.openings < len(volume.Openings)
	for ; t.openings < len(volume.Openings); t.openings++ {
		opening := volume.Openings[t.openings]
		composed, ours := o.composed[opening.Pod]
		// The same image set by a hand is not ours.
		ours = ours && composed.image == opening.Image && slices.ContainsFunc(opening.Managers, func(manager string) bool {
			return strings.HasPrefix(manager, previous.ManagerPrefix)
		})
		version, product := versionOf(opening.Image)
		if !ours {
			if seen := (sighting{pod: opening.Pod, image: opening.Image}); !t.settled[seen] {
				t.unseen[seen] = true
			}
			continue
		}
		o.judge(uid, composed, version)
		if highest, ok := t.ours[product]; !ok || version.NewerThan(highest) {
			t.ours[product] = version
		}
		o.open(uid, opening.Pod, version, product, true)
	}
	return opened
}

// judge an image that we composed and that has opened the data of a claim.
func (o *oracle) judge(uid types.UID, composed *composedPod, version compatibility.Version) {
	t := o.truths[uid]
	data, overrides := t.Data, composed.overrides
	if composed.claim == uid {
		data = composed.data
	}
	if t.words[composed.image] {
		overrides.AllowProductChange = chroma.AnnotationTrue
	}
	clear(t.words)
	if t.granted[version] {
		data.Ahead = nil // What is recorded counts as run, whether its Pod came to it or not.
	}
	verdict := compatibility.Judge(compatibility.Question{Data: data, Wanted: version, Overrides: overrides})
	if !verdict.Allowed && !composed.restored {
		o.violatef(2, "we composed %s on data of %v: %s", composed.image, data.Versions, verdict.Message)
	}
}

// grant what is recorded ahead of its Pod when the rules allow it.
func (o *oracle) grant(before, after *unstructured.Unstructured) {
	was := chroma.ChromaStatus{}
	if before != nil {
		was = decode[chroma.Chroma](o.w.t, before).Status
	}
	of := decode[chroma.Chroma](o.w.t, after)
	t := o.truths[types.UID(of.Status.ClaimUID)]
	if t == nil || maps.Equal(was.DataVersions, of.Status.DataVersions) {
		return
	}
	for product, number := range of.Status.DataVersions {
		version, err := compatibility.ParseVersion(product, number)
		if err != nil || was.DataVersions[product] == number {
			continue
		}
		question := compatibility.Question{Data: t.Data, Wanted: version, Overrides: compatibility.OverridesOf(of.GetAnnotations())}
		if compatibility.Judge(question).Allowed {
			t.granted[version] = true
		}
	}
}

// forget what nothing tells any more: an edit by hand counts from the first pass that observes it, and is on the claim when
// the provider has written it there. Until then the status and the ledger Object have it, which a successor reads while it
// waits for them to go. What our own Pods have run is on the claim before.
func (o *oracle) forget() {
	claim := o.w.claim("demo")
	if claim == nil {
		return
	}
	t, record := o.truths[claim.GetUID()], records(nil, claim)
	if t == nil || record.Unknown {
		return
	}
	uid := string(claim.GetUID())
	for _, of := range o.w.xrs() {
		if told := ledger.FromStatus(of.Status); told != nil && told.ClaimUID == uid && told.Serial > record.Serial {
			return
		}
	}
	if object := o.w.Get(simulatorKindObject(), namespace, chroma.LedgerObjectName("demo")); object != nil {
		manifest := objects.Manifest(object)
		if manifest.GetUID() == claim.GetUID() && ledger.FromAnnotations(uid, manifest.GetAnnotations()).Serial > record.Serial {
			return
		}
	}
	for product, version := range t.ours {
		if highest, ok := record.Versions[product]; !ok || version.NewerThan(highest) {
			return
		}
	}
	ahead := t.Ahead
	t.Data = copied(record.Data())
	t.Ahead = slices.DeleteFunc(t.Ahead, func(product chroma.Product) bool { return !slices.Contains(ahead, product) })
}

// passed is called when a pass came to its end: what it observed counts now.
func (o *oracle) passed() {
	for uid, t := range o.truths {
		if len(t.unseen) > 0 && t.unseen[o.seen.read().pod] {
			delete(t.unseen, o.seen.pod)
			version, product := versionOf(o.seen.pod.image)
			if product == o.seen.last() {
				t.Last = product // What is recorded counts as run: this is no other product.
			}
			o.open(uid, o.seen.pod.pod, version, product, false)
		}
	}
}

// last product that the records named which the pass saw.
func (p *observedPass) last() chroma.Product {
	if p.read().claim == nil || p.chroma == nil {
		return ""
	}
	return records(p.chroma.DeepCopy(), p.claim).Last
}

// declared is called when a declaration has ended an incident: a person's word on what ran.
func (o *oracle) declared(of *chroma.Chroma) {
	t := o.truths[types.UID(of.Status.ClaimUID)]
	if t == nil {
		t = newTruth() // No server has opened it yet.
		o.truths[types.UID(of.Status.ClaimUID)] = t
	}
	t.Unknown, t.Incident, t.Last = false, "", of.Status.DataProduct
	t.settled[o.seen.read().pod] = true
	delete(t.unseen, o.seen.pod)
	t.Ahead = slices.DeleteFunc(t.Ahead, func(ahead chroma.Product) bool { return ahead == t.Last })
	if t.erased {
		unnamed := func(product chroma.Product, _ compatibility.Version) bool {
			return of.Status.DataVersions[product] == ""
		}
		maps.DeleteFunc(t.Versions, unnamed)
		maps.DeleteFunc(t.ours, unnamed)
		t.erased = o.lacks(of.Status.ClaimUID, t.Versions) // A status that goes before the provider has written it takes it along.
	}
	for product, number := range of.Status.DataVersions {
		version, err := compatibility.ParseVersion(product, number)
		if highest, ok := t.Versions[product]; err == nil && (!ok || version.NewerThan(highest)) {
			t.Versions[product] = version
		}
	}
}

// lacks tells whether the claim does not name the versions.
func (o *oracle) lacks(uid string, versions map[chroma.Product]compatibility.Version) bool {
	claim := o.w.claim("demo")
	if claim == nil || string(claim.GetUID()) != uid {
		return false
	}
	named := records(nil, claim).Versions
	for product := range versions {
		if _, is := named[product]; !is {
			return true
		}
	}
	return false
}

// open the data of a claim, as far as other Pods were composed on it, too.
func (o *oracle) open(uid, pod types.UID, version compatibility.Version, product chroma.Product, ours bool) {
	open(&o.truths[uid].Data, version, product, ours)
	for other, composed := range o.composed {
		if composed.claim == uid && other != pod {
			open(&composed.data, version, product, ours)
		}
	}
}

// open takes in one opening.
func open(data *compatibility.Data, version compatibility.Version, product chroma.Product, ours bool) {
	if version.IsZero() {
		data.Unknown, data.Incident = true, "truth"
		return
	}
	if !ours && product != data.Last && data.Last != "" {
		data.Unknown, data.Incident = true, "truth"
	}
	if highest, ok := data.Versions[product]; !ok || version.NewerThan(highest) {
		data.Versions[product] = version
		if ours && !slices.Contains(data.Ahead, product) {
			data.Ahead = append(data.Ahead, product)
		}
	}
	data.Last = product
}

// rebase the truth of the claim that is there on what the records say.
func (o *oracle) rebase() {
	clear(o.truths)
	clear(o.pinned)
	var holder *chroma.Chroma
	for _, of := range o.w.xrs() {
		if of.Status.ClaimUID != "" {
			o.pinned[of.GetUID()] = of.Status.ClaimUID
		}
		if claim := o.w.claim("demo"); claim != nil && of.Status.ClaimUID == string(claim.GetUID()) {
			holder = of
		}
	}
	for _, composed := range o.composed {
		composed.restored = true
	}
	for uid, volume := range o.w.Volumes() {
		t := newTruth()
		t.openings = len(volume.Openings)
		if claim := o.w.claim("demo"); claim != nil && string(claim.GetUID()) == uid {
			t.Data = copied(records(holder, claim).Data())
			for _, version := range t.Versions {
				t.granted[version] = true
			}
			// A record that is known has taken in, or a person has declared, what was restored with it.
			if pod := o.w.Get(kindPod, namespace, "demo-1"); pod != nil && !t.Unknown {
				t.settled[sighting{pod: pod.GetUID(), image: decode[corev1.Pod](o.w.t, pod).Spec.Containers[0].Image}] = true
			}
		}
		o.truths[types.UID(uid)] = t
	}
}
