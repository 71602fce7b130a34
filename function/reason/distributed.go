package reason

// Condition types of a distributed Chroma, beside ServerReady and UpgradeBlocked.
const (
	// PostgresReady says whether the sysdb's Postgres can be used with the given credentials.
	PostgresReady ConditionType = "PostgresReady"
	// ObjectStorageReady says whether the bucket can be used with the given credentials.
	ObjectStorageReady ConditionType = "ObjectStorageReady"
	// ChartVerified says whether the version's objects were compared with its own chart.
	ChartVerified ConditionType = "ChartVerified"
	// Repaired says what was restarted because of a known failure of Chroma, and when.
	Repaired ConditionType = "Repaired"
)

// Reasons of ServerReady of a distributed Chroma, beside those of its Pods.
const (
	ComponentsReady           Reason = "ComponentsReady"
	ComponentsStarting        Reason = "ComponentsStarting"
	FoundationPending         Reason = "FoundationPending"
	MemberListPending         Reason = "MemberListPending"
	MigrationRunning          Reason = "MigrationRunning"
	MigrationFailed           Reason = "MigrationFailed"
	RolloutStuck              Reason = "RolloutStuck"
	WaitingForChecks          Reason = "WaitingForChecks"
	DistributedNamespaceTaken Reason = "DistributedNamespaceTaken"
	WriteRefused              Reason = "WriteRefused"
)

// Reasons of UpgradeBlocked of a distributed Chroma.
const (
	VersionNotKnown   Reason = "VersionNotKnown"
	PostgresNewer     Reason = "PostgresNewer"
	FieldNotInVersion Reason = "FieldNotInVersion"
	RequestAboveLimit Reason = "RequestAboveLimit"
)

// Reasons of PostgresReady and ObjectStorageReady.
const (
	CheckPassed              Reason = "CheckPassed"
	CheckPending             Reason = "CheckPending"
	CheckDisabled            Reason = "CheckDisabled"
	SecretNotFound           Reason = "SecretNotFound"
	KeyMissing               Reason = "KeyMissing"
	InvalidCredentials       Reason = "InvalidCredentials"
	Unreachable              Reason = "Unreachable"
	Timeout                  Reason = "Timeout"
	AuthenticationFailed     Reason = "AuthenticationFailed"
	DatabaseNotFound         Reason = "DatabaseNotFound"
	TLSFailed                Reason = "TLSFailed"
	BucketNotFound           Reason = "BucketNotFound"
	AccessDenied             Reason = "AccessDenied"
	VirtualHostNotResolvable Reason = "VirtualHostNotResolvable"
	HostNotAllowed           Reason = "HostNotAllowed"
)

// Reasons of ChartVerified.
const (
	Compared    Reason = "Compared"
	NotCompared Reason = "NotCompared"
)

// Reasons of Repaired.
const (
	NothingRepaired    Reason = "NothingRepaired"
	WorkQueueRestarted Reason = "WorkQueueRestarted"
	SysdbLeaderLost    Reason = "SysdbLeaderLost"
)

// Distributed is the table of the reasons of a distributed Chroma.
func Distributed() []Entry {
	server := []ConditionType{ServerReady}
	blocked := []ConditionType{UpgradeBlocked}
	both := []ConditionType{ServerReady, UpgradeBlocked}
	checks := []ConditionType{PostgresReady, ObjectStorageReady}
	postgres := []ConditionType{PostgresReady}
	bucket := []ConditionType{ObjectStorageReady}
	verified := []ConditionType{ChartVerified}
	repaired := []ConditionType{Repaired}
	return []Entry{
		{ComponentsReady, server, "All components run the wanted version and are ready.", "Nothing needs to be done."},
		{ComponentsStarting, server, "A component is starting or rolling, or a MemberList lacks its Pods. The tiers after it wait.", "Wait; if it lasts, look at the Pods that the message names."},
		{FoundationPending, server, "The accounts, rights and Services of the components are not all there yet.", "Wait; if it lasts, the events of the Chroma say what the API refuses."},
		{MemberListPending, server, "The MemberLists are not there yet. No component starts without them.", "Wait; if it lasts, provider-kubernetes is not running, has no ProviderConfig, or the definition of MemberLists (memberlists.chroma.cluster) is not installed."},
		{MigrationRunning, server, "The migration Job prepares Postgres for the version. Everything else waits.", "Wait; if it lasts, read the log of the Job."},
		{MigrationFailed, server, "The migration Job failed for good.", "Mend what its log names, then delete the Job: it is made anew."},
		{RolloutStuck, server, "A StatefulSet does not replace a Pod that never got ready, not even with a corrected spec; or a work queue does not get ready although it was restarted.", "Delete the Pod; the message has the command."},
		{WaitingForChecks, both, "Postgres or the bucket cannot be used yet, and nothing is created before they can.", "See the conditions PostgresReady and ObjectStorageReady."},
		{DistributedNamespaceTaken, server, "Another distributed Chroma has this namespace. The names of Chroma's chart are fixed, so a namespace has room for one.", "Create the Chroma in another namespace."},
		{WriteRefused, both, "The API refused an object.", "Mend what the message names: a quota, a policy, the spec. It is tried again by itself."},
		{VersionNotKnown, both, "The function does not know this version of Chroma.", "Choose one of the versions that the message names, or install a newer function."},
		{PostgresNewer, blocked, "A version newer than the wanted one has migrated the database.", "Choose that version, or one after it."},
		{FieldNotInVersion, both, "The wanted version has no such field for the component.", "Remove the field, or choose a version that has it."},
		{RequestAboveLimit, both, "After the merge with the chart's resources a request is above its limit, which the API refuses.", "Set the limit and the request together."},
		{CheckPassed, checks, "The credentials work.", "Nothing needs to be done."},
		{CheckPending, checks, "The check has no result yet.", "Wait."},
		{CheckDisabled, checks, "The function is set to check nothing.", "Nothing needs to be done. The Pods will show what does not work."},
		{SecretNotFound, checks, "The Secret with the credentials does not exist in the namespace of the Chroma.", "Create the Secret."},
		{KeyMissing, checks, "The Secret lacks a key, or the key is empty.", "Add the key to the Secret."},
		{InvalidCredentials, checks, "The credentials have characters that do not reach Chroma as they are.", "Use only letters, digits and . _ ~ - for Postgres, and no spaces or line ends for the bucket."},
		{Unreachable, checks, "Nothing answers at the address.", "Check the host, the port and the network policies."},
		{Timeout, checks, "The other side did not answer in time.", "Check the host, the port and the network policies."},
		{AuthenticationFailed, checks, "The credentials were refused.", "Correct the Secret."},
		{DatabaseNotFound, postgres, "The database does not exist.", "Create it: Chroma does not."},
		{TLSFailed, checks, "The secure connection failed.", "Check sslMode, or the endpoint's scheme, and the certificate of the other side."},
		{BucketNotFound, bucket, "The bucket does not exist.", "Create it: Chroma does not."},
		{AccessDenied, checks, "The credentials may not use the database or the bucket.", "Allow them to connect to the database and to read the revisions of its migrations, or to list, read and write the bucket."},
		{VirtualHostNotResolvable, bucket, "Chroma asks for <bucket>.<host>, and that name does not resolve.", "Use the IP address of the store as the endpoint, or make the name resolve."},
		{HostNotAllowed, checks, "The function does not connect to this address.", "Use another address, or have the host allowed in the settings of the function."},
		{Compared, verified, "The objects were compared with the version's own chart.", "Nothing needs to be done."},
		{NotCompared, verified, "The objects could not be compared with the version's own chart.", "Try the version where it does no harm first."},
		{NothingRepaired, repaired, "No repair was needed.", "Nothing needs to be done."},
		{WorkQueueRestarted, repaired, "The work queue was not ready for three minutes although the storage was there, and was restarted.", "Nothing, unless it stays not ready: then read its log."},
		{SysdbLeaderLost, repaired, "A MemberList lacked ready Pods for three minutes although the sysdb was ready, so the sysdb was restarted.", "Nothing, unless the list stays incomplete: then read the log of the sysdb."},
	}
}
