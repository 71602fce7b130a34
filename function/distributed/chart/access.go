package chart

import (
	rbacv1 "k8s.io/api/rbac/v1"
	applyrbacv1 "k8s.io/client-go/applyconfigurations/rbac/v1"
)

// access of the components' ServiceAccounts.
func (v Version) access(values Values) []Object {
	objects := make([]Object, 0, len(v.Roles)+len(v.Bindings))
	for _, role := range v.Roles {
		objects = append(objects, Object{
			Role: RoleOf(KindRole, role.Name), Tier: TierFoundation, APIVersion: apiAccess, Kind: KindRole, Name: role.Name,
			Manifest: applyrbacv1.Role(role.Name, values.Namespace).WithLabels(labels(values)).WithRules(role.Rule),
		})
	}
	for _, binding := range v.Bindings {
		objects = append(objects, Object{
			Role: RoleOf(KindRoleBinding, binding.Name), Tier: TierFoundation, APIVersion: apiAccess, Kind: KindRoleBinding, Name: binding.Name,
			Manifest: applyrbacv1.RoleBinding(binding.Name, values.Namespace).
				WithLabels(labels(values)).
				WithRoleRef(applyrbacv1.RoleRef().WithAPIGroup(rbacv1.GroupName).WithKind(KindRole).WithName(binding.Role)).
				WithSubjects(applyrbacv1.Subject().WithKind(KindServiceAccount).WithName(binding.ServiceAccount).WithNamespace(values.Namespace)),
		})
	}
	return objects
}
