// Package singlenode decides what should become of a single-node Chroma. It is pure: World in, Decision out.
//
// The order of the rules is the order of the files' names in Decide: whose names are they (names.go), which claim holds
// the data (claim.go), what has run on it (record.go, edit.go), which image may run (image.go), what becomes of the Pod
// (pod.go), what the API refused (refusal.go), and how all that is told (conditions.go, status.go).
package singlenode

import (
	"cmp"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/previous"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

// A World is what one pass sees of one Chroma and its objects.
type World struct {
	// Chroma under the name and namespace that people know: those of the claim when there is one. Its UID is the XR's.
	Chroma *chroma.Chroma
	// XR is the name and kind of the composite itself, for owner references.
	XR XR

	// Composed objects, as Crossplane observed them.
	Composed Composed
	// Found objects, asked for by name.
	Found Asked
	// ClaimMadeByOthers: the claim found was not made through provider-kubernetes.
	ClaimMadeByOthers bool
	// Intent is what we sent of the Pod before, extracted once. Nil without a Pod, or without managedFields (offline).
	Intent map[string]any

	Settings settings.Settings
	Now      time.Time
	// Ledger is the manifest in the ledger Object: the composed one, or one that has its name. Nil: there is none.
	Ledger *unstructured.Unstructured
}

// XR identifies the composite.
type XR struct {
	APIVersion, Kind, Name string
	ClaimBacked            bool
}

// Composed objects. Nil: not composed, or gone.
type Composed struct {
	ClaimObject, LedgerObject *unstructured.Unstructured
	Config                    *unstructured.Unstructured
	Service                   *unstructured.Unstructured
	Pod                       *corev1.Pod
}

// Asked are the answers to requirements.
type Asked struct {
	Claim        Reply[corev1.PersistentVolumeClaim]
	Pod          Reply[corev1.Pod]
	Config       Reply[corev1.ConfigMap]
	Service      Reply[corev1.Service]
	ClaimObject  Reply[metav1.PartialObjectMetadata]
	LedgerObject Reply[metav1.PartialObjectMetadata]
	Neighbours   Reply[corev1.Pod]
	Node         Reply[corev1.Node]
	StorageClass Reply[storagev1.StorageClass]
	// PriorityClass that another Pod would have.
	PriorityClass Reply[schedulingv1.PriorityClass]
}

// A Reply to a question for objects.
type Reply[T any] struct {
	// Given is false as long as the question was not asked.
	Given bool
	Items []*T
}

// One object found, or nil.
func (a Reply[T]) One() *T {
	if len(a.Items) == 0 {
		return nil
	}
	return a.Items[0]
}

// Absent says that the answer is: no such object.
func (a Reply[T]) Absent() bool { return a.Given && len(a.Items) == 0 }

// Observe the world of a pass. It fails on what cannot be read, and decides nothing.
func Observe(request pass.Request) (World, error) {
	of := &chroma.Chroma{}
	if err := pass.Decode(request.XR, of); err != nil {
		return World{}, err
	}
	of.SetName(request.Name)
	of.SetNamespace(request.Namespace)

	w := World{
		Chroma: of,
		XR: XR{
			APIVersion: request.XR.GetAPIVersion(), Kind: request.XR.GetKind(), Name: request.XR.GetName(),
			ClaimBacked: request.ClaimBacked,
		},
		Composed: Composed{
			ClaimObject:  request.Observed[chroma.RoleClaim],
			LedgerObject: request.Observed[chroma.RoleLedger],
			Config:       request.Observed[chroma.RoleConfig],
			Service:      request.Observed[chroma.RoleService],
		},
		Settings: request.Settings,
		Now:      request.Now,
	}
	if observed := request.Observed[chroma.RolePod]; observed != nil {
		w.Composed.Pod = &corev1.Pod{}
		if err := pass.Decode(observed, w.Composed.Pod); err != nil {
			return World{}, err
		}
	}
	required := request.Required
	if w.Composed.Pod != nil {
		// The composed Pod is fresher than the answer to the question, which need not be read then.
		required = maps.Clone(required)
		required[askPod] = pass.Found{Answered: required[askPod].Answered}
	}
	if err := asked(required, &w.Found); err != nil {
		return World{}, err
	}
	if claim := request.Required[askClaim].Object(); claim != nil {
		w.ClaimMadeByOthers = madeByOthers(claim)
	}
	if object := cmp.Or(w.Composed.LedgerObject, request.Required[askLedgerObject].Object()); object != nil {
		w.Ledger = objects.Manifest(object)
	}
	if pod := w.pod(); pod != nil {
		var err error
		if w.Intent, err = intentOf(request); err != nil {
			return World{}, err
		}
	}
	return w, nil
}

// intentOf the Pod is what we sent of it before.
func intentOf(request pass.Request) (map[string]any, error) {
	observed := request.Observed[chroma.RolePod]
	if observed == nil {
		observed = request.Required[askPod].Object()
	}
	if _, ok := previous.Manager(observed); !ok {
		return nil, nil //nolint:nilnil // Offline there is none, which is an answer.
	}
	return request.Previous.Intent(observed)
}

func asked(required map[string]pass.Found, into *Asked) error {
	for _, one := range []error{
		answer(required[askClaim], &into.Claim),
		answer(required[askPod], &into.Pod),
		answer(required[askConfig], &into.Config),
		answer(required[askService], &into.Service),
		answer(required[askClaimObject], &into.ClaimObject),
		answer(required[askLedgerObject], &into.LedgerObject),
		answer(required[askNeighbours], &into.Neighbours),
		answer(required[askNode], &into.Node),
		answer(required[askStorageClass], &into.StorageClass),
		answer(required[askPriority], &into.PriorityClass),
	} {
		if one != nil {
			return one
		}
	}
	return nil
}

func answer[T any](found pass.Found, into *Reply[T]) error {
	into.Given = found.Answered
	for _, object := range found.Objects {
		typed := new(T)
		if err := pass.Decode(object, typed); err != nil {
			return err
		}
		into.Items = append(into.Items, typed)
	}
	return nil
}

// observes tells whether the object of a role is composed and there.
func (w World) observes(role string) bool {
	switch role {
	case chroma.RoleClaim:
		return w.Composed.ClaimObject != nil
	case chroma.RoleLedger:
		return w.Composed.LedgerObject != nil
	case chroma.RoleConfig:
		return w.Composed.Config != nil
	case chroma.RoleService:
		return w.Composed.Service != nil
	case chroma.RolePod:
		return w.Composed.Pod != nil
	}
	return false
}

// pod is the Pod of this Chroma: the composed one, or one that only the question by name shows, because it was left out
// and still ends, or because a Chroma of this name left it behind. A composed object is re-read before it counts as
// absent; the answer to a question can be behind.
func (w World) pod() *corev1.Pod {
	if w.Composed.Pod != nil {
		return w.Composed.Pod
	}
	if found := w.Found.Pod.One(); found != nil && holderOf(w, found) != stranger {
		return found
	}
	return nil
}
