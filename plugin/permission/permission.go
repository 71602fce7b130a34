// Package permission is what each command asks of the API server, for whoever writes Roles.
package permission

import "slices"

// A Rule is what a command may do to a resource.
type Rule struct {
	Verb, Group, Resource string
	// Optional rules make the answer more complete; without them a note says what is missing.
	Optional bool
	// Namespace is another one than that of the object.
	Namespace string
}

// A Command and its rules.
type Command struct {
	Name  string
	Rules []Rule
}

const (
	groupChroma     = "chroma.chromadotnet.org"
	groupVald       = "vald.vdaas.org"
	groupProvider   = "kubernetes.m.crossplane.io"
	groupCrossplane = "apiextensions.crossplane.io"
	groupPackages   = "pkg.crossplane.io"
	groupRights     = "rbac.authorization.k8s.io"
	groupAdmission  = "admissionregistration.k8s.io"
)

func need(verb, group, resource string) Rule {
	return Rule{Verb: verb, Group: group, Resource: resource}
}

func like(verb, group, resource string) Rule {
	return Rule{Verb: verb, Group: group, Resource: resource, Optional: true}
}

// basis is what it takes to read a single-node Chroma with all that belongs to it, and to ask the function about it.
func basis() []Rule {
	return []Rule{
		need("get", groupChroma, "chromas"), like("get", groupChroma, "xchromas"), like("get", "", "pods"), like("list", "", "pods"),
		like("get", "", "persistentvolumeclaims"), like("get", "", "configmaps"), like("get", "", "services"), like("get", "", "nodes"),
		like("get", "storage.k8s.io", "storageclasses"), like("get", "scheduling.k8s.io", "priorityclasses"), like("get", groupProvider, "objects"), like("list", groupProvider, "objects"),
		like("get", groupCrossplane, "compositionrevisions"), like("get", groupCrossplane, "compositions"), like("get", groupPackages, "functions"),
		like("get", groupPackages, "functionrevisions"),
	}
}

// view is what it takes to show one, with its events.
func view() []Rule { return append(basis(), like("list", "", "events"), compositeEvents()) }

// parts are what distributed Chromas and ValdOperatorReleases are composed of. More than a few of a kind are listed.
func parts() []Rule {
	out := []Rule{like("get", groupVald, "valdoperatorreleases")}
	for _, part := range []Rule{
		{Group: groupVald, Resource: "valdreleases"}, {Group: "apps", Resource: "deployments"}, {Group: "apps", Resource: "statefulsets"},
		{Group: "batch", Resource: "jobs"}, {Resource: "configmaps"}, {Resource: "services"}, {Resource: "serviceaccounts"},
		{Group: groupRights, Resource: "roles"}, {Group: groupRights, Resource: "rolebindings"}, {Group: "chroma.cluster", Resource: "memberlists"},
	} {
		out = append(out, like("get", part.Group, part.Resource), like("list", part.Group, part.Resource))
	}
	return out
}

func viewAnd(more ...Rule) []Rule { return both(view(), more) }

// both kinds of rules, each once.
func both(rules, more []Rule) []Rule {
	for _, rule := range more {
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// firm rules for commands that would risk data, or could not decide, if they did not know an object: they end without the
// right. Each is a verb and a resource.
func firm(rules []Rule, firmly ...string) []Rule {
	for i, rule := range rules {
		if slices.Contains(firmly, rule.Verb+" "+rule.Resource) {
			rules[i].Optional = false
		}
	}
	return rules
}

// decided commands do what the function decides, and end without the rights to read what it decides by.
func decided(rules []Rule, more ...string) []Rule {
	return firm(rules, append(more, getClaims, getXChromas, "get pods", "get configmaps", "get services", "get objects", "get priorityclasses")...)
}

const (
	getClaims   = "get persistentvolumeclaims"
	getXChromas = "get xchromas"
)

// compositeEvents are those of composites, which have their events in another namespace than their claim.
func compositeEvents() Rule {
	return Rule{Verb: "list", Resource: "events", Optional: true, Namespace: "default"}
}

// Commands in the order of the plugin's help. Those that need no cluster have no rules.
func Commands() []Command {
	patch := need("patch", groupChroma, "chromas")
	return []Command{
		{"accept-claim", firm(viewAnd(patch), getClaims, getXChromas)},
		{"adopt", []Rule{
			need("get", "", "persistentvolumeclaims"), need("patch", "", "persistentvolumeclaims"), need("list", groupChroma, "chromas"),
			need("list", groupProvider, "objects"), need("list", "", "pods"),
		}},
		{"allow", firm(viewAnd(patch), getXChromas)},
		{"check", viewAnd(
			like("create", "authorization.k8s.io", "subjectaccessreviews"), like("list", "storage.k8s.io", "storageclasses"), like("list", "", "nodes"),
			like("create", "", "services/proxy"), like("delete", "", "services/proxy"), like("get", "", "secrets"), like("get", "", "serviceaccounts"),
		)},
		{"claims", []Rule{need("list", "", "persistentvolumeclaims"), need("list", groupChroma, "chromas"), need("list", groupProvider, "objects"), need("list", "", "pods")}},
		{"completion", []Rule{
			like("list", groupChroma, "chromas"), like("list", groupVald, "valdoperatorreleases"), like("list", "", "persistentvolumeclaims"), like("list", "", "namespaces"),
		}},
		{"delete", firm(viewAnd(patch, need("delete", groupChroma, "chromas")), getClaims, getXChromas)},
		{"endpoint", []Rule{need("get", groupChroma, "chromas")}},
		{"events", []Rule{need("get", groupChroma, "chromas"), like("get", groupChroma, "xchromas"), like("get", groupVald, "valdoperatorreleases"), need("list", "", "events"), compositeEvents()}},
		{"explain", []Rule{like("get", groupChroma, "chromas"), like("get", groupVald, "valdoperatorreleases")}},
		{"incident declare", firm(viewAnd(patch), getXChromas)},
		{"incident list", []Rule{need("list", groupChroma, "chromas")}},
		{"incident show", view()},
		{"install", install()},
		{"lint", nil},
		{"logs", []Rule{need("get", groupChroma, "chromas"), need("get", "", "pods"), like("list", "", "pods"), need("get", "", "pods/log")}},
		{"port-forward", []Rule{need("get", groupChroma, "chromas"), need("get", "", "pods"), like("list", "", "pods"), need("create", "", "pods/portforward")}},
		{"render", nil},
		{"report", both(viewAnd(like("get", "", "pods/log"), like("get", groupPackages, "deploymentruntimeconfigs"), like("get", "", "secrets")), parts())},
		{"restart", decided(viewAnd(need("delete", "", "pods"), like("get", "apps", "deployments"), like("patch", "apps", "deployments"),
			like("get", "apps", "statefulsets"), like("patch", "apps", "statefulsets")), "list pods", "get nodes")},
		{"status", both(viewAnd(like("list", groupChroma, "chromas"), like("list", groupVald, "valdoperatorreleases")), parts())},
		{"tree", both(view(), parts())},
		{"upgrade apply", decided(viewAnd(patch, need("create", "", "pods")))},
		{"upgrade check", both(decided(basis()), []Rule{like("list", groupChroma, "chromas")})},
		{"upgrade plan", decided(view())},
		{"version", []Rule{like("list", groupPackages, "functions")}},
	}
}

// install applies cluster-wide objects. Kubernetes lets nobody give rights that they do not have themselves, unless they
// may escalate and bind.
func install() []Rule {
	return []Rule{
		like("patch", "apiextensions.k8s.io", "customresourcedefinitions"), like("patch", groupRights, "clusterroles"), like("escalate", groupRights, "clusterroles"),
		like("patch", groupRights, "clusterrolebindings"), like("bind", groupRights, "clusterroles"),
		like("patch", groupAdmission, "validatingadmissionpolicies"), like("patch", groupAdmission, "validatingadmissionpolicybindings"),
		like("patch", groupPackages, "deploymentruntimeconfigs"), like("patch", groupPackages, "imageconfigs"), like("patch", groupPackages, "configurations"),
		like("patch", "policy", "poddisruptionbudgets"), like("patch", "networking.k8s.io", "networkpolicies"), like("patch", groupProvider, "clusterproviderconfigs"),
	}
}
