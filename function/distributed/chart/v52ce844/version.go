// Package v52ce844 is Chroma at commit 52ce844, as chart 0.1.93 renders it: version 93652ec and what 0.1.93 added to
// chart 0.1.92, a MemberList of the fn-consumers.
package v52ce844

import (
	_ "embed" // The added config keys are compiled in.
	"slices"

	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applyrbacv1 "k8s.io/client-go/applyconfigurations/rbac/v1"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/distributed/chart/v93652ec"
)

// Commit of Chroma whose images run.
const Commit = "52ce844"

const (
	memberList       = "fn-consumer-memberlist"
	memberListWriter = "fn-consumer-memberlist-writer"
	memberListReader = "fn-consumer-memberlist-reader"
)

// The keys that the work queue reads: it gives work only to the fn-consumers on the list.
//
//go:embed work_queue_service.yaml
var workQueueKeys string

// Version with its objects, images, field table and config files.
func Version() chart.Version {
	version := v93652ec.Version()
	version.Commit = Commit
	version.Chart = "0.1.93"
	version.NotCompared = "the objects of version 52ce844 are those of chart 0.1.93: the version's own chart, 0.1.94, was not available to compare with"

	worker := v93652ec.Worker().MustExtend("work_queue_service", workQueueKeys)
	for i := range version.Components {
		component := &version.Components[i]
		if component.Config != nil && component.Name != chart.Frontend {
			component.Config.Content = worker
		}
		if component.Name == chart.FnConsumer {
			extendFnConsumer(component)
		}
	}
	version.Roles = append(version.Roles,
		chart.Role{Name: memberListWriter, Rule: applyrbacv1.PolicyRule().WithAPIGroups("chroma.cluster").
			WithResources("memberlists").WithResourceNames(memberList).WithVerbs("get", "update", "patch")},
		chart.Role{Name: memberListReader, Rule: applyrbacv1.PolicyRule().WithAPIGroups("chroma.cluster").
			WithResources("memberlists").WithVerbs("get", "list", "watch")},
	)
	version.Bindings = append(version.Bindings,
		chart.Binding{Name: "sysdb-fn-consumer-memberlist-writer", Role: memberListWriter, ServiceAccount: "sysdb-serviceaccount"},
		chart.Binding{Name: "work-queue-service-fn-consumer-memberlist-reader", Role: memberListReader, ServiceAccount: "work-queue-service-serviceaccount"},
	)
	return version
}

// extendFnConsumer makes it a member, and gives it the fields of the other members.
func extendFnConsumer(component *chart.Component) {
	component.Fields = chart.Fields{NodeSelector: true, Tolerations: true, Affinity: true}
	component.MemberType = "fn-consumer"
	component.MemberList = memberList
	before := component.Environment
	component.Environment = func(values chart.Values) []*applycorev1.EnvVarApplyConfiguration {
		return slices.Concat(before(values), []*applycorev1.EnvVarApplyConfiguration{
			chart.VariableFromField("CHROMA_FN_CONSUMER_SERVICE__MY_MEMBER_ID", "metadata.name"),
		})
	}
}
