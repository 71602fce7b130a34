package reason

// Condition types of a Chroma. Crossplane's own are Ready, Synced, Healthy and Responsive.
const (
	// ServerReady says whether the server answers, and if not why.
	ServerReady ConditionType = "ServerReady"
)

// Reasons of ServerReady.
const (
	PodReady              Reason = "PodReady"
	PodStarting           Reason = "PodStarting"
	PodNotReady           Reason = "PodNotReady"
	PodTerminating        Reason = "PodTerminating"
	PodFailed             Reason = "PodFailed"
	Observing             Reason = "Observing"
	ClaimPending          Reason = "ClaimPending"
	LedgerPending         Reason = "LedgerPending"
	ConfigPending         Reason = "ConfigPending"
	WaitingForPredecessor Reason = "WaitingForPredecessor"
	NameConflict          Reason = "NameConflict"
	ClaimLost             Reason = "ClaimLost"
	ClaimTerminating      Reason = "ClaimTerminating"
	ClaimInUse            Reason = "ClaimInUse"
	ClaimRefused          Reason = "ClaimRefused"
	PodRefused            Reason = "PodRefused"
	ServiceRefused        Reason = "ServiceRefused"
	ConfigRefused         Reason = "ConfigRefused"
	CrashLoopBackOff      Reason = "CrashLoopBackOff"
	ImagePullBackOff      Reason = "ImagePullBackOff"
	ContainerError        Reason = "ContainerError"
	OOMKilled             Reason = "OOMKilled"
	SegmentationFault     Reason = "SegmentationFault"
	IllegalInstruction    Reason = "IllegalInstruction"
	Completed             Reason = "Completed"
	Unschedulable         Reason = "Unschedulable"
	Evicted               Reason = "Evicted"
	NodeLost              Reason = "NodeLost"
	InvalidSpec           Reason = "InvalidSpec"
	ClaimRequired         Reason = "ClaimRequired"
)

// Reasons of UpgradeBlocked beside those of package compatibility's verdicts.
const (
	NotBlocked       Reason = "NotBlocked"
	ImageRewritten   Reason = "ImageRewritten"
	StorageNotShrunk Reason = "StorageNotShrunk"
	StorageNotGrown  Reason = "StorageNotGrown"
	StorageFixed     Reason = "StorageFixed"
)

// SingleNode is the table of the reasons of a single-node Chroma.
func SingleNode() []Entry {
	server := []ConditionType{ServerReady}
	blocked := []ConditionType{UpgradeBlocked}
	both := []ConditionType{ServerReady, UpgradeBlocked}
	return []Entry{
		{PodReady, server, "The server answers.", "Nothing needs to be done."},
		{PodStarting, server, "The Pod was created and its server has not answered yet.", "Wait; a large volume that is migrated takes minutes."},
		{PodNotReady, server, "The server runs and does not answer its readiness probe.", "Read its log: kubectl logs."},
		{PodTerminating, server, "The old Pod is ending. The new one is created when it is gone, since two servers on one volume damage its index.", "Wait for its grace period. Never force its deletion."},
		{PodFailed, server, "The Pod failed for good.", "Nothing: it is replaced."},
		{Observing, both, "The function has asked for objects and has no answer yet.", "Wait; if it lasts, Crossplane lacks a permission: kubectl chroma check."},
		{ClaimPending, server, "The claim was asked for and is not there yet.", "Wait; if it lasts, provider-kubernetes is not running or has no ProviderConfig."},
		{LedgerPending, both, "The version that is about to run is being recorded on the claim. No Pod starts before that.", "Wait; if it lasts, provider-kubernetes is not running."},
		{ConfigPending, server, "The ConfigMap does not have the wanted content yet.", "Wait."},
		{WaitingForPredecessor, server, "An object of a Chroma of the same name that was deleted is still there.", "Wait until Kubernetes has collected it."},
		{NameConflict, server, "An object with a name that this Chroma needs belongs to somebody else. It is not touched.", "Delete or rename that object, or choose another name. A claim is handed over with two labels."},
		{ClaimLost, both, "The claim with the data is gone, or another one is in its place. Nothing is started on an empty volume.", "Restore the claim, or say which to use: kubectl chroma accept-claim NAME."},
		{ClaimTerminating, both, "The claim is being deleted, and only the running Pod holds it. Nothing is replaced or started.", "Copy the data out while the server runs. The deletion of a claim cannot be taken back."},
		{ClaimInUse, server, "Another Pod mounts the claim. Two servers on one volume damage its index.", "Delete that Pod."},
		{ClaimRefused, both, "The API refused the claim.", "Mend what the message names. A claim that never had a volume never held data: delete it and the Chroma to begin anew."},
		{PodRefused, server, "The API refused the Pod.", "Mend what the message names: a quota, a LimitRange, the spec. It is tried again by itself."},
		{ServiceRefused, server, "The API refused the Service.", "Mend what the message names. It is tried again by itself."},
		{ConfigRefused, server, "The API refused the ConfigMap.", "Mend what the message names. It is tried again by itself."},
		{CrashLoopBackOff, server, "The server ends and is started again and again.", "Read its log: kubectl logs --previous."},
		{ImagePullBackOff, server, "The node cannot pull the image.", "Check the image's name, the registry and the pull secrets."},
		{ContainerError, server, "The container cannot be created.", "kubectl describe pod says why."},
		{OOMKilled, server, "The server used more memory than its limit.", "Raise spec.resources.limits.memory."},
		{SegmentationFault, server, "The server died with exit code 139.", "Read its log; go back to the image before, or report it to the server's authors."},
		{IllegalInstruction, server, "The server needs an instruction that the node's CPU does not have (exit code 132).", "Choose another node with spec.nodeSelector."},
		{Completed, server, "The server ended with exit code 0, which a server never does when all is well.", "Read its log: kubectl logs --previous."},
		{Unschedulable, server, "No node takes the Pod.", "Mend what the scheduler names. A claim that stays Pending has a wrong class or size."},
		{Evicted, server, "The Pod was evicted from its node.", "Nothing: it is replaced."},
		{NodeLost, both, "The node of the Pod does not answer, and the server may still run there.", "Bring the node back, delete the Node, or taint it node.kubernetes.io/out-of-service once it is off for sure."},
		{InvalidSpec, both, "The spec cannot be followed.", "Mend what the message names."},
		{ClaimRequired, server, "A cluster-scoped XChroma was created without a claim.", "Create a Chroma in a namespace instead."},
		{NotBlocked, blocked, "Nothing that the spec asks for is held back.", "Nothing needs to be done."},
		{ImageRewritten, blocked, "A webhook changed the version of the image when the Pod was created.", "Let the webhook keep the tag, or ask for the version it sets."},
		{StorageNotShrunk, blocked, "spec.storage.size is smaller than the claim, and claims cannot shrink.", "Set spec.storage.size to at least the size of the claim."},
		{StorageNotGrown, blocked, "The claim cannot grow.", "Choose a StorageClass that allows expansion, or set the size back."},
		{StorageFixed, blocked, "The claim has no volume yet, and its size cannot change before it has.", "Wait until it is Bound, or delete the Chroma and the claim to begin anew."},
	}
}
