package permission_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/function-chroma/function-chroma/plugin/fixture"
	"github.com/function-chroma/function-chroma/plugin/permission"
)

// asked of the API server by a request: verb, group and resource.
func asked(request string) permission.Rule {
	method, path, _ := strings.Cut(request, " ")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	rule := permission.Rule{}
	if parts[0] == "apis" {
		rule.Group, parts = parts[1], parts[3:]
	} else {
		parts = parts[2:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	rule.Resource = parts[0]
	if len(parts) > 2 {
		rule.Resource += "/" + parts[2]
	}
	rule.Verb = map[string]string{http.MethodGet: "get", http.MethodPatch: "patch", http.MethodPost: "create", http.MethodDelete: "delete"}[method]
	if rule.Verb == "get" && len(parts) == 1 {
		rule.Verb = "list"
	}
	return rule
}

func TestCommandsAskForNoMoreThanTheTableSays(t *testing.T) {
	cases := map[string]struct {
		state, command string
		args           []string
	}{
		"status":           {"ready", "status", []string{"status", "demo"}},
		"status table":     {"ready", "status", []string{"status"}},
		"status claim":     {"claim-backed", "status", []string{"status", "demo"}},
		"status refused":   {"pod-refused", "status", []string{"status", "demo"}},
		"explain":          {"ready", "explain", []string{"explain", "demo"}},
		"upgrade check":    {"ready", "upgrade check", []string{"upgrade", "check", "--image", "docker.io/chromadb/chroma:1.5.9"}},
		"upgrade plan":     {"ready", "upgrade plan", []string{"upgrade", "plan", "demo", "--image", "docker.io/chromadb/chroma:1.5.10"}},
		"upgrade apply":    {"ready", "upgrade apply", []string{"upgrade", "apply", "demo", "--image", "docker.io/chromadb/chroma:1.5.10", "--check-registry=false", "-y"}},
		"incident list":    {"incident", "incident list", []string{"incident", "list"}},
		"incident show":    {"incident", "incident show", []string{"incident", "show", "demo"}},
		"incident declare": {"incident", "incident declare", []string{"incident", "declare", "demo", "--version", "1.5.9", "-y"}},
		"allow":            {"blocked-downgrade", "allow", []string{"allow", "downgrade", "demo", "-y"}},
		"accept-claim":     {"claim-lost", "accept-claim", []string{"accept-claim", "demo", "--new", "-y"}},
		"events":           {"claim-backed", "events", []string{"events", "demo"}},
		"logs":             {"ready", "logs", []string{"logs", "demo"}},
		"endpoint":         {"ready", "endpoint", []string{"endpoint", "demo"}},
		"tree":             {"ready", "tree", []string{"tree", "demo"}},
		"restart":          {"ready", "restart", []string{"restart", "demo", "-y"}},
		"claims":           {"retained", "claims", []string{"claims"}},
		"adopt":            {"retained", "adopt", []string{"adopt", "demo-1", "--as", "demo"}},
		"delete":           {"ready", "delete", []string{"delete", "demo", "--keep-data", "-y"}},
		"check":            {"ready", "check", []string{"check", "demo"}},
		"report":           {"ready", "report", []string{"report", "demo", "-f", "-"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := fixture.Serve(t, fixture.Load(t, tc.state)...)
			got := fixture.Run(t, server, "", append(tc.args, "-n", "default")...)
			if len(server.Requests()) == 0 {
				t.Fatalf("no request was made: %s", got)
			}
			i := slices.IndexFunc(permission.Commands(), func(c permission.Command) bool { return c.Name == tc.command })
			if i < 0 {
				t.Fatalf("the table does not have %s", tc.command)
			}
			for _, request := range server.Requests() {
				rule := asked(request)
				if !slices.ContainsFunc(permission.Commands()[i].Rules, func(r permission.Rule) bool {
					return r.Verb == rule.Verb && r.Group == rule.Group && r.Resource == rule.Resource
				}) {
					t.Errorf("%s asks for %q, which the table does not name", tc.command, request)
				}
			}
		})
	}
}
