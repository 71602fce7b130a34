package v93652ec

import (
	applyrbacv1 "k8s.io/client-go/applyconfigurations/rbac/v1"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

// Roles and ServiceAccounts of the chart.
const (
	podWatcher            = "pod-watcher"
	leaseWatcher          = "lease-watcher"
	queryMemberList       = "query-service-memberlist-readerwriter"
	compactionMemberList  = "compaction-service-memberlist-readerwriter"
	garbageMemberList     = "garbage-collection-service-memberlist-readerwriter"
	logMemberList         = "rust-log-service-memberlist-readerwriter"
	sysdbAccount          = "sysdb-serviceaccount"
	queryAccount          = "query-service-serviceaccount"
	compactionAccount     = "compaction-service-serviceaccount"
	garbageAccount        = "garbage-collector-serviceaccount"
	frontendAccount       = "rust-frontend-service-serviceaccount"
	fnConsumerAccount     = "fn-consumer-service-account"
	workQueueAccount      = "work-queue-service-serviceaccount"
	defaultServiceAccount = "default"
)

func roles() []chart.Role {
	return []chart.Role{
		{Name: podWatcher, Rule: applyrbacv1.PolicyRule().WithAPIGroups("").WithResources("pods").
			WithVerbs("get", "list", "watch")},
		{Name: leaseWatcher, Rule: applyrbacv1.PolicyRule().WithAPIGroups("coordination.k8s.io").WithResources("leases").
			WithVerbs("get", "create", "watch", "update", "delete")},
		{Name: queryMemberList, Rule: memberLists()},
		{Name: compactionMemberList, Rule: memberLists()},
		{Name: garbageMemberList, Rule: memberLists()},
		{Name: logMemberList, Rule: memberLists()},
	}
}

// memberLists without names, so one binding opens every MemberList of the namespace.
func memberLists() *applyrbacv1.PolicyRuleApplyConfiguration {
	return applyrbacv1.PolicyRule().WithAPIGroups("chroma.cluster").WithResources("memberlists").
		WithVerbs("get", "list", "watch", "create", "update", "patch", "delete")
}

func bindings() []chart.Binding {
	return []chart.Binding{
		bind("sysdb-serviceaccount-rolebinding", podWatcher, sysdbAccount),
		bind("query-service-serviceaccount-rolebinding", podWatcher, queryAccount),
		bind("compaction-service-serviceaccount-rolebinding", podWatcher, compactionAccount),
		bind("garbage-collector-serviceaccount-rolebinding", podWatcher, garbageAccount),
		bind("rust-frontend-service-rolebinding", podWatcher, frontendAccount),
		bind("fn-consumer-service-serviceaccount-rolebinding", podWatcher, fnConsumerAccount),
		bind("work-queue-service-serviceaccount-rolebinding", podWatcher, workQueueAccount),

		bind("sysdb-serviceaccount-lease-watcher-binding", leaseWatcher, sysdbAccount),

		bind("sysdb-query-service-memberlist-binding", queryMemberList, sysdbAccount),
		bind("sysdb-compaction-service-memberlist-binding", compactionMemberList, sysdbAccount),
		bind("sysdb-garbage-collection-service-memberlist-binding", garbageMemberList, sysdbAccount),
		bind("sysdb-rust-log-service-memberlist-binding", logMemberList, sysdbAccount),

		bind("query-service-query-service-memberlist-binding", queryMemberList, queryAccount),
		bind("compaction-service-compaction-service-memberlist-binding", compactionMemberList, compactionAccount),
		bind("garbage-collection-service-garbage-collection-service-memberlist-binding", garbageMemberList, garbageAccount),
		bind("rust-frontend-service-query-service-memberlist-binding", queryMemberList, frontendAccount),
		bind("rust-frontend-service-rust-log-service-memberlist-binding", logMemberList, frontendAccount),
		bind("fn-consumer-rust-log-service-memberlist-binding", logMemberList, fnConsumerAccount),

		bind("query-service-memberlist-readerwriter-binding", queryMemberList, defaultServiceAccount),
		bind("compaction-service-memberlist-readerwriter-binding", compactionMemberList, defaultServiceAccount),
		bind("garbage-collection-service-memberlist-readerwriter-binding", garbageMemberList, defaultServiceAccount),
	}
}

func bind(name, role, account string) chart.Binding {
	return chart.Binding{Name: name, Role: role, ServiceAccount: account}
}
