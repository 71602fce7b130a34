package status

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/live"
)

func productOf(text string) chroma.Product { return chroma.Product(text) }

// nextFor a reason: the exact commands. name is the object with its namespace, as arguments.
func nextFor(v *live.View, because v1.Condition, name string) []v1.NextStep {
	if v.Distributed() {
		return nextForComponents(v, because, name)
	}
	namespace := v.Namespace()
	pod, claim := chroma.PodName(v.Name()), chroma.ClaimName(v.Name())
	one := func(why, format string, args ...any) []v1.NextStep {
		return []v1.NextStep{{Why: why, Command: fmt.Sprintf(format, args...)}}
	}
	switch reason.Reason(because.Reason) {
	case reason.Downgrade:
		return append(setBack(v, name), v1.NextStep{Why: "Or go back to the older version on this data.", Command: "kubectl chroma allow downgrade " + name})
	case reason.DowngradeChangesFormat:
		return append(setBack(v, name), v1.NextStep{Why: "Or go back over the border of the data format, after reading what that does.", Command: "kubectl chroma allow format-downgrade " + name})
	case reason.ProductChange:
		return append(setBack(v, name), v1.NextStep{Why: "Or go back to Chroma, after reading what it cannot do with this data.", Command: "kubectl chroma allow product-change " + name})
	case reason.DataVersionUnknown:
		return one("Find out what ran on the data, and declare it.", "kubectl chroma incident show %s", name)
	case reason.ClaimLost:
		return one("Look at both claims, and say which one to use.", "kubectl chroma accept-claim %s", name)
	case reason.ClaimTerminating:
		return one("Copy the data out while the server still runs.", "kubectl cp -n %s %s:/data ./%s-data", namespace, pod, v.Name())
	case reason.LedgerNewer:
		return one("Install the newer function again: this is what there is.", "kubectl chroma version")
	case reason.ProductMismatch:
		if v.Chroma.Spec.Image == v.Chroma.Status.Image {
			return one("Take spec.product out.", `kubectl patch chroma %s --type=merge -p '{"spec":{"product":null}}'`, name)
		}
		return setBack(v, name)
	case reason.UnknownProduct:
		return append(one("Say what the image holds: PRODUCT is chroma or vecturadb.", `kubectl patch chroma %s --type=merge -p '{"spec":{"product":"PRODUCT"}}'`, name), setBack(v, name)...)
	case reason.InvalidSpec:
		if strings.HasPrefix(because.Message, "The name ") {
			return one("A name cannot be changed. Nothing was created: delete it, and create it under another name.", "kubectl delete chroma %s", name)
		}
		return one("Correct what the message names.", "kubectl edit chroma %s", name)
	case reason.ImageInvalid, reason.ImageNotAllowed, reason.ImageWithoutVersion, reason.VersionNotSupported,
		reason.ProductChangeNotKnown, reason.UpgradeNotKnown:
		return setBack(v, name)
	case reason.CrashLoopBackOff, reason.Completed, reason.SegmentationFault:
		return append(one("Read the log of the server that ended.", "kubectl chroma logs %s --previous", name), goBack(v, name)...)
	case reason.PodNotReady:
		return one("Read its log.", "kubectl chroma logs %s", name)
	case reason.OOMKilled:
		return one("Raise the memory limit: MEMORY is more than "+cmp.Or(memoryLimit(v), "it has now")+".",
			`kubectl patch chroma %s --type=merge -p '{"spec":{"resources":{"limits":{"memory":"MEMORY"}}}}'`, name)
	case reason.ImagePullBackOff, reason.ContainerError, reason.IllegalInstruction:
		return append(one("See what the node says.", "kubectl describe pod -n %s %s", namespace, pod), goBack(v, name)...)
	case reason.Unschedulable:
		return one("See what the scheduler says.", "kubectl chroma events %s", name)
	case reason.NodeLost:
		return one("Look at the node.", "kubectl get node %s", v.Chroma.Status.Node)
	case reason.ClaimPending, reason.LedgerPending:
		return []v1.NextStep{
			{Why: "Wait. It takes a second.", Command: "kubectl chroma status " + name + " -w"},
			{Why: "If it lasts, provider-kubernetes may be down or lack a ProviderConfig.", Command: fmt.Sprintf("kubectl describe objects.kubernetes.m.crossplane.io -n %s %s", namespace, chroma.ClaimObjectName(v.Name()))},
		}
	case reason.ClaimInUse:
		return one("Find the other Pod that mounts the claim.", "kubectl describe pvc -n %s %s", namespace, claim)
	case reason.PodRefused, reason.ClaimRefused, reason.ServiceRefused, reason.ConfigRefused:
		return one("See what the API server said. It is tried again by itself.", "kubectl chroma events %s", name)
	case reason.WaitingForPredecessor:
		return waitForPredecessor(namespace, name)
	case reason.PodStarting, reason.PodTerminating, reason.ConfigPending, reason.Observing, reason.PodFailed, reason.Evicted:
		return one("Wait.", "kubectl chroma status %s -w", name)
	case reason.StorageNotShrunk, reason.StorageFixed, reason.StorageNotGrown:
		return sizeBack(v, name)
	}
	return one("Read what the reason means.", "kubectl chroma explain %s", because.Reason)
}

// setBack the image to the one that runs.
func setBack(v *live.View, name string) []v1.NextStep {
	image := v.Chroma.Status.Image
	if image == "" {
		image = v.Chroma.Status.RecoveryImage
	}
	why := "Set spec.image back to the image that runs."
	if image == "" {
		image, why = "IMAGE", "Set spec.image to one that is allowed: IMAGE is a repository and a version."
	}
	return []v1.NextStep{{Why: why, Command: fmt.Sprintf("kubectl chroma upgrade apply %s --image %s", name, image)}}
}

// sizeBack sets the size to that of the claim.
func sizeBack(v *live.View, name string) []v1.NextStep {
	size := live.Text(v.Claim, "spec", "resources", "requests", "storage")
	if size == "" {
		return []v1.NextStep{{
			Why:     "Look at the claim, and set spec.storage.size accordingly.",
			Command: fmt.Sprintf("kubectl get pvc -n %s %s", v.Namespace(), chroma.ClaimName(v.Name())),
		}}
	}
	return []v1.NextStep{{
		Why:     "Set spec.storage.size back to the size of the claim.",
		Command: fmt.Sprintf(`kubectl patch chroma %s --type=merge -p '{"spec":{"storage":{"size":"%s"}}}'`, name, size),
	}}
}

// memoryLimit of the server, empty when it has none.
func memoryLimit(v *live.View) string {
	if v.Chroma.Spec.Resources == nil {
		return ""
	}
	limit, found := v.Chroma.Spec.Resources.Limits[corev1.ResourceMemory]
	if !found {
		return ""
	}
	return limit.String()
}

// waitForPredecessor whose objects go once provider-kubernetes lets them.
func waitForPredecessor(namespace, name string) []v1.NextStep {
	return []v1.NextStep{
		{Why: "Wait.", Command: "kubectl chroma status " + name + " -w"},
		{
			Why:     "If it lasts, provider-kubernetes may be down: its Objects go only while it runs.",
			Command: "kubectl get objects.kubernetes.m.crossplane.io -n " + namespace,
		},
	}
}

// goBack to the image of the last Pod that was ready, when a later one does not get there. The data may have been
// changed by the newer one: the check says what that means.
func goBack(v *live.View, name string) []v1.NextStep {
	before := v.Chroma.Status.Image
	wanted := v.Chroma.Spec.Image
	if before == "" || before == wanted {
		return nil
	}
	return []v1.NextStep{{
		Why: "Or see what going back to the image that ran before would take.", Command: fmt.Sprintf("kubectl chroma upgrade check %s --image %s", name, before),
	}}
}
