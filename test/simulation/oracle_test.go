package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/image"
	"github.com/function-chroma/function-chroma/function/ledger"
	"github.com/function-chroma/function-chroma/function/observe"
	"github.com/function-chroma/function-chroma/function/previous"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/simulator/store"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

// oracle holds the invariants after every single write. It knows the truth of every volume, which the function does not.
type oracle struct {
	w        *world
	truths   map[types.UID]*truth
	composed map[types.UID]*composedPod
	// accepted claims: a person's word that an empty claim is wanted.
	accepted map[string]bool
	// pinned is the last claim that the status of an XR named.
	pinned map[types.UID]string
	// foreign objects, which belong to somebody else.
	foreign map[types.UID]bool
	// seen is what the pass observed that wrote last; passes has the last one of each Chroma.
	seen   *observedPass
	passes map[types.UID]*observedPass
	// stale says that caches may be behind: what the function saw need not be what was there.
	stale bool
	// muted while the cluster is restored.
	muted bool
	// violations of the invariants.
	violations []string
}

// observedPass is what the last call of the function saw.
type observedPass struct {
	// request of the call. Most are never looked into: reading one costs as much as answering it.
	request *fnv1.RunFunctionRequest
	// xr is the UID of the Chroma.
	xr types.UID
	at time.Time
	// chroma, claim and pod are read from the request when they are asked for first.
	chroma *chroma.Chroma
	claim  *corev1.PersistentVolumeClaim
	pod    sighting

	// What was really there at that time.

	// ending is the Pod of our name, if it was being deleted.
	ending types.UID
	// doomed is the claim, if it was being deleted or goes with an owner that is gone.
	doomed types.UID
	// manifest is the claim that the manifest of one of the Objects named already.
	manifest string
	// away are the nodes that did not answer.
	away map[string]bool
	// onItsWay is the claim in the ledger Object, nil without one.
	onItsWay *unstructured.Unstructured
	// classes of priority that were there.
	classes map[string]bool
	// theirs are the objects of others that were there.
	theirs map[types.UID]bool
}

// read the request.
func (p *observedPass) read() *observedPass {
	if p.chroma != nil || p.request == nil {
		return p
	}
	p.chroma = &chroma.Chroma{}
	request, err := observe.Request(p.request, settings.Settings{}, p.at)
	if err != nil {
		return p
	}
	into(request.XR, p.chroma)
	pod := request.Observed[chroma.RolePod]
	if pod == nil {
		pod = request.Required["pod"].Object()
	}
	// The Pod of a predecessor is waited for, not looked into.
	if pod != nil && (metav1.GetControllerOf(pod) == nil || metav1.GetControllerOf(pod).UID == p.chroma.GetUID()) {
		typed := &corev1.Pod{}
		if into(pod, typed) && len(typed.Spec.Containers) > 0 {
			p.pod = sighting{pod: typed.GetUID(), image: typed.Spec.Containers[0].Image}
		}
	}
	if found := request.Required["claim"].Object(); found != nil {
		claim := &corev1.PersistentVolumeClaim{}
		if into(found, claim) {
			p.claim = claim
		}
	}
	return p
}

func into(from *unstructured.Unstructured, typed any) bool {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, typed) == nil
}

func newOracle(w *world) *oracle {
	return &oracle{
		w: w, truths: map[types.UID]*truth{}, composed: map[types.UID]*composedPod{}, accepted: map[string]bool{},
		pinned: map[types.UID]string{}, foreign: map[types.UID]bool{}, seen: &observedPass{}, passes: map[types.UID]*observedPass{},
	}
}

// asked is called when the function is.
func (o *oracle) asked(req *fnv1.RunFunctionRequest) {
	xr := fieldAt(req.GetObserved().GetComposite().GetResource(), "metadata").GetFields()["uid"].GetStringValue()
	o.seen = &observedPass{request: req, xr: types.UID(xr), at: o.w.Now()}
	o.passes[o.seen.xr] = o.seen
	o.look()
	annotations := fieldAt(req.GetObserved().GetComposite().GetResource(), "metadata", "annotations")
	if annotations.GetFields()[chroma.AnnotationAllowProductChange].GetStringValue() != chroma.AnnotationTrue {
		return
	}
	if claim := o.w.Get(kindClaim, namespace, "demo-1"); claim != nil && o.truths[claim.GetUID()] != nil {
		o.truths[claim.GetUID()].words[fieldAt(req.GetObserved().GetComposite().GetResource(), "spec").GetFields()["image"].GetStringValue()] = true
	}
}

func fieldAt(s *structpb.Struct, path ...string) *structpb.Struct {
	for _, name := range path {
		s = s.GetFields()[name].GetStructValue()
	}
	return s
}

// recall what the pass has seen that wrote an object: passes of two Chromas can be at work at the same time.
func (o *oracle) recall(objects ...*unstructured.Unstructured) {
	for _, object := range objects {
		if object == nil {
			continue
		}
		uid := object.GetUID()
		if controller := metav1.GetControllerOf(object); controller != nil {
			uid = controller.UID
		}
		if pass, known := o.passes[uid]; known {
			o.seen = pass
			return
		}
	}
}

// look at what is really there when the function is asked.
func (o *oracle) look() {
	if pod := o.w.Get(kindPod, namespace, "demo-1"); pod != nil && pod.GetDeletionTimestamp() != nil {
		o.seen.ending = pod.GetUID()
	}
	if claim := o.w.Get(kindClaim, namespace, "demo-1"); claim != nil {
		gone := slices.ContainsFunc(claim.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return o.w.Store().ByUID(owner.UID) == nil })
		if claim.GetDeletionTimestamp() != nil || gone {
			o.seen.doomed = claim.GetUID()
		}
	}
	for _, name := range []string{"demo-ledger", "demo-claim"} { // The claim's Object outdoes the one of the record.
		object := o.w.Get(simulatorKindObject(), namespace, name)
		if object == nil || !controlledBy(object, o.seen.xr) {
			continue
		}
		if uid, named, _ := unstructured.NestedString(object.Object, "spec", "forProvider", "manifest", "metadata", "uid"); named {
			o.seen.manifest = uid
		}
	}
	if object := o.w.Get(simulatorKindObject(), namespace, chroma.LedgerObjectName("demo")); object != nil {
		o.seen.onItsWay = objects.Manifest(object)
	}
	o.seen.theirs = maps.Clone(o.foreign)
	o.seen.classes = map[string]bool{}
	for _, class := range o.w.Store().List(kindPriorityClass, "") {
		o.seen.classes[class.GetName()] = true
	}
	o.seen.away = map[string]bool{}
	for _, node := range o.w.Store().List(corev1.SchemeGroupVersion.WithKind("Node"), "") {
		status, _, _ := simulator.Condition(node, "Ready")
		taints, _, _ := unstructured.NestedSlice(node.Object, "spec", "taints")
		out := slices.ContainsFunc(taints, func(taint any) bool { return taint.(map[string]any)["key"] == corev1.TaintNodeOutOfService })
		o.seen.away[node.GetName()] = status != "True" && !out
	}
}

func (o *oracle) violatef(invariant int, format string, args ...any) {
	o.violations = append(o.violations, fmt.Sprintf("invariant %d at %s: ", invariant, o.w.Now().Format("15:04:05.000"))+fmt.Sprintf(format, args...))
}

// changed is called after every single write.
func (o *oracle) changed(c store.Change) {
	if o.muted {
		return
	}
	o.recall(c.After, c.Before)
	switch c.Key.GVK.Kind {
	case "Pod":
		o.podChanged(c)
	case "PersistentVolumeClaim":
		o.claimChanged(c)
	case "Object":
		o.objectChanged(c)
	case kindChroma.Kind, kindXChroma.Kind:
		o.statusChanged(c)
	}
	// The provider looks after the Objects of everybody.
	if c.Before != nil && o.foreign[c.Before.GetUID()] && (c.Actor == "crossplane" || (c.Actor == "provider-kubernetes" && c.Key.GVK.Kind != "Object")) {
		// Crossplane creates with a server-side apply, which takes what has come to a name since the function was asked.
		if !o.stale && (c.Actor != "crossplane" || o.seen.theirs[c.Before.GetUID()]) {
			o.violatef(8, "%s wrote to %s, which belongs to somebody else", c.Actor, c.Key)
		}
		delete(o.foreign, c.Before.GetUID()) // The name was free as far as anybody could see, and what is applied to it is ours.
	}
	opened := false
	for uid, volume := range o.w.Volumes() {
		o.oneServer(uid, volume)
		opened = o.openings(types.UID(uid), volume) || opened
	}
	if kind := c.Key.GVK.Kind; opened || kind == "PersistentVolumeClaim" || kind == kindChroma.Kind || kind == kindXChroma.Kind {
		o.recorded()
	}
}

// oneServer is invariant 1: never two running servers on one volume, among Pods whose deletion nobody forced.
func (o *oracle) oneServer(uid string, volume *simulator.Volume) {
	running := 0
	for _, opening := range volume.Running() {
		if !opening.Forced {
			running++
		}
	}
	if running > 1 {
		o.violatef(1, "%d servers run on the volume of claim %s", running, uid)
	}
}

// podChanged notes what we composed, and holds invariants 1, 3, 4 and 5 when we write to a Pod.
func (o *oracle) podChanged(c store.Change) {
	o.ready(c)
	if c.Actor != "crossplane" {
		return
	}
	switch c.Outcome {
	case store.OutcomeCreated:
		if o.seen.ending != "" && !o.stale {
			o.violatef(1, "a Pod was composed before Pod %s had ended", o.seen.ending)
		}
		// One that was kept, and has gone before the write, is created again: a resourceVersion does not stop that, and a UID
		// would make Crossplane write for ever (PROTOCOL-VERIFIED 4 and 5).
		if o.seen.doomed != "" && !o.stale && o.seen.read().pod.pod == "" {
			o.violatef(4, "a Pod was composed on claim %s, which is on its way out", o.seen.doomed)
		}
		// The webhook may have rewritten the image: what we asked for stands in our annotation.
		o.compose(c.After.GetUID(), c.After.GetAnnotations()[chroma.AnnotationWantedImage], compatibility.OverridesOf(o.seen.read().chroma.GetAnnotations()))
	case store.OutcomeMarked, store.OutcomeRemoved:
		o.stopped(c)
	case store.OutcomeUpdated:
		o.podWritten(c)
	}
}

// podWritten is called when Crossplane writes to a Pod that is there.
func (o *oracle) podWritten(c store.Change) {
	taken := c.Before.GetLabels()[labelComposite] == "" && c.After.GetLabels()[labelComposite] != ""
	if o.seen.ending == c.Before.GetUID() && taken {
		if !o.stale {
			o.violatef(1, "a Pod was composed onto Pod %s, which is ending", o.seen.ending)
		}
		return // It was composed anew: no image starts in a Pod that ends.
	}
	if !composedImage(c.Before) && composedImage(c.After) {
		o.violatef(3, "an edit of the image by hand was undone on a running Pod")
	}
}

// labelComposite is on every object that Crossplane composes; it takes it off before it deletes one.
const labelComposite = "crossplane.io/composite"

func controlledBy(object metav1.Object, uid types.UID) bool {
	controller := metav1.GetControllerOf(object)
	return controller != nil && controller.UID == uid
}

// composedImage tells whether the image of a Pod belongs to us.
func composedImage(pod *unstructured.Unstructured) bool {
	return slices.ContainsFunc(simulator.ImageManagers(pod), func(manager string) bool { return strings.HasPrefix(manager, previous.ManagerPrefix) })
}

// ready takes in that a server has opened and migrated its data.
func (o *oracle) ready(c store.Change) {
	if c.After == nil || !composedImage(c.After) {
		return
	}
	if status, _, _ := simulator.Condition(c.After, "Ready"); status != "True" {
		return
	}
	for uid, volume := range o.w.Volumes() {
		t := o.truths[types.UID(uid)]
		if t == nil || len(volume.Openings) == 0 || volume.Openings[len(volume.Openings)-1].Pod != c.After.GetUID() {
			continue
		}
		_, product := versionOf(volume.Openings[len(volume.Openings)-1].Image)
		t.Ahead = slices.DeleteFunc(t.Ahead, func(ahead chroma.Product) bool { return ahead == product })
	}
}

// objectChanged is invariant 4: what holds the claim is never let go.
func (o *oracle) objectChanged(c store.Change) {
	if c.After == nil {
		o.forget()
	}
	if c.Outcome == store.OutcomeUpdated || c.Actor != "crossplane" || c.Before == nil || c.Before.GetDeletionTimestamp() != nil {
		return
	}
	// One that names no claim yet holds none.
	if uid, _, _ := unstructured.NestedString(c.Before.Object, "spec", "forProvider", "manifest", "metadata", "uid"); uid != "" {
		o.violatef(4, "Crossplane let go of Object %s", c.Key.Name)
	}
}

// statusChanged is invariant 4: a claim on its way out is not taken.
func (o *oracle) statusChanged(c store.Change) {
	if c.After == nil {
		o.forget()
		return
	}
	o.grant(c.Before, c.After)
	uid, _, _ := unstructured.NestedString(c.After.Object, "status", "claimUID")
	before := ""
	if c.Before != nil {
		before, _, _ = unstructured.NestedString(c.Before.Object, "status", "claimUID")
	}
	if uid == "" {
		return
	}
	o.pinned[c.After.GetUID()] = uid
	if before == "" && o.seen.doomed == types.UID(uid) && o.seen.manifest != uid && !o.stale {
		o.violatef(4, "claim %s was taken although it is on its way out", uid)
	}
}

// stopped is called when Crossplane deletes a Pod.
func (o *oracle) stopped(c store.Change) {
	pod := decode[corev1.Pod](o.w.t, c.Before)
	if pod.Status.Phase != corev1.PodRunning || pod.GetDeletionTimestamp() != nil {
		return // No server runs in it.
	}
	claim, of := o.seen.read().claim, o.seen.chroma
	if claim == nil || of == nil {
		o.violatef(5, "a Pod was stopped although its claim was not seen")
		return
	}
	if claim.GetDeletionTimestamp() != nil {
		o.violatef(4, "a Pod was stopped while its claim terminates")
	}
	merged := ledger.Merge(ledger.FromStatus(of.Status), ledger.FromAnnotations(string(claim.GetUID()), claim.GetAnnotations()))
	wanted := of.Spec.Image
	if wanted == "" {
		wanted = of.Status.DefaultImage
	}
	release, refusal := image.Resolve(wanted, of.Spec.Product, defaultAllowed())
	if refusal != nil {
		o.violatef(5, "a Pod was stopped for %s, which is refused: %s", wanted, refusal.Message)
		return
	}
	if class := of.Spec.PriorityClassName; class != "" && !o.seen.classes[class] {
		o.violatef(5, "a Pod was stopped for one of a class that does not exist")
	}
	record := merged.Record.Declare(of.GetAnnotations()[chroma.AnnotationDeclaredDataVersion]).Record
	verdict := compatibility.Judge(compatibility.Question{Data: record.Data(), Wanted: release.Version, Overrides: compatibility.OverridesOf(of.GetAnnotations())})
	if !verdict.Allowed {
		o.violatef(5, "a Pod was stopped for %s, which is refused: %s", wanted, verdict.Message)
	}
	if !merged.Agreed || !record.Covers(release.Version) {
		o.violatef(5, "a Pod was stopped for %s before that was recorded in both places", wanted)
	}
	if o.seen.away[pod.Spec.NodeName] && !o.stale {
		o.violatef(1, "a Pod was stopped on node %s, which does not answer", pod.Spec.NodeName)
	}
}

// claimChanged is invariant 4: a claim under Retain is never deleted by us, Crossplane or the provider, nor replaced by an
// empty one.
func (o *oracle) claimChanged(c store.Change) {
	switch c.Outcome {
	case store.OutcomeMarked, store.OutcomeRemoved:
		if c.Actor == "crossplane" || c.Actor == "provider-kubernetes" {
			o.violatef(4, "%s deleted a claim", c.Actor)
		}
		dying := o.w.Get(kindNamespace(), "", namespace)
		dies := dying == nil || dying.GetDeletionTimestamp() != nil
		if c.Actor == "garbage-collector" && len(c.Before.GetOwnerReferences()) == 0 && c.Before.GetDeletionTimestamp() == nil && !dies {
			o.violatef(4, "a claim without an owner was collected")
		}
	case store.OutcomeCreated:
		if c.Actor != "provider-kubernetes" {
			return
		}
		object := o.w.Get(simulatorKindObject(), namespace, "demo-claim")
		if object == nil || metav1.GetControllerOf(object) == nil {
			return
		}
		if lost := o.pinned[metav1.GetControllerOf(object).UID]; o.truths[types.UID(lost)] != nil && !o.accepted[lost] {
			o.violatef(4, "the lost claim %s was replaced by an empty one", lost)
		}
	case store.OutcomeUpdated:
	}
}

// recorded is invariant 3: both records together are never below what our own Pods have run, or say unknown.
func (o *oracle) recorded() {
	claim := o.w.claim("demo")
	if claim == nil {
		return
	}
	t := o.truths[claim.GetUID()]
	if t == nil || len(t.ours) == 0 {
		return
	}
	var merged ledger.Record
	for _, of := range append(o.w.xrs(), nil) {
		merged = records(of, claim)
		below := func(product chroma.Product) bool {
			highest, ok := merged.Versions[product]
			return !ok || t.ours[product].NewerThan(highest)
		}
		if merged.Unknown || !slices.ContainsFunc(slices.Collect(maps.Keys(t.ours)), below) {
			return
		}
	}
	o.violatef(3, "the records say %v, and %v have run", merged.Versions, t.ours)
}

// versionOf an image, zero when it has none.
func versionOf(text string) (compatibility.Version, chroma.Product) {
	parsed, err := image.Parse(strings.Replace(text, "mirror.example.org", "docker.io", 1))
	if err != nil {
		return compatibility.Version{}, ""
	}
	product, refusal := image.Product(parsed, "")
	if refusal != nil {
		return compatibility.Version{}, ""
	}
	version, _ := image.ExactVersion(parsed, product)
	return version, product
}

func defaultAllowed() image.AllowList {
	list, err := image.ParseAllowList(image.DefaultRepositories())
	if err != nil {
		panic(err)
	}
	return list
}

// records in both places, together. The schema does not matter for what they say.
func records(of *chroma.Chroma, claim *corev1.PersistentVolumeClaim) ledger.Record {
	annotations := maps.Clone(claim.GetAnnotations())
	delete(annotations, chroma.AnnotationDataSchema)
	var status *ledger.Record
	if of != nil {
		of.Status.DataSchema = 0
		status = ledger.FromStatus(of.Status)
	}
	return ledger.Merge(status, ledger.FromAnnotations(string(claim.GetUID()), annotations)).Record
}
