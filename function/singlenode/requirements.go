package singlenode

import (
	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

// The names of the questions.
const (
	askClaim        = "claim"
	askPod          = "pod"
	askConfig       = "config"
	askService      = "service"
	askClaimObject  = "claim-object"
	askLedgerObject = "ledger-object"
	askNeighbours   = "neighbours"
	askNode         = "node"
	askStorageClass = "storage-class"
	askPriority     = "priority-class"
)

// requirements of every pass: the claim itself, since an Object's copy can be ten minutes old; and the names of what is
// not composed, since server-side apply would take over what somebody else has there, and a Pod that was left out can
// still be ending.
func requirements(w World) map[string]pass.Requirement {
	name, namespace := w.Chroma.GetName(), w.Chroma.GetNamespace()
	out := map[string]pass.Requirement{
		askClaim: {APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: namespace, Name: chroma.ClaimName(name)},
	}
	if w.Composed.Pod == nil {
		out[askPod] = pass.Requirement{APIVersion: "v1", Kind: "Pod", Namespace: namespace, Name: chroma.PodName(name)}
	}
	if w.Composed.Config == nil {
		out[askConfig] = pass.Requirement{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: chroma.ConfigName(name)}
	}
	if w.Composed.Service == nil {
		out[askService] = pass.Requirement{APIVersion: "v1", Kind: "Service", Namespace: namespace, Name: chroma.ServiceName(name)}
	}
	if w.Composed.ClaimObject == nil {
		out[askClaimObject] = objectRequirement(namespace, chroma.ClaimObjectName(name))
	}
	if w.Composed.LedgerObject == nil {
		out[askLedgerObject] = objectRequirement(namespace, chroma.LedgerObjectName(name))
	}
	return out
}

func objectRequirement(namespace, name string) pass.Requirement {
	return pass.Requirement{APIVersion: objects.ObjectAPIVersion, Kind: objects.ObjectKind, Namespace: namespace, Name: name}
}

// neighbours are all Pods of the namespace: there is no selector for the Pods that mount a claim. Asked for only in a
// pass that is about to compose a Pod, since a namespace can hold thousands.
func neighbours(namespace string) pass.Requirement {
	return pass.Requirement{APIVersion: "v1", Kind: "Pod", Namespace: namespace}
}

// ReadOfAnswers are the fields that are read of answers which can be large, by the question's name.
func ReadOfAnswers() map[string][]string {
	return map[string][]string{
		askNeighbours: {"apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid", "spec.volumes", "status.phase"},
	}
}

func node(name string) pass.Requirement {
	return pass.Requirement{APIVersion: "v1", Kind: "Node", Name: name}
}

func priorityClass(name string) pass.Requirement {
	return pass.Requirement{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass", Name: name}
}

func storageClass(name string) pass.Requirement {
	return pass.Requirement{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass", Name: name}
}

// unanswered tells whether one of the questions of every pass has no answer yet.
func (w World) unanswered() bool {
	asked := w.Found
	return !asked.Claim.Given ||
		(w.Composed.Pod == nil && !asked.Pod.Given) ||
		(w.Composed.Config == nil && !asked.Config.Given) ||
		(w.Composed.Service == nil && !asked.Service.Given) ||
		(w.Composed.ClaimObject == nil && !asked.ClaimObject.Given) ||
		(w.Composed.LedgerObject == nil && !asked.LedgerObject.Given)
}
