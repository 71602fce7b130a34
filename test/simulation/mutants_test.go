package simulation

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/apis/definition"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/ledger"
	"github.com/function-chroma/function-chroma/function/observe"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/respond"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/simulator"
	"github.com/function-chroma/function-chroma/function/singlenode"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

// A mutant is the function with one mistake: in what it sees, in what it decides or in what it answers.
type mutant struct {
	reason string
	// invariant that finds it.
	invariant int
	// world, decision and answer make the mistake.
	world    func(*singlenode.World)
	decision func(singlenode.World, *singlenode.Decision)
	answer   func(singlenode.World, *pass.Answer)
	// story leads to it. The unmutated function comes through it without a violation.
	story func(*run)
}

// mistaken is the function as composition.Function conducts it, with a mutant's mistake.
type mistaken struct {
	mutant

	defaults definition.Defaults
	now      func() time.Time
}

// RunFunction with the mistake.
func (f *mistaken) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	with, err := settings.Parse(observe.Input(req), settings.Environment{})
	if err != nil {
		return nil, err
	}
	request, err := observe.Request(req, with, f.now())
	if err != nil {
		return nil, err
	}
	f.defaults.Default(request.XR.Object)
	w, err := singlenode.Observe(request)
	if err != nil {
		return nil, err
	}
	if f.world != nil {
		f.world(&w)
	}
	d, err := singlenode.Decide(w)
	if err != nil {
		return nil, err
	}
	if f.decision != nil {
		f.decision(w, &d)
	}
	answer, err := singlenode.Compose(w, d)
	if err != nil {
		return nil, err
	}
	if f.answer != nil {
		f.answer(w, &answer)
	}
	return respond.To(req, request, answer)
}

func (m mutant) function(r *run) simulator.Function {
	defaults, err := definition.NewDefaults()
	if err != nil {
		panic(err)
	}
	return &mistaken{mutant: m, defaults: defaults, now: func() time.Time { return r.Now() }}
}

// A finding is what a story or its rest came to.
type finding struct{ message string }

func (f *finding) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	panic(f)
}

// live through a story and come to rest, and return what was found: empty when all invariants held.
func (r *run) live(story func(*run)) (found string) {
	defer func() {
		switch failed := recover().(type) {
		case nil:
		case *finding:
			found = failed.message
		default:
			panic(failed)
		}
	}()
	story(r)
	r.check(&finding{})
	r.rest(&finding{}, &choice{rand.New(rand.NewPCG(1, 1))})
	return ""
}

// Steps of the stories.

// create the Chroma with an image, and let it get Ready.
func (r *run) create(image string) {
	r.spec.Spec.Image = image
	r.createXR(nil)
	r.Advance(3 * time.Minute)
}

// ask for another image. It tells whether it is another one.
func (r *run) ask(image string) bool {
	if r.spec.Spec.Image == image {
		return false
	}
	r.spec.Spec.Image = image
	return r.applySpec()
}

// recreate the Chroma with another image, once the first is gone or at once.
func (r *run) recreate(image string, pause time.Duration) {
	r.must(r.Delete(kindChroma, namespace, "demo", metav1.DeletePropagationBackground))
	r.Until(500, func() bool { return !r.exists() })
	r.Advance(pause)
	r.spec.Spec.Image = image
	r.createXR(nil)
	r.Advance(3 * time.Minute)
}

// lose the claim, while nobody looks.
func (r *run) lose() {
	r.SetFunctionDown(true)
	r.deleteClaim(nil)
	r.deletePod(nil)
	r.Advance(time.Minute)
}

// restore a claim with data that a version has opened.
func (r *run) restore(labels map[string]any, version string) {
	r.must(r.Apply(foreign(labels, map[string]any{chroma.AnnotationDataVersion: version})))
	parsed, err := compatibility.ParseVersion(chroma.ProductChroma, version)
	r.must(err)
	t := newTruth()
	open(&t.Data, parsed, chroma.ProductChroma, false)
	r.oracle.truths[r.claim("demo").GetUID()] = t
}

func handedOver() map[string]any {
	return map[string]any{chroma.LabelChroma: "demo", chroma.LabelManagedBy: chroma.ManagedByOperator}
}

func olderAsked(r *run) {
	r.create(image159)
	r.ask(image158)
	r.Advance(3 * time.Minute)
}

func newerAsked(r *run) {
	r.create(image158)
	r.ask(image159)
	r.Advance(3 * time.Minute)
}

func recreatedOlder(r *run) {
	r.create(image159)
	r.recreate(image158, time.Minute)
}

func claimDeleted(r *run) {
	r.create(image158)
	r.deleteClaim(nil)
	r.Advance(time.Minute)
	r.ask(image159)
	r.Advance(3 * time.Minute)
}

func claimLost(r *run) {
	r.create(image159)
	r.lose()
	r.SetFunctionDown(false)
	r.Advance(15 * time.Minute)
}

// Pieces of the mistakes.

func has(d *singlenode.Decision, because reason.Reason) bool {
	return slices.ContainsFunc(d.Conditions, func(c pass.Condition) bool { return c.Reason == because })
}

func blocked(answer *pass.Answer) bool {
	return slices.ContainsFunc(answer.Conditions, func(c pass.Condition) bool { return c.Type == reason.UpgradeBlocked && c.Status == pass.True })
}

func without(answer *pass.Answer, roles ...string) {
	answer.Objects = slices.DeleteFunc(answer.Objects, func(o pass.Object) bool { return slices.Contains(roles, o.Role) })
}

// editClaim changes a copy of the claim that the function sees.
func editClaim(w *singlenode.World, change func(*corev1.PersistentVolumeClaim)) {
	if claim := w.Found.Claim.One(); claim != nil {
		claim = claim.DeepCopy()
		change(claim)
		w.Found.Claim.Items = []*corev1.PersistentVolumeClaim{claim}
	}
}

// repin has the observed manifest of the claim name another UID, none when it is empty.
func repin(w *singlenode.World, uid string) {
	if w.Composed.ClaimObject == nil {
		return
	}
	w.Composed.ClaimObject = w.Composed.ClaimObject.DeepCopy()
	unstructured.RemoveNestedField(w.Composed.ClaimObject.Object, "spec", "forProvider", "manifest", "metadata", "uid")
	if uid != "" {
		_ = unstructured.SetNestedField(w.Composed.ClaimObject.Object, uid, "spec", "forProvider", "manifest", "metadata", "uid")
	}
}

func recordKeys() []string {
	return []string{
		chroma.AnnotationDataVersion, chroma.AnnotationDataProduct, chroma.AnnotationDataVersionUnknown, chroma.AnnotationDataRecord,
		chroma.AnnotationDataVersions, chroma.AnnotationDataSchema, chroma.AnnotationDataAhead, chroma.AnnotationRecoveryImage, chroma.AnnotationDataIncidentsSettled,
	}
}

// vanish a Pod that is being deleted.
func vanish(w *singlenode.World) {
	ending := func(pod *corev1.Pod) bool { return pod.GetDeletionTimestamp() != nil }
	w.Found.Pod.Items = slices.DeleteFunc(slices.Clone(w.Found.Pod.Items), ending)
	w.Found.Neighbours.Items = slices.DeleteFunc(slices.Clone(w.Found.Neighbours.Items), ending)
	if w.Composed.Pod != nil && w.Composed.Pod.GetDeletionTimestamp() != nil {
		w.Composed.Pod = nil
	}
}

// predecessors is whether an object has an owner that is not this XR.
func predecessors(w *singlenode.World, object metav1.Object) bool {
	return slices.ContainsFunc(object.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return owner.UID != w.Chroma.GetUID() })
}

func forget[T any, P interface {
	*T
	metav1.Object
}](w *singlenode.World, reply *singlenode.Reply[T]) {
	reply.Items = slices.DeleteFunc(slices.Clone(reply.Items), func(item *T) bool { return predecessors(w, P(item)) })
}

func mutants() map[string]mutant {
	return map[string]mutant{
		"SkipTheWriteAhead": {
			reason: "A Pod is composed, and what it runs is written down nowhere.", invariant: 3, story: newerAsked,
			decision: func(w singlenode.World, d *singlenode.Decision) {
				waiting := has(d, reason.LedgerPending) || has(d, reason.ClaimPending) && w.Found.Claim.One() != nil
				if waiting && w.Composed.Pod == nil && w.Found.Pod.Absent() {
					d.Pod, d.Ledger.Action = singlenode.PodPlan{Action: singlenode.Apply, Image: w.Chroma.Spec.Image}, singlenode.Keep
					d.Status.DataRecord, d.Status.DataVersion, d.Status.DataProduct, d.Status.DataVersions = "", "", "", nil
				}
			},
		},
		"StopBeforeItIsRecorded": {
			reason: "The running Pod is left out before the record of what follows is in both places.", invariant: 5, story: newerAsked,
			decision: func(w singlenode.World, d *singlenode.Decision) {
				if has(d, reason.LedgerPending) && w.Composed.Pod != nil {
					d.Pod = singlenode.PodPlan{Action: singlenode.LeaveOut}
				}
			},
		},
		"ReplaceBeforeTheOldPodIsGone": {
			reason: "A Pod that is ending counts as gone.", invariant: 1, story: newerAsked, world: vanish,
		},
		"KeepATerminatingPod": {
			reason: "The previous intent of a Pod that somebody deletes is sent back: applied late, it makes the Pod again.", invariant: 1,
			story: func(r *run) {
				r.create(image159)
				r.HoldNextPass(20 * time.Second)
				r.deletePod(nil)
				r.Advance(3 * time.Minute)
			},
			answer: func(w singlenode.World, a *pass.Answer) {
				if w.Composed.Pod != nil && w.Composed.Pod.GetDeletionTimestamp() != nil {
					a.Objects = append(a.Objects, pass.Object{Role: chroma.RolePod, Manifest: w.Intent})
				}
			},
		},
		"ForgetTheClaimsUID": {
			reason: "A manifest without the UID of the claim makes a new, empty one in place of a lost one.", invariant: 4, story: claimLost,
			world: func(w *singlenode.World) {
				if w.Chroma.Status.ClaimUID != "" {
					repin(w, w.Chroma.Status.ClaimUID)
				}
			},
			decision: func(_ singlenode.World, d *singlenode.Decision) { d.Claim.Claim.UID = "" },
			answer: func(_ singlenode.World, a *pass.Answer) {
				for _, object := range a.Objects {
					if manifest, ok := object.Manifest.(map[string]any); ok && object.Role == chroma.RoleClaim {
						unstructured.RemoveNestedField(manifest, "spec", "forProvider", "manifest", "metadata", "uid")
					}
				}
			},
		},
		"ForgetTheNamespaceOfTheRequiredPod": {
			reason:    "Without a namespace Crossplane answers that there is no such Pod, even while it ends, and only the question for neighbours is left to find it.",
			invariant: 1, story: newerAsked,
			world: func(w *singlenode.World) {
				w.Found.Neighbours.Items = slices.DeleteFunc(slices.Clone(w.Found.Neighbours.Items), func(pod *corev1.Pod) bool { return pod.GetDeletionTimestamp() != nil })
			},
			decision: func(_ singlenode.World, d *singlenode.Decision) {
				for name, requirement := range d.Requirements {
					if requirement.Kind == "Pod" && requirement.Name != "" {
						requirement.Namespace = ""
						d.Requirements[name] = requirement
					}
				}
			},
		},
		"ForgetTheNamespaceOfTheRequiredClaim": {
			reason: "Without a namespace Crossplane answers that there is no such claim: it is never seen.", invariant: 7, story: newerAsked,
			decision: func(_ singlenode.World, d *singlenode.Decision) {
				for name, requirement := range d.Requirements {
					if requirement.Kind == "PersistentVolumeClaim" {
						requirement.Namespace = ""
						d.Requirements[name] = requirement
					}
				}
			},
		},
		"ForgetTheResourceVersionOnKeep": {
			reason: "An edit by hand that falls into a running pass is undone, and nobody has seen it.", invariant: 3,
			story: func(r *run) {
				r.create(image158)
				for range 8 { // The order of the writes in a pass is random.
					r.editAtFirstWrite(image159)
					r.Advance(3 * time.Minute)
					r.ask(image159)
					r.Advance(3 * time.Minute)
				}
			},
			answer: func(_ singlenode.World, a *pass.Answer) {
				for _, object := range a.Objects {
					if manifest, ok := object.Manifest.(map[string]any); ok && object.Role == chroma.RolePod {
						unstructured.RemoveNestedField(manifest, "metadata", "resourceVersion")
					}
				}
			},
		},
		"SendTheWholeIntentOnKeep": {
			reason: "Sending all that we want takes an image that somebody has edited back by force.", invariant: 3,
			story: func(r *run) {
				r.create(image158)
				r.must(r.SetImage(namespace, "demo-1", image159))
				r.Advance(3 * time.Minute)
			},
			answer: func(w singlenode.World, a *pass.Answer) {
				for i, object := range a.Objects {
					if object.Role == chroma.RolePod {
						a.Objects[i].Manifest = objects.Pod(w.Chroma, w.Chroma.Spec.Image, chroma.ProductChroma, w.Settings.Security)
					}
				}
			},
		},
		"TrustTheStatusAlone": {
			reason: "The record on the claim is not read: a Chroma that is created again knows nothing.", invariant: 2, story: recreatedOlder,
			world: func(w *singlenode.World) {
				record := ledger.FromStatus(w.Chroma.Status)
				editClaim(w, func(claim *corev1.PersistentVolumeClaim) {
					for _, key := range recordKeys() {
						delete(claim.Annotations, key)
					}
					if record != nil {
						maps.Copy(claim.Annotations, record.Annotations())
					}
				})
			},
		},
		"DropTheClaimOnARefusal": {
			reason: "A refused spec lets go of what holds the claim.", invariant: 4, story: olderAsked,
			answer: func(_ singlenode.World, a *pass.Answer) {
				if blocked(a) {
					without(a, chroma.RoleClaim, chroma.RoleLedger)
				}
			},
		},
		"DropThePodOnARefusal": {
			reason: "A refused spec stops the running server.", invariant: 5, story: olderAsked,
			answer: func(_ singlenode.World, a *pass.Answer) {
				if blocked(a) {
					without(a, chroma.RolePod)
				}
			},
		},
		"OverrideWithoutAWord": {
			reason: "A downgrade that nobody has allowed.", invariant: 5, story: olderAsked,
			world: func(w *singlenode.World) {
				w.Chroma.SetAnnotations(map[string]string{chroma.AnnotationAllowDowngrade: chroma.AnnotationTrue})
			},
		},
		"ReplaceWhileTheClaimTerminates": {
			reason: "The running Pod is all that still holds the claim.", invariant: 4, story: claimDeleted,
			world: func(w *singlenode.World) {
				editClaim(w, func(claim *corev1.PersistentVolumeClaim) { claim.SetDeletionTimestamp(nil) })
			},
		},
		"ForgetThePinnedClaim": {
			reason: "A claim that is not there was never there.", invariant: 4, story: claimLost,
			world: func(w *singlenode.World) {
				if w.Found.Claim.Absent() {
					w.Chroma.Status.ClaimUID = ""
					repin(w, "")
				}
			},
		},
		"CompareTheRecordsOfTwoClaims": {
			reason: "The record of the lost claim outdoes that of the one that was restored.", invariant: 2,
			story: func(r *run) {
				r.create(image158)
				r.lose()
				r.restore(handedOver(), "1.5.9")
				r.SetFunctionDown(false)
				r.Advance(time.Minute)
				r.acceptClaim(nil)
				r.Advance(3 * time.Minute)
			},
			world: func(w *singlenode.World) {
				word, claim := w.Chroma.GetAnnotations()[chroma.AnnotationAcceptClaim], w.Found.Claim.One()
				if claim != nil && word == string(claim.GetUID()) && w.Chroma.Status.ClaimUID != word {
					_, serial, _ := strings.Cut(w.Chroma.Status.DataRecord, "/")
					w.Chroma.Status.ClaimUID, w.Chroma.Status.AcceptedClaim, w.Chroma.Status.DataRecord = word, word, word+"/"+serial
				}
			},
		},
		"ComposeBeforeThePredecessorIsGone": {
			reason: "The claim of a Chroma that was deleted goes with it.", invariant: 4,
			story: func(r *run) {
				r.spec.Spec.PVCDeletionPolicy = chroma.PVCDelete
				r.create(image159)
				r.recreate(image159, 0)
			},
			world: func(w *singlenode.World) {
				forget(w, &w.Found.Pod)
				forget(w, &w.Found.Config)
				forget(w, &w.Found.Service)
				forget(w, &w.Found.ClaimObject)
				forget(w, &w.Found.LedgerObject)
				if w.Composed.LedgerObject == nil {
					w.Ledger = nil
				}
				editClaim(w, func(claim *corev1.PersistentVolumeClaim) {
					claim.SetOwnerReferences(nil)
					claim.SetDeletionTimestamp(nil)
				})
			},
		},
		"AdoptAClaimOfOthers": {
			reason: "A claim without the two labels belongs to somebody else.", invariant: 8,
			story: func(r *run) {
				r.restore(nil, "1.5.8")
				r.oracle.foreign[r.claim("demo").GetUID()] = true
				r.create(image159)
				r.oracle.foreign = nil // It is handed over.
				r.must(r.Label(kindClaim, namespace, "demo-1", chroma.LabelChroma, "demo"))
				r.must(r.Label(kindClaim, namespace, "demo-1", chroma.LabelManagedBy, chroma.ManagedByOperator))
			},
			world: func(w *singlenode.World) {
				editClaim(w, func(claim *corev1.PersistentVolumeClaim) {
					claim.SetLabels(map[string]string{chroma.LabelChroma: "demo", chroma.LabelManagedBy: chroma.ManagedByOperator})
				})
			},
		},
		"TakeOverNamesOfOthers": {
			reason: "Server-side apply takes over what is there.", invariant: 8,
			story: func(r *run) {
				config := &unstructured.Unstructured{Object: map[string]any{
					"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "demo-config", "namespace": namespace}, "data": map[string]any{"mine": "yes"},
				}}
				r.must(r.Apply(config))
				r.oracle.foreign[r.Get(config.GroupVersionKind(), namespace, "demo-config").GetUID()] = true
				r.create(image159)
				r.must(r.Delete(config.GroupVersionKind(), namespace, "demo-config", metav1.DeletePropagationBackground))
			},
			world: func(w *singlenode.World) { w.Found.Config.Items = nil },
		},
		"ForgetThatAVersionIsAhead": {
			reason: "A passage was tried from data that a version itself had opened, and this one was never seen ready.", invariant: 2,
			story: func(r *run) {
				r.create(image158)
				r.SetImageFault(image159, simulator.ImageFault{NeverReady: true})
				r.ask(image159)
				r.Advance(3 * time.Minute)
				r.ask("ghcr.io/vecturadb/vecturadb:1.0.0-preview.2")
				r.Advance(3 * time.Minute)
				r.SetImageFault(image159, simulator.ImageFault{})
			},
			world: func(w *singlenode.World) {
				w.Chroma.Status.DataAhead = nil
				editClaim(w, func(claim *corev1.PersistentVolumeClaim) { delete(claim.Annotations, chroma.AnnotationDataAhead) })
			},
		},
		"IgnoreTheNeighbours": {
			reason: "Another Pod mounts the claim.", invariant: 1,
			story: func(r *run) {
				r.restore(handedOver(), "1.5.8")
				copying := &unstructured.Unstructured{Object: map[string]any{
					"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "copy", "namespace": namespace},
					"spec": map[string]any{
						"containers": []any{map[string]any{"name": "copy", "image": image158}},
						"volumes":    []any{map[string]any{"name": "data", "persistentVolumeClaim": map[string]any{"claimName": "demo-1"}}},
					},
				}}
				r.must(r.Apply(copying))
				r.Advance(time.Minute)
				r.create(image159)
				r.must(r.Delete(kindPod, namespace, "copy", metav1.DeletePropagationBackground))
				r.Advance(time.Minute)
			},
			world: func(w *singlenode.World) { w.Found.Neighbours.Items = nil },
		},
		"IgnoreALostNode": {
			reason: "A server on a node that does not answer may still run.", invariant: 1,
			story: func(r *run) {
				r.create(image158)
				r.SetNodeLost("node-1", true)
				r.Advance(90 * time.Second)
				r.ask(image159)
				r.Advance(3 * time.Minute)
			},
			world: func(w *singlenode.World) {
				for i, node := range w.Found.Node.Items {
					node = node.DeepCopy()
					node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
					w.Found.Node.Items[i] = node
				}
			},
		},
		"ReplaceWithoutAskingForTheClass": {
			reason: "The API refuses a Pod of a class that does not exist, when the one that ran is gone.", invariant: 5,
			story: func(r *run) {
				r.create(image159)
				r.spec.Spec.PriorityClassName = absentClass
				r.applySpec()
				r.Advance(3 * time.Minute)
			},
			world: func(w *singlenode.World) {
				w.Found.PriorityClass = singlenode.Reply[schedulingv1.PriorityClass]{Given: true, Items: []*schedulingv1.PriorityClass{{
					ObjectMeta: metav1.ObjectMeta{Name: w.Chroma.Spec.PriorityClassName},
				}}}
			},
		},
		"StartOnAnUnknownVersion": {
			reason: "Something without a version ran on the data, and nobody has said what.", invariant: 2,
			story: func(r *run) {
				r.create(image159)
				r.must(r.SetImage(namespace, "demo-1", "docker.io/chromadb/chroma:latest"))
				r.Advance(3 * time.Minute)
				r.deletePod(nil)
				r.Advance(3 * time.Minute)
			},
			world: func(w *singlenode.World) {
				w.Chroma.Status.DataVersionUnknown, w.Chroma.Status.DataVersionUnknownIncident = false, ""
				editClaim(w, func(claim *corev1.PersistentVolumeClaim) {
					delete(claim.Annotations, chroma.AnnotationDataVersionUnknown)
				})
			},
		},
		"TellTheTime": {
			reason: "A message that changes starts the next pass, for ever.", invariant: 6, story: newerAsked,
			answer: func(w singlenode.World, a *pass.Answer) {
				for i := range a.Conditions {
					a.Conditions[i].Message += w.Now.String()
				}
			},
		},
		"AnswerAtRandom": {
			reason: "The same request gives other bytes.", invariant: 6, story: newerAsked,
			answer: func(_ singlenode.World, a *pass.Answer) { a.TTL += time.Duration(rand.IntN(1000)) * time.Second },
		},
	}
}

// editAtFirstWrite edits the Pod's image before the first write of the next pass.
func (r *run) editAtFirstWrite(image string) {
	r.InterruptWrites(func(actor string) {
		if actor == "crossplane" {
			r.InterruptWrites(nil)
			_ = r.SetImage(namespace, "demo-1", image)
		}
	})
}

// TestTheHarnessCatchesMistakes lets each mutant live through its story, and asserts that the invariant finds it.
func TestTheHarnessCatchesMistakes(t *testing.T) {
	for name, m := range mutants() {
		t.Run(name, func(t *testing.T) {
			found := newRun(t, 1, m.function).live(m.story)
			if want := fmt.Sprintf("invariant %d", m.invariant); !strings.Contains(found, want) {
				t.Errorf("\n%s\nwant a violation of %s, got:\n%s", m.reason, want, found)
			}
		})
	}
}

// TestTheFunctionComesThroughEveryStory is the other half: the mistakes are found, and not the stories.
func TestTheFunctionComesThroughEveryStory(t *testing.T) {
	for name, m := range mutants() {
		t.Run(name, func(t *testing.T) {
			if found := newRun(t, 1, realFunction).live(m.story); found != "" {
				t.Errorf("\n%s\nthe function itself is found to violate:\n%s", m.reason, found)
			}
		})
	}
}
