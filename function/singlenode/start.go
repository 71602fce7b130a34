package singlenode

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/singlenode/objects"
)

// start a Pod where there is none.
func start(s situation) fate {
	f := fate{pod: PodPlan{Action: LeaveOut}, config: Apply, ttl: ttlSoon}
	next := s.wanted
	if !next.allowed() && s.recovery.allowed() {
		next = s.recovery
	}
	switch {
	case s.record.newer:
		f.config, f.ttl = Keep, ttlSettled
		f.server = finding{reason: reason.LedgerNewer, message: newerMessage}
		return f
	case s.claim.state != claimUsable:
		f.server, f.ttl = s.claimFinding()
		if s.claim.state == claimTerminating || s.claim.state == claimLost {
			f.config = Keep
		}
		return f
	case s.record.Unknown, !next.allowed():
		f.server, f.ttl = finding{reason: s.wanted.reason, message: s.wanted.message}.withoutServer(), ttlSettled
		return f
	case !s.invalid.none():
		f.server, f.blocked, f.ttl = s.invalid.withoutServer(), s.invalid, ttlSettled
		return f
	}
	f.raise = &next
	if waiting := notYet(s, next); !waiting.none() {
		f.server = waiting
		return f
	}
	return compose(s, next, f)
}

// notYet says what has to be observed before a Pod is composed.
func notYet(s situation, next candidate) finding {
	switch {
	case !s.w.observes(chroma.RoleClaim), objects.Manifest(s.w.Composed.ClaimObject).GetUID() != s.claim.pinned:
		return finding{reason: reason.ClaimPending, message: fmt.Sprintf("The claim %s was seen; its UID is being pinned.", chroma.ClaimName(s.w.Chroma.GetName()))}
	case !s.record.covers(next):
		return finding{reason: reason.LedgerPending, message: recording(s, next)}
	case !configIs(s.w, s.content):
		return finding{reason: reason.ConfigPending, message: "The ConfigMap with the server's configuration is being written."}
	case !s.w.Found.Pod.Absent():
		// Somebody else's: NameConflict says so.
		return finding{reason: reason.Observing, message: "The name of the Pod is not known to be free."}
	}
	return finding{}
}

// compose the Pod, once nobody else mounts the claim and the last Pod's node is known to be fine or gone.
func compose(s situation, next candidate, f fate) fate {
	if held, ok := s.held[chroma.RolePod]; ok && held.wait > 0 {
		f.server, f.ttl = podRefused(s, held), held.wait
		return f
	}
	if s.aborted {
		f.server = finding{reason: reason.Observing, message: "A refused write ended the previous pass. It is told first."}
		return f
	}
	f.ask = map[string]pass.Requirement{askNeighbours: neighbours(s.w.Chroma.GetNamespace())}
	lost, waiting := nodeLost(s, f.ask, s.w.Chroma.Status.Node)
	others, known := s.neighbours()
	switch {
	case waiting:
		f.server = lost
		if lost.reason == reason.NodeLost {
			f.ttl = ttlLater
		}
		return f
	case !known:
		f.server = finding{reason: reason.Observing, message: "Asking whether another Pod mounts the claim."}
		return f
	case others != "":
		f.ttl = ttlLater
		f.server = finding{reason: reason.ClaimInUse, message: fmt.Sprintf(
			"Pod %s mounts the claim %s. Two servers on one volume damage its index. Let it finish, or delete it or what makes it: kubectl delete pod -n %s %s",
			others, chroma.ClaimName(s.w.Chroma.GetName()), s.w.Chroma.GetNamespace(), others)}
		return f
	}
	f.pod = PodPlan{Action: Apply, Image: next.image, Product: next.release.Product}
	f.server = finding{reason: reason.PodStarting, message: fmt.Sprintf("Pod %s is starting.", chroma.PodName(s.w.Chroma.GetName()))}
	if held, ok := s.held[chroma.RolePod]; ok {
		f.server = podRefused(s, held) // Tried again in this pass; the condition lasts until it works.
	}
	return f
}

// neighbours that mount the claim and have not ended: the first by name.
func (s situation) neighbours() (string, bool) {
	if !s.w.Found.Neighbours.Given {
		return "", false
	}
	claimName, first := chroma.ClaimName(s.w.Chroma.GetName()), ""
	for _, pod := range s.w.Found.Neighbours.Items {
		if ended(pod) || !mounts(pod, claimName) {
			continue
		}
		if first == "" || pod.GetName() < first {
			first = pod.GetName()
		}
	}
	return first, true
}

func mounts(pod *corev1.Pod, claimName string) bool {
	for i := range pod.Spec.Volumes {
		if source := pod.Spec.Volumes[i].PersistentVolumeClaim; source != nil && source.ClaimName == claimName {
			return true
		}
	}
	return false
}

// nodeLost tells whether to wait for a node: one that does not answer may still run the last Pod's server. It is over
// when the node is Ready, gone, or tainted out-of-service by a person who knows that it is off.
func nodeLost(s situation, ask map[string]pass.Requirement, name string) (finding, bool) {
	if name == "" {
		return finding{}, false
	}
	ask[askNode] = node(name)
	found := s.w.Found.Node.One()
	if !s.w.Found.Node.Given || (found != nil && found.GetName() != name) {
		return finding{reason: reason.Observing, message: fmt.Sprintf("Asking for node %s.", name)}, true
	}
	if found == nil {
		return finding{}, false
	}
	for _, taint := range found.Spec.Taints {
		if taint.Key == corev1.TaintNodeOutOfService {
			return finding{}, false
		}
	}
	for _, condition := range found.Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
			return finding{}, false
		}
	}
	return finding{reason: reason.NodeLost, message: fmt.Sprintf(
		"Node %s does not answer, and the server may still run there. Bring it back, or once it is off for sure: kubectl taint node %s node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
		name, name)}, true
}

func configIs(w World, content string) bool {
	if w.Composed.Config == nil {
		return false
	}
	data, _ := w.Composed.Config.Object["data"].(map[string]any)
	return data[objects.ConfigKey] == content
}
