package chart

import "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"

// MemberListAPIVersion of the MemberLists, whose definition comes with Chroma's chart.
const MemberListAPIVersion = "chroma.cluster/v1"

// memberList as it is created, empty: server-side apply refuses the chart's null. It is never applied to an existing
// list, since that would take the members from a running system.
func memberList(component Component, values Values) Object {
	return Object{
		Role: RoleOf(KindMemberList, component.MemberList), Tier: TierFoundation,
		APIVersion: MemberListAPIVersion, Kind: KindMemberList, Name: component.MemberList, Component: component.Name,
		Manifest: map[string]any{
			"apiVersion": MemberListAPIVersion,
			"kind":       KindMemberList,
			"metadata": map[string]any{
				"name":      component.MemberList,
				"namespace": values.Namespace,
				"labels":    map[string]any{v1alpha1.LabelChroma: values.Name},
			},
			"spec": map[string]any{"members": []any{}},
		},
	}
}
